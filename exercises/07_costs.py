# %% [markdown] id="why"
# # 7 · What Self-Attention Changes and What It Costs
#
# **The question.** What does a self-attention layer buy, what is the price, and what may be
# read from its weights?
#
# **Why it matters.** These are the numbers by which architectures are chosen, and the pictures by
# which they are explained. The numbers are often quoted wrong by a factor of two. The pictures are
# quoted for conclusions that do not follow from them.
#
# The four tokens go along, with all four matrices.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% id="four-tokens"
X = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
W_Q = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
W_K = np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
W_V = np.array([[0, -1], [-1, 2], [1, 2]])
W_O = np.array([[1, 0, 0], [1, 1, 1]])
Q, K, V = X @ W_Q, X @ W_K, X @ W_V

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `X` | `(T, d_model)` | token representations |
# | `W_Q`, `W_K` | `(d_model, d_k)` | query and key projections |
# | `W_V` | `(d_model, d_v)` | value projection |
# | `W_O` | `(d_v, d_model)` | output projection |
# | `Q`, `K` | `(T, d_k)` | queries and keys, one row a token |
# | `V` | `(T, d_v)` | value vectors, one row a token |
# | `weights[target]` | `(T,)` | what position `target` reads, and how much of it |
# | `output[target]` | `(d_model,)` | what the layer returns there |
# | `effects` | `(T,)` | how far `output[target]` moves without each token's value |

# %% [markdown] id="buys"
# ## What it buys: short paths
#
# ![](figure:paths)
#
# In one layer, each token may read every token that it sees, however far back it stands. A
# **recurrent** network hands a state on from token to token. A causal **convolution** with a kernel
# of `k` looks at a token and the `k - 1` before it; to look farther, layers are stacked.
#
# With a kernel of 5, one layer reaches 4 tokens back. A signal from 5 tokens back needs a second
# layer, and two of them reach 8 back, not 9. The cell checks it with matrices: entry `[i, j]` of
# `reach` is 1 when token `i` looks at token `j`, and the product of two such matrices says what two
# layers look at.

# %% id="reach"
distance = np.arange(12).reshape(12, 1) - np.arange(12)
reach = ((0 <= distance) & (distance < 5)).astype(int)
two_layers = (reach @ reach > 0).astype(int)
print("one layer:  4 back", reach[11, 11 - 4], " 5 back", reach[11, 11 - 5])
print("two layers: 8 back", two_layers[11, 11 - 8], " 9 back", two_layers[11, 11 - 9])

# %% [markdown] id="price"
# ## What it costs: every query meets every key
#
# Work is counted in **multiply-adds**. The product of a matrix `(m, n)` with a matrix `(n, p)` has
# `m * p` entries, and each is a sum of `n` products: `m * n * p` multiply-adds. So
# `(2, 3) @ (3, 4)` takes 24. The cell counts them one by one.
#
# A multiply-add is *one* operation here. Elsewhere the multiplication and the addition are counted
# as two "FLOPs": then every number doubles. Find out which is meant before you compare.

# %% id="counted"
left, right, count = np.zeros((2, 3)), np.zeros((3, 4)), 0
for i in range(left.shape[0]):
    for j in range(right.shape[1]):
        for n in range(left.shape[1]):
            count += 1  # result[i, j] += left[i, n] * right[n, j]
print(left.shape, right.shape, "take", count)

# %% [markdown] id="quadratic"
# The scores are a product `(T, d_k) @ (d_k, T)`. For our four tokens, `(4, 4) @ (4, 4)` takes 64
# multiply-adds and leaves 16 numbers to be held. Twice as many tokens take 256, four times as
# many, and leave 64. The projections, in contrast, treat each token by itself: twice the tokens,
# twice the work.
#
# ![](figure:cost)
#
# For short sequences the projections dominate, for long ones the square. With `d_model = 512` and a
# width of 64 for keys and values they are equal at 1024 tokens.

# %% id="quadratic-code"
d_k = 4
assert (Q.shape, K.T.shape) == ((4, 4), (4, 4))
for T in (4, 8):
    print(T, "tokens:", T * d_k * T, "multiply-adds,", T * T, "scores to hold")
d_model, width, T = 512, 64, 1024
assert 4 * (T * d_model * width) == 2 * (T * width * T)

# %% [markdown] id="dense"
# **Does the causal mask halve it?** It decides what is used, not what is computed. In the
# calculation of this chapter all 16 scores are computed, and 6 of them are thrown away afterwards.
# That is called **dense**. There are programs that skip hidden blocks; then one counts something
# else, and should say so.

# %% id="dense-code"
visible = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
print((Q @ K.T).size, "scores computed,", np.count_nonzero(~visible), "of them hidden")

# %% [markdown] id="memory"
# **Memory** grows with the square, too. One score matrix for 4096 tokens holds 16,777,216 numbers:
# at 4 bytes each, 64 MiB for a single head and a single sequence.

# %% id="memory-code"
T = 4096
entries = T * T
print(entries, "numbers, in MiB:", entries * 4 / 2**20)
assert np.dtype(np.float32).itemsize == 4

# %% [markdown] id="passes"
# ## Training and generation
#
# Both are causal, and yet they run differently. The question is what has to *wait*.
#
# In **training** the text is there. Every position predicts its next token, and all of them can be
# computed in one pass over the whole text, because the mask keeps each from seeing what it is to
# predict. Row `i` of a causal layer comes out the same whether or not later tokens are there. The
# cell shows it for the first three tokens: their scores with each other do not depend on the
# fourth.
#
# In **generation** a token has to exist before the next one can be predicted from it. Each pass
# writes one token, the first one included. However fast the machine is, the passes wait for one
# another.
#
# Training does not compute *less*. It has nothing to wait for.

# %% id="passes-code"
prefix = X[:3]
assert ((prefix @ W_Q) @ (prefix @ W_K).T == (Q @ K.T)[:3, :3]).all()

# %% [markdown] id="weights"
# ## Weights are observations
#
# Row 2 of the weights in our causal layer is `0.231, 0.629, 0.140`. That says how much of each
# value went into the mixture, and it is exact. It is tempting to go on: "so token 1 matters most".
# Does it?
#
# "Matters" asks what would happen *without* it. That takes an experiment. Set the value of token 1
# to zero, keep everything else, the weights included, and see how far the output moves: by `1.886`.
# Without the value of token 0 it moves by `1.201`, without that of token 2 by `0.243`.

# %% id="weights-code"
exponentials = np.exp([0, 1, -0.5])
row = exponentials / exponentials.sum()
print("weights", row.round(3))
moves = []
for token in (0, 1, 2):
    without = V[:3].copy()
    without[token] = 0
    moved = row @ V[:3] @ W_O - row @ without @ W_O
    moves.append(np.sqrt(moved @ moved))
    print("without the value of token", token, "moved by", moves[token].round(3))

# %% [markdown] id="why-differ"
# Here the largest weight does have the largest effect, but look at the proportions. The weight of
# token 1 is `2.72` times that of token 0, its effect only `1.57` times. What a token brings to the
# output is its value times `W_O`, and those are not equally long: `5.196` for token 0, `3` for
# token 1, `1.732` for token 2. The effect is the weight times this length. A weight says how much
# is poured; it does not say how strong it is.
#
# The weights alone can't tell you this. Two layers with the same weights, to the last digit, may
# differ in their values, and so in every effect.

# %% id="why-differ-code"
print("weights", (row[1] / row[0]).round(2), "effects", (moves[1] / moves[0]).round(2))
brought = V[:3] @ W_O
lengths = np.sqrt((brought**2).sum(axis=1))
print("lengths", lengths.round(3))
assert np.abs(row * lengths - moves).max() < 1e-12

# %% [markdown] id="which-experiment"
# **An effect belongs to its experiment.** Instead of emptying the value of token 1, one could take
# the *token* away. Then it has no key either, and the others share its weight: `0.622, 0.378`. The
# output moves by `0.548` instead of `1.886`. Neither number is the true importance of token 1. Each
# answers its own question.

# %% id="which-experiment-code"
others = exponentials[[0, 2]] / exponentials[[0, 2]].sum()
moved = row @ V[:3] @ W_O - others @ V[[0, 2]] @ W_O
print("weights", others.round(3), "moved by", np.sqrt(moved @ moved).round(3))

# %% [markdown] id="claims"
# ## What an attention map can and can't support
#
# Three kinds of statement, from the safe to the bold:
#
# - **Observation.** "Row 2 gives 0.629 to token 1." It can be read off the map.
# - **Effect in this layer.** "Without the value of token 1, output 2 would move by `1.886`." It
#   needs the values and `W_O`, which the map does not show, and an experiment.
# - **Reason in the model.** "It wrote this word because of token 1." Between this layer and the
#   word there are other layers and other paths. No single map holds them.
#
# **A tall column is no preference.** In a causal layer that reads evenly, query `i` gives the same
# to each key it sees. With four tokens, token 0 then receives `1 + 1/2 + 1/3 + 1/4`, about `2.083`,
# from all queries together, and token 3 only `0.25`. Token 0 was seen more often, that is all.
#
# For a doubtful claim, ask: could two models show the very same map, while the claim is true of one
# and false of the other?

# %% id="claims-code"
assert row.round(3)[1] == 0.629
assert np.sqrt(((row[1] * V[1] @ W_O) ** 2).sum()).round(3) == 1.886
even_rows = [[1, 0, 0, 0], [1 / 2, 1 / 2, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0], [1 / 4] * 4]
assert np.array(even_rows)[:, 0].sum() == 1 + 1 / 2 + 1 / 3 + 1 / 4
print("columns sum to", np.array(even_rows).sum(axis=0).round(3))

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# | what you see | what has happened |
# | --- | --- |
# | twice the tokens, twice the score cost | the cost was taken to be linear: each query meets *every* key |
# | all numbers twice as large | two operations were counted for a multiply-add |
# | about half the cost for a causal layer | the mask was taken to save work, in a dense calculation |
# | one layer fewer than it takes | a kernel of 5 was taken to reach 5 back; it reaches 4 |
# | a fraction of a layer | it was not rounded up: a part of a layer is a whole one |
# | effects equal to weights | the map was read as an experiment |
# | other tokens' weights move as well | the token was removed, not its value |

# %% id="mistakes-code"
assert reach[11, 11 - 4] == 1 and reach[11, 11 - 5] == 0

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes and sizes, all different or all equal; batches, where there is a `batch`; a single token;
# large scores of ±10,000; every target position; float32, float64 and integer arrays (float32 and
# float64 are kept, integers give float64: see [lesson 1, "Kinds of
# number"](01_one_reading.ipynb)); and your inputs, looked at again afterwards. Inputs stay
# untouched, and a result shares no writable memory with an input or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Counts are ints and must be exact.
#
# Where a part *raises*, it raises `ValueError` with the refused name in its message.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="attention_cost"
# ## Part 1 · `attention_cost` (3 points)
#
# Count the **multiply-adds** of the layer's matrix products, for all `batch` sequences together:
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
# The cost is that of the **dense** calculation. Scaling, softmax and biases are left out.
#
# ```pycon
# >>> cost = attention_cost(T=4, d_model=3, d_k=4, d_v=2)
# >>> cost["scores"], cost["score_entries"]
# (64, 16)
# ```


# %% id="attention_cost-stub"
def attention_cost(T, d_model, d_k, d_v, batch=1):
    """Multiply-adds of one dense single-head layer, and the numbers in its score matrices.

    All arguments are positive ints. Returns a dict of int with the keys "projections", "scores",
    "weighted_sum", "output_projection", "total" (the sum of these four) and "score_entries".
    """
    raise NotImplementedError("attention_cost is not started")


# %% id="attention_cost-check"
check("attention_cost")

# %% [markdown] id="attention_cost-look"
# Your counts as a sequence grows, in millions, for `d_model = 512` and a width of 64. Which rows
# double from column to column, and which do more?

# %% id="attention_cost-shown"
sizes = {"d_model": 512, "d_k": 64, "d_v": 64}
lengths = [256, 512, 1024, 2048]
names = ["projections", "scores", "weighted_sum", "output_projection"]
show(
    lambda: heat_map(
        np.array([[attention_cost(T, **sizes)[name] / 1e6 for T in lengths] for name in names]),
        "millions of multiply-adds",
        rows=names,
        columns=[f"T = {T}" for T in lengths],
    )
)

# %% [markdown] id="path_length"
# ## Part 2 · `path_length` (1 point)
#
# How many layers or steps does a signal cross, at least, from one token to another `distance`
# places further on?
#
# - `"self-attention"`: any distance in one layer.
# - `"recurrent"`: the state moves on by one token a step.
# - `"convolution"`: causal, each layer reaching `kernel - 1` tokens back. Layers are whole: a part
#   of one is a full one.
#
# Only the convolution looks at `kernel`, which is at least 2. **Raises** `ValueError` for any other
# name, with the name in the message.
#
# ```pycon
# >>> path_length("convolution", 4, kernel=5), path_length("convolution", 5, kernel=5)
# (1, 2)
# ```


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
# How many passes through the model must *wait for one another*, for `tokens` tokens?
#
# - `"training"`: the text is there.
# - `"generation"`: each token has to be written before the next.
#
# It counts waiting, not work. **Raises** `ValueError` for any other mode, with its name in the
# message.


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
#   `output[target]` moves: the L2 norm of the difference, the square root of the sum of squares.
#
# Tokens that `target` does not see have no effect, exactly 0. `target` counts from 0. The output is
# the projected one, after `W_O`.
#
# ```pycon
# >>> weights, effects = observed_and_causal(X, W_Q, W_K, W_V, W_O, target=2)
# >>> weights.round(3)
# array([0.231, 0.629, 0.14 , 0.   ])
# >>> effects.round(3)
# array([1.201, 1.886, 0.243, 0.   ])
# ```


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

# %% [markdown] id="observed_and_causal-look"
# What each position reads, and what each value does there, by your function. Go through the rows:
# is the largest effect always where the largest weight is?

# %% id="observed_and_causal-shown"
show(
    lambda: heat_map(
        {
            name: np.array(
                [observed_and_causal(X, W_Q, W_K, W_V, W_O, t)[number] for t in range(4)]
            )
            for number, name in enumerate(("weights", "effects"))
        },
        rows="target",
        columns="token",
        visible=visible,
    )
)

# %% [markdown] id="misleading_example"
# ## Part 5 · `misleading_example` (2 points)
#
# Now build a case in which the weights mislead: an input and a layer for which the visible token
# with the **largest weight** at `target` is not the one with the **largest effect**.
#
# Your picture above may have shown you that the four tokens hold such a case. It counts. You learn
# more from one that you make yourself, on purpose: give one token nearly all of the weight and
# another one most of the effect.
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
# The costs in exact numbers, and a clear line between what a layer shows and what it does.
# [Lesson 8](08_audit.ipynb) puts all of it into one class, and into an audit that finds out
# whether somebody else's class can be trusted.

# %% id="progress"
progress()
