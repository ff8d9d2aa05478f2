# %% [markdown] id="why"
# # 3 · Learned Projections Define Matching and Content
#
# **The question.** There are three matrices. What does each of them control?
#
# All of `Q`, `K` and `V` come from the same `X`. Whatever makes them different is in the
# learned matrices `W_Q`, `W_K` and `W_V`. Two of them serve *matching*, that is, who reads
# whom. One serves *content*, that is, what is read.
#
# The way to find out is an **ablation**: replace one matrix, keep everything else, and look at
# which steps of the calculation move. What stands earlier in the chain can't move. What stands
# later may.
#
# **Why it matters.** It is tempting to say more: that queries are questions, that keys are
# labels, that a large weight means "relevant". The equations say none of this. They say what
# depends on what, and that is a lot. Keeping the two apart is a habit worth having before
# anyone shows you a colourful attention map.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with `T`, `d_model`, `d_k` and `d_v` all different or all equal; a single token; large
# scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are kept, integers
# give float64); and your inputs, looked at again afterwards. Inputs stay untouched, and a
# result shares no writable memory with an input or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Each stage is judged given your own earlier
# stages, so one slip costs its own stage and not all that follow.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | made by |
# | --- | --- | --- |
# | `X` | `(T, d_model)` | given |
# | `W_Q`, `W_K` | `(d_model, d_k)` | given |
# | `W_V` | `(d_model, d_v)` | given |
# | `Q`, `K` | `(T, d_k)` | `X @ W_Q`, `X @ W_K` |
# | `V` | `(T, d_v)` | `X @ W_V` |
# | `scores` | `(T, T)` | `Q @ K.T / sqrt(d_k)`, before any mask |
# | `weights` | `(T, T)` | softmax of each row over its visible keys |
# | `context` | `(T, d_v)` | `weights @ V` |
#
# Row `i` of `scores` belongs to query `i`, column `j` to key `j`.

# %% [markdown] id="attend"
# ## Part 1 · `attend` (3 points)
#
# Compute all six stages and return them in a `dict`. The layer is **causal**: token `i` reads
# tokens `0` to `i`, itself among them.
#
# A *trace* like this is the chapter's main tool. It has exactly the keys listed, in the order
# in which they depend on one another. `"scores"` are the scaled scores before the mask: all of
# them finite, also those that the mask will hide.
#
# Three rules to keep:
#
# - a hidden key has a weight of exactly 0, and each row of `weights` sums to 1;
# - softmax stays finite for scores of ±10,000, in every row: rows may have very different
#   levels;
# - scale by the width of the *keys*.
#
# **An example.** For `X = [[1, 1, 1], [0, 1, 0]]` and a `W_Q` with the rows `[1, 1, 1, 1]`,
# `[0, 1, 1, 1]`, `[-1, -1, 0, 1]`, row 0 of `Q` adds all three rows of `W_Q`: `[0, 1, 2, 3]`.
# Row 1 picks the second row: `[0, 1, 1, 1]`.


# %% id="attend-stub"
def attend(X, W_Q, W_K, W_V):
    """Causal self-attention, stage by stage.

    X (T, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v).
    Returns a dict with the keys "Q", "K" (T, d_k), "V" (T, d_v), "scores", "weights" (T, T)
    and "context" (T, d_v), in this order.
    """
    raise NotImplementedError("attend is not started")


# %% id="attend-check"
check("attend")

# %% [markdown] id="ablate"
# ## Part 2 · `ablate` (2 points)
#
# Run the same calculation with one matrix replaced. `which` names it: `"W_Q"`, `"W_K"` or
# `"W_V"`. `replacement` takes its place; the other two stay. What comes back is a trace with
# the keys of `attend`.
#
# **Raises** `ValueError` for any other name, with that name in the message. A misspelt name
# that is silently ignored would give an ablation in which nothing changes, and a wrong
# conclusion.


# %% id="ablate-stub"
def ablate(X, W_Q, W_K, W_V, which, replacement):
    """The trace of `attend` with the projection named `which` replaced.

    X (T, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v); `which` is "W_Q", "W_K" or
    "W_V", and `replacement` is an array in its place.
    Returns a dict with the keys of `attend`.
    Raises ValueError for any other `which`, naming it.
    """
    raise NotImplementedError("ablate is not started")


# %% id="ablate-check"
check("ablate")

# %% [markdown] id="changed_stages"
# ## Part 3 · `changed_stages` (2 points)
#
# Which stages moved? Given two traces, list the names of those that differ in at least one
# entry by more than `atol`. The difference is absolute: `abs(before - after) > atol` somewhere.
#
# List them in dependency order: `Q`, `K`, `V`, `scores`, `weights`, `context`. The order is
# fixed by the calculation, not by the order in which a dict happens to hold its keys. Nothing
# changed gives an empty list.


# %% id="changed_stages-stub"
def changed_stages(before, after, atol=1e-9):
    """The stages in which two traces of `attend` differ somewhere by more than `atol`.

    before, after: dicts with the keys of `attend`. atol: the absolute difference still allowed.
    Returns a list of names in dependency order.
    """
    raise NotImplementedError("changed_stages is not started")


# %% id="changed_stages-check"
check("changed_stages")

# %% [markdown] id="ABLATIONS"
# ## Part 4 · `ABLATIONS` (2 points)
#
# Now predict. For each matrix, list the stages that *can* change when it is replaced by another
# one, in dependency order. A stage belongs in the list when some replacement, for some input,
# moves it.
#
# Follow the arrows rather than your expectations: which stages have this matrix among their
# ancestors? Then use parts 2 and 3 to see whether your prediction survives. One experiment in
# which a stage stays put proves little. A single one in which it moves is proof enough.
#
# Replace each `...` by a list of names.

# %% id="ABLATIONS-stub"
ABLATIONS = {
    "W_Q": ...,
    "W_K": ...,
    "W_V": ...,
}

# %% id="ABLATIONS-check"
check("ABLATIONS")

# %% [markdown] id="CLAIMS"
# ## Part 5 · `CLAIMS` (1 point)
#
# Sort eight claims about the layer of this lesson.
#
# - `"mathematical"`: it follows from the equations, for every `X` and all matrices that the
#   claim allows. Rounding is left aside.
# - `"interpretation"`: it speaks of meaning, purpose or what training has brought about. The
#   equations can't decide it; other evidence would have to.
#
# The claims:
#
# - `scale-order`: Dividing every score by `sqrt(d_k)` does not change which visible keys have
#   the largest weight in a row.
# - `keys-topic`: A token's key says what the token is about.
# - `context-range`: Each number in a token's context lies between the smallest and the largest
#   number in the same column of the values that the token sees.
# - `weight-relevance`: The token with the largest weight is the most relevant one for
#   understanding the sentence.
# - `shared-basis`: For any invertible matrix `A` of shape `(d_k, d_k)`, using `W_Q @ A` and
#   `W_K @ inv(A).T` in place of `W_Q` and `W_K` leaves all scores as they were.
# - `query-intent`: A token's query is the question that this token wants to have answered.
# - `zero-queries`: When `W_Q` holds only zeros, each token gives the same weight to every token
#   that it sees.
# - `verb-finder`: A layer whose largest weights often fall on verbs has learned to look for
#   verbs.
#
# Where you are in doubt about a claim, try to prove it, or try to break it with the functions
# above.

# %% id="CLAIMS-stub"
CLAIMS = {
    "scale-order": ...,
    "keys-topic": ...,
    "context-range": ...,
    "weight-relevance": ...,
    "shared-basis": ...,
    "query-intent": ...,
    "zero-queries": ...,
    "verb-finder": ...,
}

# %% id="CLAIMS-check"
check("CLAIMS")

# %% [markdown] id="next"
# ## What you have now
#
# A trace that shows every intermediate value, and a way to find out what depends on what. The
# next lesson writes the same calculation as a handful of matrix operations, with the mask and
# the softmax as functions of their own.
