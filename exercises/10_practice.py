# %% [markdown] id="why"
# # Exercises
#
# **The question.** Can you use what the eight lessons have taught on problems that look a little
# different?
#
# There are 24 problems of eight kinds, three of each: `shape`, `calculation`, `masking`,
# `projection`, `parameter-count`, `debugging`, `batching` and `interpretation`. Within a kind
# they go from easy to hard. Each is worth one point and stands alone, so begin where you like.
#
# **Why it matters.** In a lesson you know what the problem is about, because the lesson has just
# told you. Here each problem says only what is wanted and in what form; you choose the tool.
# Under each title stands the section of a lesson in which a close relative was worked out.

# %% id="setup"
import zlib

import numpy as np
from onehead import check, progress

LEARNER = "your-name"

# %% [markdown] id="your-numbers"
# ## Your numbers
#
# Write your name, or whatever id you hand your work in under, into `LEARNER` in the cell above.
# The problems of the kinds `calculation` and `parameter-count` take their numbers from a pool of
# sixteen variants, all equally hard, and the name chooses one of them. Your neighbour has other
# numbers and other answers.
#
# Choose the name before you start: another name means other numbers. The cell after the pool
# shows yours.

# %% id="pool"
POOL = [
    {"query": [0, 1, 2, 2], "asker": [-2, 0, 2, 2], "X": [[0, 0, 2], [-1, -1, 2], [2, 0, 1]],
     "d_model": 49, "d_k": 16, "d_v": 29, "d_context": 38, "counted": [33, 14, 2660]},
    {"query": [0, 1, -1, -1], "asker": [0, 1, -1, -2], "X": [[0, -1, 0], [1, -1, -1], [2, -1, 0]],
     "d_model": 39, "d_k": 13, "d_v": 21, "d_context": 41, "counted": [48, 15, 3749]},
    {"query": [2, -1, 0, 1], "asker": [2, -1, -1, 0], "X": [[2, 2, -1], [0, 2, 0], [0, -1, 1]],
     "d_model": 35, "d_k": 19, "d_v": 14, "d_context": 43, "counted": [35, 23, 2543]},
    {"query": [-1, 1, 0, 1], "asker": [-2, -2, 0, -1], "X": [[0, 2, 1], [1, -1, 1], [0, 2, 0]],
     "d_model": 45, "d_k": 28, "d_v": 25, "d_context": 42, "counted": [48, 22, 3562]},
    {"query": [0, -2, 1, 1], "asker": [-2, -1, 1, 0], "X": [[1, 0, 1], [2, -1, -1], [0, 1, 0]],
     "d_model": 48, "d_k": 13, "d_v": 28, "d_context": 42, "counted": [46, 19, 3041]},
    {"query": [-2, 0, -1, 1], "asker": [-2, -1, 0, 2], "X": [[2, 0, 0], [-1, 2, 1], [0, 2, 2]],
     "d_model": 35, "d_k": 22, "d_v": 27, "d_context": 54, "counted": [42, 18, 3970]},
    {"query": [-1, -1, -2, 0], "asker": [2, 1, 2, 0], "X": [[2, 2, -1], [2, 0, -1], [0, 0, 1]],
     "d_model": 34, "d_k": 21, "d_v": 26, "d_context": 56, "counted": [33, 27, 3142]},
    {"query": [-1, 1, 0, -2], "asker": [-1, 2, 0, -1], "X": [[0, -1, 2], [2, 1, 0], [1, 1, 0]],
     "d_model": 34, "d_k": 28, "d_v": 25, "d_context": 52, "counted": [52, 25, 5012]},
    {"query": [1, 0, 1, 2], "asker": [-1, 0, -1, 1], "X": [[2, 2, -1], [-1, 0, 0], [1, -1, 0]],
     "d_model": 52, "d_k": 15, "d_v": 22, "d_context": 48, "counted": [42, 18, 3800]},
    {"query": [2, 0, -2, -1], "asker": [-2, 1, 2, 0], "X": [[0, -1, 2], [2, 0, 1], [2, 0, -1]],
     "d_model": 48, "d_k": 27, "d_v": 24, "d_context": 54, "counted": [56, 29, 5057]},
    {"query": [1, 0, -2, -1], "asker": [0, 1, 1, -1], "X": [[2, -1, 2], [0, 1, 0], [-1, 1, 0]],
     "d_model": 49, "d_k": 16, "d_v": 11, "d_context": 51, "counted": [59, 24, 6152]},
    {"query": [0, -2, 1, 2], "asker": [1, 0, -1, -2], "X": [[-1, 1, 1], [-1, 2, 0], [0, 1, 0]],
     "d_model": 55, "d_k": 13, "d_v": 26, "d_context": 45, "counted": [37, 23, 2985]},
    {"query": [-1, 0, -2, -1], "asker": [0, 1, 2, -2], "X": [[2, -1, 1], [0, 1, 0], [0, 1, -1]],
     "d_model": 39, "d_k": 13, "d_v": 27, "d_context": 42, "counted": [39, 23, 3538]},
    {"query": [-1, 0, 1, 2], "asker": [-1, 0, 1, 1], "X": [[1, -1, 1], [2, 0, 0], [1, 2, 0]],
     "d_model": 43, "d_k": 12, "d_v": 25, "d_context": 46, "counted": [56, 29, 4605]},
    {"query": [1, 2, 0, 2], "asker": [-1, 0, 2, -2], "X": [[1, 0, 1], [0, -1, 2], [0, 1, -1]],
     "d_model": 49, "d_k": 12, "d_v": 29, "d_context": 39, "counted": [56, 15, 4478]},
    {"query": [0, 1, 1, 2], "asker": [0, 2, 2, -2], "X": [[-1, -1, 0], [-1, 0, 2], [1, 1, 0]],
     "d_model": 58, "d_k": 21, "d_v": 14, "d_context": 52, "counted": [31, 17, 2253]},
]

# %% id="variant"
variant = POOL[zlib.crc32(LEARNER.encode()) % len(POOL)]
variant

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check("shape-1")` runs the **public checks** of one problem. Grading asks a function more than
# that: other sizes, all different or all equal; a single token or a single item; rows in which
# nothing is visible; large scores, where scores are an argument. A function that knows only the
# examples of this notebook does not pass.
#
# - **Functions** keep the chapter's rules: float64 in gives float64 out, float32 in gives
#   float32 out, integers give float64; inputs stay untouched; a result shares no writable memory
#   with an input.
# - **Arrays** are compared within a rounding bound that is derived from the sizes and the dtype.
#   Masks and counts are exact.
# - **Numbers** that may be worked by hand are right when each is off by less than 0.001. Give four
#   decimals. Of numbers, shapes and orders that you are asked for, `check` sees the form alone;
#   grading looks at what they are.
# - **Handed-over code** that still does what it did earns nothing, whatever was changed about
#   its looks.

# %% [markdown] id="symbols"
# ## Symbols
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `B`, `T` | | sequences in a batch, tokens in a sequence |
# | `X` | `(T, d_model)` or `(B, T, d_model)` | token representations |
# | `W_Q`, `W_K` | `(d_model, d_k)` | query and key projections |
# | `W_V`, `W_O` | `(d_model, d_v)`, `(d_v, d_model)` | value and output projections |
# | `scores` | `(…, T_q, T_k)` | `Q @ K.T / sqrt(d_k)`, before any mask |
# | `visible` | bool, `(…, T_q, T_k)` | **True: this query may read this key** |
# | `weights` | `(…, T_q, T_k)` | softmax over the keys of the visible scores |
# | `context`, `output` | `(…, T_q, d_v)`, `(…, T_q, d_model)` | `weights @ V`, `context @ W_O` |
#
# Tokens, positions and items are counted from 0.

# %% [markdown] id="shape-1"
# ## shape-1 · Five shapes (1 point)
#
# *Relative: [lesson 5, "The last step"](05_output_projection.ipynb).*
#
# One sequence of 7 tokens goes through a single-head self-attention layer. The model width is
# 12, queries and keys have width 5, values have width 8.
#
# Give the shapes of `Q`, `V`, `scores`, `context` and `output`.
#
# **Form:** a dict; each value is a tuple of ints.

# %% id="shape-1-stub"
shape_1 = {
    "Q": ...,
    "V": ...,
    "scores": ...,
    "context": ...,
    "output": ...,
}

# %% id="shape-1-check"
check("shape-1")

# %% [markdown] id="shape-2"
# ## shape-2 · Which matrix does not fit? (1 point)
#
# *Relative: [lesson 8, "From functions to a layer"](08_audit.ipynb).*
#
# Somebody wants to build a self-attention layer and tells you nothing but shapes: that of `X`,
# `(T, d_model)`, and those of `W_Q`, `W_K`, `W_V` and `W_O`. Find the first matrix that does not
# fit. Go through them in this order, and take everything before as right:
#
# - `W_Q` must take the width of `X`;
# - `W_K` must take the width of `X` and give the width of the queries;
# - `W_V` must take the width of `X`;
# - `W_O` must take the width of the values and give back the width of `X`.
#
# **Form:** a function. Each argument is a tuple of two ints. It returns a string: `"W_Q"`,
# `"W_K"`, `"W_V"` or `"W_O"`, or `"fits"` when all of them fit.


# %% id="shape-2-stub"
def shape_2(X, W_Q, W_K, W_V, W_O):
    """The name of the first matrix that does not fit, or "fits".

    X, W_Q, W_K, W_V, W_O: shapes, each a tuple of two ints.
    """
    raise NotImplementedError("shape_2 is not started")


# %% id="shape-2-check"
check("shape-2")

# %% [markdown] id="shape-3"
# ## shape-3 · Sizes from a few shapes (1 point)
#
# *Relative: [lesson 6, "One axis more"](06_batch_axis.ipynb).*
#
# A trace of a **batched** layer was lost, and only some of its shapes are left. Which sizes do
# they tell? `shapes` is a dict from names to tuples of ints. The names are entries of the trace,
# all of rank 3: `"X"`, `"Q"`, `"K"`, `"V"`, `"scores"`, `"weights"`, `"context"`, `"output"`; or
# matrices, of rank 2: `"W_Q"`, `"W_K"`, `"W_V"`, `"W_O"`. Any of them may be there, at least one
# is.
#
# For example, `{"Q": (2, 6, 4)}` tells that `B` is 2, `T` is 6 and `d_k` is 4, and nothing about
# `d_model` and `d_v`. Two shapes may contradict each other, and `scores` may contradict itself.
#
# **Form:** a function that returns the tuple `(B, T, d_model, d_k, d_v)` of ints, with 0 for a
# size that nothing tells. It **raises** `ValueError` on a contradiction, with the two sizes in
# question in the message.


# %% id="shape-3-stub"
def shape_3(shapes):
    """The sizes (B, T, d_model, d_k, d_v) that some shapes tell, 0 where nothing tells.

    shapes: a dict from names of trace entries or matrices to tuples of ints.
    Raises ValueError, with both sizes, when two of them contradict each other.
    """
    raise NotImplementedError("shape_3 is not started")


# %% id="shape-3-check"
check("shape-3")

# %% [markdown] id="calculation-1"
# ## calculation-1 · The weights of one query (1 point)
#
# *Relative: [lesson 1, "One reading, in four steps"](01_one_reading.ipynb).*
#
# One query meets three keys. `d_k` is 4, and all keys are visible. The query is yours, the entry
# `"query"` of your variant; the keys are the same for everybody and stand in the next cell.
#
# Compute the attention weights of this query.
#
# **Form:** a list of three numbers, one for each key, each off by less than 0.001.

# %% id="calculation-1-data"
one_query = {
    "query": np.array(variant["query"]),
    "keys": np.array([[2, 0, 1, 0], [0, 1, 0, 1], [1, 1, -1, 0]]),
}

# %% id="calculation-1-stub"
calculation_1 = [..., ..., ...]

# %% id="calculation-1-check"
check("calculation-1")

# %% [markdown] id="calculation-2"
# ## calculation-2 · A causal context (1 point)
#
# *Relative: [lesson 4, "The mask: on the way from scores to weights"](04_matrix_form.ipynb).*
#
# A sequence of four tokens, causal, with `d_k = 4` and `d_v = 2`. Position 2 asks; its query is
# the entry `"asker"` of your variant. The four keys and values stand in the next cell, one row a
# token.
#
# Compute row 2 of the context: what position 2 reads.
#
# **Form:** a list of two numbers, each off by less than 0.001.

# %% id="calculation-2-data"
causal_row = {
    "query": np.array(variant["asker"]),
    "keys": np.array([[1, 0, 1, -1], [0, 2, 0, 1], [1, -1, 1, 0], [-1, 1, 0, 2]]),
    "values": np.array([[2, 0], [0, 3], [-1, 1], [4, -2]]),
}

# %% id="calculation-2-stub"
calculation_2 = [..., ...]

# %% id="calculation-2-check"
check("calculation-2")

# %% [markdown] id="calculation-3"
# ## calculation-3 · From the input to the output (1 point)
#
# *Relative: [lesson 4, "Scores: every query with every key"](04_matrix_form.ipynb) and [lesson 5,
# "The last step"](05_output_projection.ipynb).*
#
# The whole layer, causal, for a sequence of three tokens: `d_model = 3`, `d_k = 4`, `d_v = 2`.
# `X` is the entry `"X"` of your variant, one row a token; the four matrices stand in the next
# cell.
#
# Compute row 1 of the **output**.
#
# **Form:** a list of three numbers, each off by less than 0.001.

# %% id="calculation-3-data"
whole_layer = {
    "X": np.array(variant["X"]),
    "W_Q": np.array([[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]),
    "W_K": np.array([[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0]]),
    "W_V": np.array([[1, 2], [0, -1], [-1, 1]]),
    "W_O": np.array([[1, 0, 2], [-1, 1, 0]]),
}

# %% id="calculation-3-stub"
calculation_3 = [..., ..., ...]

# %% id="calculation-3-check"
check("calculation-3")

# %% [markdown] id="masking-1"
# ## masking-1 · A sliding window (1 point)
#
# *Relative: [lesson 2, "The second choice: what may be seen"](02_sources.ipynb).*
#
# Some layers spare themselves the distant past: each token reads itself and the `window - 1`
# tokens before it, and nothing else. Near the beginning there are fewer than that; then it reads
# all there are. With `window = 1` a token reads only itself.
#
# **Form:** a function that returns the mask, a bool array `(T, T)`; True means that the query of
# this row may read the key of this column. `T` and `window` are positive ints, and `window` may
# be larger than `T`.


# %% id="masking-1-stub"
def masking_1(T, window):
    """A causal mask with a window: bool (T, T), True where the query may read the key.

    T and window are positive ints.
    """
    raise NotImplementedError("masking_1 is not started")


# %% id="masking-1-check"
check("masking-1")

# %% [markdown] id="masking-2"
# ## masking-2 · Causal and padded (1 point)
#
# *Relative: [lesson 8, "From functions to a layer"](08_audit.ipynb).*
#
# A batch of sequences of different lengths, filled up with padding to `T` places. A query may
# read a key when two things hold: the key does not come after the query, and the key is a real
# token, one of the first `lengths[b]` of item `b`.
#
# Only keys are hidden for being padding. A padded **query** is treated like any other: it reads
# the real tokens before it.
#
# **Form:** a function that returns a bool array `(B, T, T)`, with the axes item, query, key.
# `lengths` is a list of `B` ints from 0 to `T`.


# %% id="masking-2-stub"
def masking_2(lengths, T):
    """What may be read in a causal, padded batch: bool (B, T, T).

    lengths: a list of B ints from 0 to T; T is a positive int.
    """
    raise NotImplementedError("masking_2 is not started")


# %% id="masking-2-check"
check("masking-2")

# %% [markdown] id="masking-3"
# ## masking-3 · Several documents in one sequence (1 point)
#
# *Relative: [lesson 4, "The mask: on the way from scores to weights"](04_matrix_form.ipynb).*
#
# To waste no room, several short documents are packed into one sequence. `documents` says for
# each token to which document it belongs, by an int. A token may read itself and the earlier
# tokens **of its own document**. The ids need not rise, and a document may go on after another
# one has come in between.
#
# Given the scaled scores before any mask, compute the attention weights. The chapter's rules
# hold: a hidden key has a weight of exactly 0, the visible weights of a row sum to 1, and scores
# of ±10,000 do no harm, wherever they stand.
#
# **Form:** a function that returns the weights, an array `(T, T)`. `scores` is an array `(T,
# T)`, `documents` an int array `(T,)`.


# %% id="masking-3-stub"
def masking_3(scores, documents):
    """Causal attention weights (T, T) within each document.

    scores (T, T): scaled, not masked; documents (T,): the document of each token, an int.
    """
    raise NotImplementedError("masking_3 is not started")


# %% id="masking-3-check"
check("masking-3")

# %% [markdown] id="projection-1"
# ## projection-1 · Three projections in one product (1 point)
#
# *Relative: [lesson 2, "Where the vectors come from"](02_sources.ipynb).*
#
# Many models keep one matrix instead of three: the columns of `W_Q`, `W_K` and `W_V` stand side
# by side, in this order, in a matrix `W` of shape `(d_model, 2 * d_k + d_v)`. `d_k` is given,
# and `d_v` follows from the shape. In general the two differ.
#
# **Form:** a function that returns the tuple `(Q, K, V)` for one sequence, with the shapes `(T,
# d_k)`, `(T, d_k)` and `(T, d_v)`.


# %% id="projection-1-stub"
def projection_1(X, W, d_k):
    """Queries, keys and values from a joint matrix.

    X (T, d_model), W (d_model, 2 * d_k + d_v). Returns (Q, K, V).
    """
    raise NotImplementedError("projection_1 is not started")


# %% id="projection-1-check"
check("projection-1")

# %% [markdown] id="projection-2"
# ## projection-2 · Scores from one matrix (1 point)
#
# *Relative: [lesson 5, "The same work, bracketed otherwise"](05_output_projection.ipynb).*
#
# The scores depend on `W_Q` and `W_K`, but only through one matrix. Find `W_QK`, `(d_model,
# d_model)`, such that
#
# ```
# X @ W_QK @ X.T  ==  (X @ W_Q) @ (X @ W_K).T / sqrt(d_k)
# ```
#
# for every `X`, up to rounding. The right-hand side is what the chapter calls `scores`.
#
# **Form:** a function that returns the array `W_QK`. `W_Q` and `W_K` are arrays `(d_model,
# d_k)`.


# %% id="projection-2-stub"
def projection_2(W_Q, W_K):
    """The matrix W_QK (d_model, d_model) with X @ W_QK @ X.T equal to the scaled scores.

    W_Q and W_K (d_model, d_k).
    """
    raise NotImplementedError("projection_2 is not started")


# %% id="projection-2-check"
check("projection-2")

# %% [markdown] id="projection-3"
# ## projection-3 · Undo what was done to the queries (1 point)
#
# *Relative: [lesson 3, "Matching takes two matrices"](03_projections.ipynb).*
#
# Somebody has replaced `W_Q` by `W_Q @ A`, where `A` is an invertible matrix `(d_k, d_k)`. Find
# the key projection that makes up for it: with it in place of `W_K`, all scores are what they
# were before, for every `X` and whatever `W_Q` holds.
#
# `A` is neither symmetric nor orthogonal in general, so its inverse, its transpose and the
# transpose of its inverse are three different matrices. Write down the product that has to stay
# the same.
#
# **Form:** a function that returns the new key projection, an array `(d_model, d_k)`.


# %% id="projection-3-stub"
def projection_3(W_K, A):
    """The key projection that keeps all scores when W_Q becomes W_Q @ A.

    W_K (d_model, d_k), A (d_k, d_k), invertible. Returns an array (d_model, d_k).
    """
    raise NotImplementedError("projection_3 is not started")


# %% id="projection-3-check"
check("projection-3")

# %% [markdown] id="parameter-count-1"
# ## parameter-count-1 · One head (1 point)
#
# *Relative: [lesson 5, "Counting parameters"](05_output_projection.ipynb).*
#
# A single-head self-attention layer has four projections, query, key, value and output, and **no
# biases**. Its sizes are the entries `"d_model"`, `"d_k"` and `"d_v"` of your variant.
#
# How many parameters does it have in all?
#
# **Form:** an int.

# %% id="parameter-count-1-stub"
parameter_count_1 = ...

# %% id="parameter-count-1-check"
check("parameter-count-1")

# %% [markdown] id="parameter-count-2"
# ## parameter-count-2 · A cross-attention with biases (1 point)
#
# *Relative: [lesson 2, "The first choice: the source"](02_sources.ipynb) and [lesson 5, "Counting
# parameters"](05_output_projection.ipynb).*
#
# A single-head **cross**-attention layer: queries come from a sequence of width `d_model`, keys
# and values from a context of width `d_context`, and the output has the width `d_model` again.
# Each of the four projections has a bias, as long as its own output is wide. `"d_model"`,
# `"d_k"`, `"d_v"` and `"d_context"` are entries of your variant.
#
# How many parameters does it have in all, biases included?
#
# **Form:** an int.

# %% id="parameter-count-2-stub"
parameter_count_2 = ...

# %% id="parameter-count-2-check"
check("parameter-count-2")

# %% [markdown] id="parameter-count-3"
# ## parameter-count-3 · Backwards (1 point)
#
# *Relative: [lesson 5, "Counting parameters"](05_output_projection.ipynb).*
#
# Of another single-head self-attention layer you know three numbers, the entry `"counted"` of
# your variant: its `d_model`, its `d_k`, and its number of parameters in all. Each of its four
# projections **has a bias**, and all of them are in that number.
#
# How wide are its values?
#
# **Form:** an int, `d_v`.

# %% id="parameter-count-3-stub"
parameter_count_3 = ...

# %% id="parameter-count-3-check"
check("parameter-count-3")

# %% [markdown] id="debugging-1"
# ## debugging-1 · Rows that sum to 1, and are wrong (1 point)
#
# *Relative: [lesson 4, "The mask: on the way from scores to weights"](04_matrix_form.ipynb).*
#
# The function below should compute the weights of a causal layer from its scaled scores, `(T,
# T)`. It runs, its rows sum to 1, nothing is NaN, and yet a token reads its future. There is
# **one** mistake.
#
# Look at row 0 of the result for the scores `[[0, 5], [5, 0]]`. What should it be?
#
# **Form:** the function, repaired. It keeps its name and its argument and returns the weights,
# an array `(T, T)`.


# %% id="debugging-1-stub"
def debugging_1(scores):
    """Causal attention weights (T, T) from scaled scores (T, T)."""
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool))
    masked = np.where(visible, scores, 0)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


# %% id="debugging-1-check"
check("debugging-1")

# %% [markdown] id="debugging-2"
# ## debugging-2 · Padding that is read (1 point)
#
# *Relative: [lesson 6, "Padding is not invisible by itself"](06_batch_axis.ipynb).*
#
# A batch of sequences of different lengths: item `b` has `lengths[b]` real tokens, and the rest
# of its `T` places is padding. The function should compute the attention weights such that **no
# query reads padding**. A padded query may read the real tokens like any other, and in an item
# of length 0 all weights are 0. There is no causal mask.
#
# The shapes are right and nothing is NaN. There is **one** mistake.
#
# **Form:** the function, repaired. It keeps its name and its arguments, `Q` and `K` of shape
# `(B, T, d_k)` and a list of `B` ints, and returns the weights, an array `(B, T, T)`.


# %% id="debugging-2-stub"
def debugging_2(Q, K, lengths):
    """Weights (B, T, T) of a padded batch: Q, K (B, T, d_k), lengths B ints from 0 to T."""
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, :, None], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


# %% id="debugging-2-check"
check("debugging-2")

# %% [markdown] id="debugging-3"
# ## debugging-3 · Two mistakes at once (1 point)
#
# *Relative: [lesson 3, "What mistakes look like"](03_projections.ipynb) and [lesson 6, "Items stay
# strangers"](06_batch_axis.ipynb).*
#
# The function below should compute the output of a causal single-head layer, for one sequence
# `(T, d_model)` and for a batch `(B, T, d_model)`. Its author tried it on one sequence with `d_k
# == d_model`, where its numbers are right. There are **two** mistakes, and each hides where the
# author looked.
#
# Half of the point is for single sequences, half is for batches.
#
# **Form:** the function, repaired. It keeps its name and its arguments and returns the output,
# an array with the shape of `X`.


# %% id="debugging-3-stub"
def debugging_3(X, W_Q, W_K, W_V, W_O):
    """The output of a causal layer for X (T, d_model) or (B, T, d_model)."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_model = X.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_model**0.5
    masked = np.where(np.tril(np.ones((T, T), dtype=bool)), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = exp / exp.sum(axis=1, keepdims=True)
    return weights @ V @ W_O


# %% id="debugging-3-check"
check("debugging-3")

# %% [markdown] id="batching-1"
# ## batching-1 · Make a batch (1 point)
#
# *Relative: [lesson 6, "One axis more"](06_batch_axis.ipynb).*
#
# `sequences` is a list of arrays, one a sequence, of shape `(T_b, d_model)`: the width is the
# same, the lengths differ. Put them into one array. Each sequence begins at token 0, the rest of
# its row is filled with zeros, and `T` is the length of the longest.
#
# **Form:** a function that returns the tuple `(X, lengths)`: `X` is an array `(B, T, d_model)`,
# and `lengths` a list of `B` ints. The sequences hold float64 numbers, and none is empty.


# %% id="batching-1-stub"
def batching_1(sequences):
    """A list of arrays (T_b, d_model) as one padded batch.

    Returns (X, lengths): X (B, T, d_model), filled up with zeros, and a list of B ints.
    """
    raise NotImplementedError("batching_1 is not started")


# %% id="batching-1-check"
check("batching-1")

# %% [markdown] id="batching-2"
# ## batching-2 · A mean without padding (1 point)
#
# *Relative: [lesson 6, "Padding is not invisible by itself"](06_batch_axis.ipynb).*
#
# To classify sequences, one often takes the mean of a layer's output over the tokens. In a
# padded batch the padded places hold numbers, too, whatever the layer has left there, and they
# must not count.
#
# Compute for each item the mean over its real tokens, the first `lengths[b]`. An item of length
# 0 gets zeros.
#
# **Form:** a function that returns an array `(B, d_model)`. `output` is an array `(B, T,
# d_model)`, `lengths` a list of `B` ints from 0 to `T`.


# %% id="batching-2-stub"
def batching_2(output, lengths):
    """The mean over the real tokens of each item: an array (B, d_model).

    output (B, T, d_model); lengths: a list of B ints from 0 to T.
    """
    raise NotImplementedError("batching_2 is not started")


# %% id="batching-2-check"
check("batching-2")

# %% [markdown] id="batching-3"
# ## batching-3 · Who reads whom (1 point)
#
# *Relative: [lesson 6, "A test that a leak can't pass"](06_batch_axis.ipynb).*
#
# `layer` is a function from `(B, T, d_model)` to the same shape. You can call it but not look
# inside. In a right layer each item moves its own output and no other. Find out what this one
# does.
#
# Measure it for every pair: `moves[a, b]` is True when changing item `a` of the batch changes
# the output of item `b`. The diagonal is measured like the rest: there are layers in which an
# item does not even move its own output. A leak may go one way only, and it may be small;
# rounding is no leak.
#
# **Form:** a function that returns the bool array `moves`, `(B, B)`. `X` is an array `(B, T,
# d_model)` to start from; work on copies of it.


# %% id="batching-3-stub"
def batching_3(layer, X):
    """Whether changing item a moves the output of item b: bool (B, B), rows for a, columns for b.

    layer: a function from (B, T, d_model) to (B, T, d_model). X (B, T, d_model) with B >= 2.
    """
    raise NotImplementedError("batching_3 is not started")


# %% id="batching-3-check"
check("batching-3")

# %% [markdown] id="interpretation-1"
# ## interpretation-1 · The largest weight (1 point)
#
# *Relative: [lesson 7, "Weights are observations"](07_costs.ipynb).*
#
# At one position a layer has the attention weights `0.5, 0.3, 0.15, 0.05` for four tokens. It is
# tempting to call token 0 the most important one, and token 3 the least. But the values and
# `W_O` are known, too; they stand in the next cell.
#
# For each token `k`, set its value vector `V[k]` to zero, keep everything else as it is, the
# weights included, and measure how far the **output** at this position moves (L2 norm of the
# difference). Put the tokens in order, the one with the largest effect first.
#
# **Form:** a list of four ints, the tokens 0 to 3 in order of their effects.

# %% id="interpretation-1-data"
one_position = {
    "weights": np.array([0.5, 0.3, 0.15, 0.05]),
    "V": np.array([[1, 0], [0, 1], [6, 0], [0, 4]]),
    "W_O": np.array([[0, 1, 0], [4, 0, 3]]),
}

# %% id="interpretation-1-stub"
interpretation_1 = [..., ..., ..., ...]

# %% id="interpretation-1-check"
check("interpretation-1")

# %% [markdown] id="interpretation-2"
# ## interpretation-2 · The most read token (1 point)
#
# *Relative: [lesson 7, "What an attention map can and can't support"](07_costs.ipynb).*
#
# The next cell holds the attention map of a causal layer. Its column sums, what each token
# receives from all queries together, are `2, 1.1, 1.4, 0.3, 0.2`: token 0 receives most. Does
# the layer prefer token 0?
#
# Token 0 is seen by every query, and the first queries have hardly anything else to read. A
# layer without any preference gives much to token 0 as well: there, query `i` gives `1 / (i +
# 1)` to each of the `i + 1` keys that it sees. Compare with that. For each key, divide what it
# receives in the map by what it would receive in a layer without preference. In this map the
# ratio of token 0 is below 1, and another token stands out.
#
# **Form:** a function from causal weights `(T, T)` to the ratios, an array `(T,)`.

# %% id="interpretation-2-data"
attention_map = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.4, 0.6, 0.0, 0.0, 0.0],
        [0.25, 0.25, 0.5, 0.0, 0.0],
        [0.2, 0.1, 0.5, 0.2, 0.0],
        [0.15, 0.15, 0.4, 0.1, 0.2],
    ]
)


# %% id="interpretation-2-stub"
def interpretation_2(weights):
    """What each key receives, divided by what it would receive if all queries read evenly.

    weights (T, T): causal, rows sum to 1. Returns an array (T,).
    """
    raise NotImplementedError("interpretation_2 is not started")


# %% id="interpretation-2-check"
check("interpretation-2")

# %% [markdown] id="interpretation-3"
# ## interpretation-3 · Other weights, the same context (1 point)
#
# *Relative: [lesson 2, "The first choice: the source"](02_sources.ipynb) and [lesson 7, "Weights
# are observations"](07_costs.ipynb).*
#
# "The model attended to token 2, and that is why it wrote what it wrote." If the reason lies in
# the weights, other weights should give something else. Do they have to?
#
# Given the weights of one position and the values, find **other** weights with the same context:
#
# - none is negative, and they sum to 1, to within 1e-9;
# - at least one differs from the given weight by 0.05 or more;
# - `weights @ V` stays what it was, to within 1e-9 in every entry.
#
# `T` is always larger than `d_v + 1`, and every given weight is at least 0.08, so there is room.
# Think of a direction in which one may move the weights without moving the context or the sum:
# how many equations must it obey, and how many unknowns has it? `np.linalg.svd` can find one.
# Then ask how far one may go.
#
# **Form:** a function that returns the other weights, an array `(T,)`. `weights` is an array
# `(T,)`, `V` an array `(T, d_v)`; both are float64. Any weights that keep the three conditions
# are right.


# %% id="interpretation-3-stub"
def interpretation_3(weights, V):
    """Other attention weights with the same context.

    weights (T,), each at least 0.08, with sum 1; V (T, d_v) with T > d_v + 1.
    Returns an array (T,): not negative, with sum 1, one entry different by 0.05 or more.
    """
    raise NotImplementedError("interpretation_3 is not started")


# %% id="interpretation-3-check"
check("interpretation-3")

# %% [markdown] id="next"
# ## What you have now
#
# Twenty-four problems, and the tools to make more: take a layer, change one thing, say what will
# happen, and look.

# %% id="progress"
progress()
