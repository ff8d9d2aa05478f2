# %% [markdown] id="why"
# # 7 · What Self-Attention Changes and What It Costs
#
# **The question.** What does a self-attention layer buy, what is the price, and what may be
# read from its weights?
#
# **It buys short paths.** Any visible token is one step away, however far back it stands. A
# recurrent network hands a signal on from token to token, and a convolution passes it along in
# hops.
#
# **The price is quadratic.** Every query meets every key: `T * T` scores. Twice the length
# means four times the scores, and as many numbers to hold.
#
# **Training and generation differ.** When the whole text is known, all positions are computed
# in one pass, and the causal mask keeps them honest. When text is being generated, each token
# has to wait for the one before it.
#
# **Weights are observations.** They say how much of each value went into a mixture. What would
# happen without a token is another question, and it takes an experiment to answer it.
#
# **Why it matters.** These are the numbers by which architectures are chosen, and the pictures
# by which they are explained. Both are often quoted a factor of two, or a whole inference, off.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes and sizes, all different or all equal; batches, where there is a `batch`; a single
# token; large scores of ±10,000; every target position; float32, float64 and integer arrays
# (float32 and float64 are kept, integers give float64); and your inputs, looked at again
# afterwards. Inputs stay untouched, and a result shares no writable memory with an input or an
# earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Counts are ints and must be exact.
#
# Where a part *raises*, it raises `ValueError` with the refused name in its message.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `X` | `(T, d_model)` | token representations |
# | `W_Q`, `W_K` | `(d_model, d_k)` | query and key projections |
# | `W_V` | `(d_model, d_v)` | value projection |
# | `W_O` | `(d_v, d_model)` | output projection |
# | `V` | `(T, d_v)` | value vectors, one row a token |
# | `weights[target]` | `(T,)` | what position `target` reads, and how much of it |
# | `output[target]` | `(d_model,)` | what the layer returns there |
# | `effects` | `(T,)` | how far `output[target]` moves without each token's value |

# %% [markdown] id="attention_cost"
# ## Part 1 · `attention_cost` (3 points)
#
# Count the **multiply-adds** of the layer's matrix products. A product `(m, n) @ (n, p)` takes
# `m * n * p` of them: each of its `m * p` entries sums `n` products. So `(2, 3) @ (3, 4)` takes
# 24. One multiply-add is one, not two operations.
#
# Count, for all `batch` sequences together:
#
# - `"projections"`: making `Q`, `K` and `V`;
# - `"scores"`: comparing every query with every key;
# - `"weighted_sum"`: mixing the values;
# - `"output_projection"`: back to the model width;
# - `"total"`: the sum of these four.
#
# And `"score_entries"`: how many numbers the score matrices hold. It is memory, not work, and
# is not part of the total.
#
# The cost is that of the **dense** calculation. A mask decides what is used, not what is
# computed, so masking saves nothing here. Scaling, softmax and biases are left out.


# %% id="attention_cost-stub"
def attention_cost(T, d_model, d_k, d_v, batch=1):
    """Multiply-adds of one dense single-head layer, and the numbers in its score matrices.

    All arguments are positive ints. Returns a dict of int with the keys "projections", "scores",
    "weighted_sum", "output_projection", "total" (the sum of these four) and "score_entries".
    """
    raise NotImplementedError("attention_cost is not started")


# %% id="attention_cost-check"
check("attention_cost")

# %% [markdown] id="path_length"
# ## Part 2 · `path_length` (1 point)
#
# How many layers or steps does a signal cross, at least, from one token to another `distance`
# places further on?
#
# - `"self-attention"`: any distance in one layer.
# - `"recurrent"`: the state moves on by one token a step.
# - `"convolution"`: a causal convolution looks at `kernel` tokens, its own and the `kernel - 1`
#   before it, so each layer reaches that far back. Layers are whole: a part of one is a full
#   one.
#
# With `kernel=5`, four tokens back take one layer and five take two. Only the convolution looks
# at `kernel`, which is at least 2. **Raises** `ValueError` for any other name, with the name in
# the message.


# %% id="path_length-stub"
def path_length(architecture, distance, kernel=3):
    """Layers or steps that a signal crosses between tokens `distance` apart: an int.

    architecture: "self-attention", "recurrent" or "convolution"; distance >= 1, kernel >= 2.
    Raises ValueError for any other architecture, naming it.
    """
    raise NotImplementedError("path_length is not started")


# %% id="path_length-check"
check("path_length")

# %% [markdown] id="sequential_passes"
# ## Part 3 · `sequential_passes` (1 point)
#
# How many passes through the model must *wait for one another*?
#
# - `"training"`: the text is there. All its positions go through together, and the causal mask
#   keeps each from seeing what it is to predict.
# - `"generation"`: a token has to exist before the next one can be predicted from it.
#
# Give the number for `tokens` tokens. It counts waiting, not work: training does not compute
# less, it only has nothing to wait for. **Raises** `ValueError` for any other mode, with its
# name in the message.


# %% id="sequential_passes-stub"
def sequential_passes(tokens, mode):
    """Passes that must wait for one another to handle `tokens` tokens: an int.

    tokens >= 1; mode: "training" or "generation".
    Raises ValueError for any other mode, naming it.
    """
    raise NotImplementedError("sequential_passes is not started")


# %% id="sequential_passes-check"
check("sequential_passes")

# %% [markdown] id="observed_and_causal"
# ## Part 4 · `observed_and_causal` (2 points)
#
# Put an observation and an experiment side by side, for one position `target` of a **causal**
# layer.
#
# - **Observed:** `weights`, row `target` of the attention weights, `(T,)`.
# - **Causal:** `effects`, `(T,)`. For each token `k`, set its *value vector* `V[k]` to zero,
#   keep everything else as it was (queries, keys and so the weights, too), and measure how far
#   `output[target]` moves: the L2 norm of the difference.
#
# It is the value that is removed, not the token. Dropping the token itself would change the
# keys as well, and with them every weight; that would be another experiment. Tokens that
# `target` does not see have no effect, exactly 0.
#
# `target` counts from 0. The output is the projected one, after `W_O`.


# %% id="observed_and_causal-stub"
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    """What a position reads, and what each value does to its output, in a causal layer.

    X (T, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), W_O (d_v, d_model);
    target: an int from 0 to T - 1.
    Returns the tuple (weights, effects), both (T,): the weights of row `target`, and for each k
    the L2 norm of the change in output[target] when V[k] is set to zero.
    """
    raise NotImplementedError("observed_and_causal is not started")


# %% id="observed_and_causal-check"
check("observed_and_causal")

# %% [markdown] id="misleading_example"
# ## Part 5 · `misleading_example` (2 points)
#
# Now build a case in which the weights mislead: an input and a layer of your own for which the
# visible token with the **largest weight** at `target` is not the one with the **largest
# effect**.
#
# Return the six arguments of part 4. Sizes and numbers are yours; small integers will do. Two
# conditions:
#
# - `target` sees at least two tokens, since otherwise there is nothing to confuse;
# - no ties: one token has clearly the largest weight, and one clearly the largest effect.
#
# What does an effect depend on, other than the weight? Start from there. Your part 4 tells you
# whether the example works.


# %% id="misleading_example-stub"
def misleading_example():
    """An input whose most attended visible token is not the one with the largest effect.

    Returns the tuple (X, W_Q, W_K, W_V, W_O, target) with X (T, d_model), W_Q and W_K
    (d_model, d_k), W_V (d_model, d_v), W_O (d_v, d_model), and target an int from 0 to T - 1.
    """
    raise NotImplementedError("misleading_example is not started")


# %% id="misleading_example-check"
check("misleading_example")

# %% [markdown] id="CLAIMS"
# ## Part 6 · `CLAIMS` (1 point)
#
# Somebody shows you the attention map of one causal layer in a trained language model, for one
# sentence of eight tokens: the matrix `weights (8, 8)` with all its numbers, and which word
# stands at which position. You have **nothing else**: no values, no `W_O`, no other layer, no
# experiment.
#
# - `"supported"`: the numbers in the map, with the equations of the layer, are enough to settle
#   whether the claim holds.
# - `"not supported"`: the claim may hold or not, and the map looks the same either way.
#
# The claims:
#
# - `largest-weight`: Of all tokens, position 5 gives its largest weight to position 2.
# - `removal-effect`: Setting the value vector of token 2 to zero would change the output at
#   position 5 more than doing so with any other token.
# - `mixing-factor`: In the context of position 3, the value vector of token 0 is multiplied by
#   0.25.
# - `reason-for-word`: The model predicted its next word because it attended to token 2.
# - `half-on-one`: Position 6 puts more than half of its weight on a single token.
# - `small-weight-harmless`: Token 1 gets little weight from position 7, so the output there
#   would hardly change if the value vector of token 1 were set to zero.
# - `reads-only-past`: On this sentence, no position gives any weight to a later one.
# - `resolves-pronouns`: The layer has learned to find the noun that a pronoun stands for.

# %% id="CLAIMS-stub"
CLAIMS = {
    "largest-weight": ...,
    "removal-effect": ...,
    "mixing-factor": ...,
    "reason-for-word": ...,
    "half-on-one": ...,
    "small-weight-harmless": ...,
    "reads-only-past": ...,
    "resolves-pronouns": ...,
}

# %% id="CLAIMS-check"
check("CLAIMS")

# %% [markdown] id="next"
# ## What you have now
#
# The costs in exact numbers, and a clear line between what a layer shows and what it does. The
# last lesson puts all of it into one class, and into an audit that finds out whether somebody
# else's class can be trusted.
