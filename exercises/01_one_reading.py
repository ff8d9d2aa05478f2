# %% [markdown] id="why"
# # 1 · One Attention Reading Is Not Yet a Transformer Layer
#
# **The question.** You can compute one attention reading. What is still missing before it is a
# layer that can be stacked inside a Transformer?
#
# A *reading* answers one query. A query vector is compared with every key, the comparisons
# become weights, and the weights mix the values into one vector. That is the heart of
# attention, but it is a calculation on one position, not yet a part that fits anywhere.
#
# A *layer* has an interface. It receives a table of token representations and returns a table
# of the same width, one row for each token, so that the next layer can take over where it
# stopped. Three things separate the two:
#
# - **Many queries.** Every token asks, so there are as many readings as tokens.
# - **Width.** A reading has the width of the values, `d_v`. The layer must give back `d_model`.
# - **Batch.** A layer works on several sequences at once, and none of them may see another.
#
# **Why it matters.** Most bugs in attention code are not in the arithmetic. They sit where
# shapes meet: a row taken for a column, a width that fits by luck, a step that everybody
# thought somebody else's code would do. Knowing exactly what the layer takes, gives and leaves
# alone is what makes the rest of this chapter checkable.

# %% id="setup"
import numpy as np
from onehead import check

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# Each part has a stub and, below it, a cell with `check(...)`. Replace the stub's body (or each
# `...`), run it, then run the check. A part that you have not begun counts as not started,
# nothing worse.
#
# `check()` runs the **public checks**. Grading asks more of the same code: other shapes, with
# all sizes different or a single token; batches, in the lessons that have them; large scores of
# ±10,000; masks of every pattern, rows in which nothing is visible among them; and your inputs,
# looked at again afterwards. The rules are the same in every lesson:
#
# - **Kind of number.** float64 in gives float64 out, float32 in gives float32 out, integers in
#   give float64 out.
# - **Inputs stay untouched**, and a result shares no writable memory with an input or with an
#   earlier result.
# - **Tolerance.** Numbers are compared within a rounding bound that is derived from the sizes
#   and the dtype of each case, not to a fixed number of digits. Any right order of operations
#   passes; a formula that is only nearly right does not.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `query` | `(d_k,)` | what one position looks for |
# | `keys` | `(T, d_k)` | one row a token: what the query is compared with |
# | `values` | `(T, d_v)` | one row a token: what is read |
# | `visible` | `(T,)`, bool | **True: this key may be read** |
# | `weights` | `(T,)` | how much of each value goes into the reading |
# | `reading` | `(d_v,)` | the mixture of values |
#
# `T` counts tokens. `d_k` and `d_v` are widths, and nothing says that they are equal.
#
# If queries, keys and values are new to you: think of them as three vectors with three jobs.
# The query and the keys live in the same space, so that a dot product can compare them. The
# values live in a space of their own and are never compared with anything; they are only
# averaged.

# %% [markdown] id="attention_reading"
# ## Part 1 · `attention_reading` (5 points)
#
# One query reads `T` tokens, in four steps:
#
# ```
# scores  = keys @ query / sqrt(d_k)        (T,)    one comparison a key
#           keys that are not visible drop out
# weights = softmax of the visible scores   (T,)    not negative, sum 1
# reading = weights @ values                (d_v,)
# ```
#
# **Softmax** turns scores into weights: `exp(score)` divided by the sum of all such
# exponentials. Adding one constant to every score changes nothing, because it cancels in the
# division. Use that freedom: `exp(1000)` overflows, while `exp(1000 - 1000)` does not.
#
# **Hidden keys.** A key that is not visible gets a weight of *exactly* 0 and plays no part in
# the sum. `visible=None` means that all keys may be read. When no key at all is visible there
# is nothing to read: `weights` and `reading` are rows of zeros, never NaN.
#
# **An example.** The cell below holds one query with four keys and values. The comparisons
# `keys @ query` are `0, 2, -1, -2`; with `d_k = 4` the scores are `0, 1, -0.5, -1`. With
# everything visible, the weights are about `0.213, 0.579, 0.129, 0.078`. The largest goes to
# token 1, whose key agrees best with the query, and yet two fifths of the reading come from
# the others.

# %% id="example"
example = {
    "query": np.array([1.0, 1.0, 1.0, 1.0]),
    "keys": np.array(
        [
            [-1.0, 2.0, 0.0, -1.0],
            [0.0, 1.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0, 0.0],
            [-1.0, 1.0, -1.0, -1.0],
        ]
    ),
    "values": np.array([[0.0, 3.0], [-1.0, 2.0], [0.0, -1.0], [1.0, 1.0]]),
}


# %% id="attention_reading-stub"
def attention_reading(query, keys, values, visible=None):
    """Read `values` with one query.

    query (d_k,), keys (T, d_k), values (T, d_v); visible bool (T,), or None for all visible.
    Returns the tuple (weights, reading) with weights (T,) and reading (d_v,).
    A hidden key has weight exactly 0; with no visible key both results are zeros.
    """
    raise NotImplementedError("attention_reading is not started")


# %% id="attention_reading-check"
check("attention_reading")

# %% [markdown] id="layer_shapes"
# ## Part 2 · `layer_shapes` (2 points)
#
# Now the layer. It receives `batch` sequences of `tokens` tokens, each token a vector of width
# `d_model`, and returns as many vectors of the same width. Inside, every token of a sequence
# asks one query, and each query is compared with every key *of its own sequence*.
#
# Give the shapes, as tuples of int, under these names:
#
# - `"reading"`: what **one** query gets, as in part 1;
# - `"layer_input"` and `"layer_output"`: what the layer takes and returns;
# - `"scores"`: one number for each pair of a query and a key, for each sequence;
# - `"context"`: the readings of all queries of all sequences, before the width is restored.
#
# The batch axis comes first, then queries, then keys or features. The sizes may all be
# different, so write each name where it belongs rather than a number that happens to be equal.


# %% id="layer_shapes-stub"
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    """The shapes of one reading and of a whole layer.

    All arguments are positive ints. Returns a dict with the keys "reading", "layer_input",
    "layer_output", "scores" and "context"; each value is a tuple of int.
    """
    raise NotImplementedError("layer_shapes is not started")


# %% id="layer_shapes-check"
check("layer_shapes")

# %% [markdown] id="BOUNDARY"
# ## Part 3 · `BOUNDARY` (3 points)
#
# Where does the layer end? In this chapter a single-head self-attention layer is everything
# between its input `X` and its output, and nothing else: it makes three sets of vectors out of
# `X`, compares, hides, normalises, mixes, and brings the mixture back to the width of `X`.
#
# Two kinds of things are left to the code around it:
#
# - what has happened **before** there was an `X`: words became vectors, and something told the
#   model in which order they stood;
# - what a Transformer block does **with** the layer's output or around it: keeping a copy of
#   the input to add back, keeping the numbers in range, and working on each token separately.
#
# A test for a doubtful case: if the layer were handed `X` and the matrices `W_Q`, `W_K`, `W_V`
# and `W_O` and nothing else, would it carry out this step?
#
# Put each component on its side: `"inside"` or `"outside"`.

# %% id="BOUNDARY-stub"
BOUNDARY = {
    "query projection": ...,
    "key projection": ...,
    "value projection": ...,
    "mask": ...,
    "softmax": ...,
    "output projection": ...,
    "residual connection": ...,
    "layer normalization": ...,
    "feed-forward network": ...,
    "token embedding": ...,
    "positional encoding": ...,
}

# %% id="BOUNDARY-check"
check("BOUNDARY")

# %% [markdown] id="next"
# ## What you have now
#
# One reading, the interface that a layer needs, and a line around it. The next lesson asks
# where the queries, keys and values come from, which is what the word *self* in self-attention
# is about.
