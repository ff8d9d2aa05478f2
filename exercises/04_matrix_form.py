# %% [markdown] id="why"
# # 4 · Self-Attention in Matrix Form
#
# **The question.** How do all readings of a sequence become a handful of matrix operations,
# with no loop over tokens?
#
# Stack the queries as the rows of `Q` and the keys as the rows of `K`. Then `Q @ K.T` holds
# every comparison at once: row `i`, column `j` is query `i` with key `j`. A softmax over each
# row makes weights, and `weights @ V` computes all readings together.
#
# ```
# Q = X @ W_Q        K = X @ W_K        V = X @ W_V
# scores  = Q @ K.T / sqrt(d_k)
# weights = softmax of the visible scores, row by row
# context = weights @ V
# ```
#
# ![](figure:matrix-form)
#
# **Why it matters.** The matrix form is short, and each line has a way to go wrong that still
# gives a matrix of the right shape: the other axis normalised, a mask turned over, a scale of
# the wrong width. So every axis gets a name here, and every step is kept where one can look at
# it.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with `T`, `d_model`, `d_k` and `d_v` all different or all equal; a single token; large
# scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are kept, integers
# give float64); slices with nothing visible; and your inputs, looked at again afterwards.
# Inputs stay untouched, and a result shares no writable memory with an input or an earlier
# result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Each stage is judged given your own earlier
# stages. Only `TRACE`, which may be worked by hand, has a fixed allowance: an error below 0.001
# is right.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | axes |
# | --- | --- | --- |
# | `X` | `(T, d_model)` | token, feature |
# | `W_Q`, `W_K` | `(d_model, d_k)` | |
# | `W_V` | `(d_model, d_v)` | |
# | `Q`, `K` | `(T, d_k)` | token, feature |
# | `V` | `(T, d_v)` | token, feature |
# | `scores` | `(T, T)` | **query, key** |
# | `visible` | `(T, T)`, bool | query, key; True: may read |
# | `weights` | `(T, T)` | query, key |
# | `context` | `(T, d_v)` | query, feature |
#
# Wherever there are two token axes, queries come first and keys last. Softmax always runs over
# keys, the last axis, since each *query* has one unit of weight to give away.

# %% [markdown] id="causal_mask"
# ## Part 1 · `causal_mask` (1 point)
#
# A boolean matrix `(T, T)` for a causal layer: True on the diagonal and below it, False above.
# Row `i` says what query `i` may read: its own position and everything before.
#
# The diagonal belongs to it. A token may always read itself, so no row of a causal mask is
# empty.


# %% id="causal_mask-stub"
def causal_mask(T):
    """What may be read in a causal layer: a bool array (T, T), True on and below the diagonal.

    T is a positive int.
    """
    raise NotImplementedError("causal_mask is not started")


# %% id="causal_mask-check"
check("causal_mask")

# %% [markdown] id="stable_softmax"
# ## Part 2 · `stable_softmax` (3 points)
#
# Softmax along one axis of an array of any rank:
#
# ```
# softmax(s)[j] = exp(s[j]) / (exp(s[0]) + exp(s[1]) + …)
# ```
#
# For `s = [0, 1, -0.5]` the exponentials are about `1, 2.718, 0.607`, their sum is `4.325`, and
# the weights are `0.231, 0.629, 0.140`.
#
# **Stable.** `exp(10000)` is infinite, and infinity divided by infinity is not a number. A
# constant added to all scores *of a slice* cancels, so you may shift each slice to a level at
# which nothing overflows. Each slice needs its own shift: one constant for the whole array lets
# a slice far below the others sink to 0 / 0.
#
# **`-inf` means removed.** The exponential of `-inf` is 0, so a score of `-inf` gets the weight
# 0. That makes it a handy way to take hidden keys out. Two cautions:
#
# - A slice of nothing but `-inf` has nothing to share out. Its result is **zeros**, not NaN.
#   Mind what `-inf - (-inf)` is.
# - Other infinities and NaN do not occur.
#
# `axis` may be any axis, counted from the front or, negative, from the back.


# %% id="stable_softmax-stub"
def stable_softmax(scores, axis=-1):
    """Softmax along `axis`; the result has the shape of `scores`.

    scores: an array of any rank, finite or -inf. An entry of -inf gives exactly 0, and a slice of
    nothing but -inf gives zeros. The slices along `axis` sum to 1 otherwise.
    """
    raise NotImplementedError("stable_softmax is not started")


# %% id="stable_softmax-check"
check("stable_softmax")

# %% [markdown] id="self_attention"
# ## Part 3 · `self_attention` (4 points)
#
# Put it together. Return a trace: a `dict` with exactly the keys `"Q"`, `"K"`, `"V"`,
# `"scores"`, `"visible"`, `"weights"`, `"context"`, in this order.
#
# - `"scores"` are scaled, finite and **not masked**. The mask acts on the way from scores to
#   weights.
# - `"visible"` is the mask that was used, `(T, T)`: causal, or True everywhere with
#   `causal=False`.
# - A hidden key has a weight of exactly 0, and the visible weights of a row sum to 1. Zeroing
#   weights *after* a softmax over all keys does not do that. Neither does a hidden score of 0,
#   because `exp(0)` is 1, and a large negative number instead of `-inf` is a promise that large
#   scores break.
#
# A quick look before you run the check: row 0 of a causal layer sees one token only, so row 0
# of `weights` is `[1, 0, 0, …]` and row 0 of `context` is row 0 of `V`.


# %% id="self_attention-stub"
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """Single-head self-attention of one sequence, stage by stage.

    X (T, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v).
    Returns a dict with the keys "Q", "K" (T, d_k), "V" (T, d_v), "scores" (T, T),
    "visible" (T, T) bool, "weights" (T, T) and "context" (T, d_v), in this order.
    """
    raise NotImplementedError("self_attention is not started")


# %% id="self_attention-check"
check("self_attention")

# %% [markdown] id="TRACE"
# ## Part 4 · `TRACE` (2 points)
#
# One example small enough to do by hand: four tokens, causal, `d_model = 3`, `d_k = 4`,
# `d_v = 2`. Its numbers are integers, so that `Q`, `K` and `V` are too:
#
# ```
# X   = [[ 1, 1, 1], [ 0, 1, 0], [ 1, 0, 0], [ 1, 0, 1]]
# W_Q = [[ 1, 1, 1, 1], [ 0, 1, 1, 1], [-1,-1, 0, 1]]
# W_K = [[-1, 0, 0, 0], [ 0, 1, 1, 0], [ 0, 1,-1,-1]]
# W_V = [[ 0,-1], [-1, 2], [ 1, 2]]
# ```
#
# **One row worked through.** Token 2 is `[1, 0, 0]`, so its query is the first row of `W_Q`,
# `[1, 1, 1, 1]`. The keys are `X @ W_K`: `[-1, 2, 0, -1]`, `[0, 1, 1, 0]`, `[-1, 0, 0, 0]` and
# `[-1, 1, -1, -1]`. With that query a comparison is just the sum of a key's entries:
# `0, 2, -1, -2`. The scale is `sqrt(4) = 2`, which gives row 2 of `scores`: `0, 1, -0.5, -1`.
# Token 2 may not read token 3, so the last score drops out, and the softmax of `0, 1, -0.5` is
# the one from part 2: `weights[2]` is `0.231, 0.629, 0.140, 0`.
#
# Now the rest, by hand or with your function: row 3 of `scores`, rows 1 and 3 of `weights`
# (four numbers each, with the zeros), and row 2 of `context` (two numbers). Rows are counted
# from 0. Give at least four decimals.

# %% id="four-tokens"
four_tokens = {
    "X": np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]]),
    "W_Q": np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]]),
    "W_K": np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]]),
    "W_V": np.array([[0, -1], [-1, 2], [1, 2]]),
}

# %% id="TRACE-stub"
TRACE = {
    "scores[3]": [..., ..., ..., ...],
    "weights[1]": [..., ..., ..., ...],
    "weights[3]": [..., ..., ..., ...],
    "context[2]": [..., ...],
}

# %% id="TRACE-check"
check("TRACE")

# %% [markdown] id="next"
# ## What you have now
#
# Self-attention of one sequence with everything in view. Its result has the width `d_v`,
# though, and the next layer expects `d_model`. That gap is closed in the next lesson.
