# %% [markdown] id="why"
# # 6 · Add the Batch Axis Without Mixing Sequences
#
# **The question.** How does the layer work on several sequences at once, so that each gets
# exactly the result that it would get alone?
#
# Stack `B` sequences into one array `X` of shape `(B, T, d_model)`. The matrix product `@`
# works on the last two axes and repeats itself over the first, so the equations hardly change.
# One thing does: `K.T` reverses *all* axes of an array, and with three of them that is no
# longer the transpose that is meant. Only the last two may be exchanged.
#
# Sequences have different lengths, but an array is a box. Short ones are filled up with
# **padding**, and a mask keeps everybody from reading it.
#
# **Why it matters.** A batch is a convenience of the machine; it must not show in any result.
# Yet a reshape in the wrong place, a softmax over the wrong axis or a mask that broadcasts in a
# way nobody meant lets one sequence leak into another. All shapes stay right, and nothing
# complains.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with `B`, `T` and the widths all different or all equal; batches of one and of
# several, each item with a mask of its own; masks that are neither causal nor symmetric;
# queries that see nothing; large scores of ±10,000; float32, float64 and integer arrays
# (float32 and float64 are kept, integers give float64); and your inputs, looked at again
# afterwards. Inputs stay untouched, and a result shares no writable memory with an input or an
# earlier result. A read-only view of a mask is fine.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Each stage is judged given your own earlier
# stages.
#
# Where a part *raises*, it raises `ValueError`, and the message holds the sizes, or the length,
# that are refused and what was expected.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | axes |
# | --- | --- | --- |
# | `X` | `(B, T, d_model)` | item, token, feature |
# | `W_Q`, `W_K` | `(d_model, d_k)` | shared by all items |
# | `W_V`, `W_O` | `(d_model, d_v)`, `(d_v, d_model)` | shared by all items |
# | `Q`, `K` | `(B, T, d_k)` | item, token, feature |
# | `V` | `(B, T, d_v)` | item, token, feature |
# | `scores`, `weights` | `(B, T, T)` | item, query, key |
# | `visible` | `(B, T, T)`, bool | item, query, key; **True: may read** |
# | `context` | `(B, T, d_v)` | item, query, feature |
# | `output` | `(B, T, d_model)` | item, query, feature |
#
# There is no axis that pairs one item with another, and there must not be one.

# %% [markdown] id="padding_visible"
# ## Part 1 · `padding_visible` (2 points)
#
# `lengths` says how many tokens of each sequence are real; the rest of the `T` places is
# padding. Item `b` may read its first `lengths[b]` keys and no others.
#
# The result is `(B, 1, T)`: one row a sequence, with an axis of length 1 where the queries go.
# It hides **columns**, that is, keys. Padded *queries* are left alone: they get some result,
# which nobody uses. Hiding their rows instead would leave the padding readable for everyone
# else.
#
# With `T = 3`, a length of 2 gives `[[True, True, False]]`. A length of 0 is allowed and hides
# everything, a length of `T` hides nothing.
#
# **Raises** `ValueError` on a length over `T` or below 0, with that length in the message.
# `lengths` may be a list or an array of ints.


# %% id="padding_visible-stub"
def padding_visible(lengths, T):
    """Which keys are real tokens: a bool array (B, 1, T), True for the first lengths[b] of item b.

    lengths: B ints, in a list or an array; T is a positive int.
    Raises ValueError on a length over T or below 0, naming it.
    """
    raise NotImplementedError("padding_visible is not started")


# %% id="padding_visible-check"
check("padding_visible")

# %% [markdown] id="broadcast_visible"
# ## Part 2 · `broadcast_visible` (2 points)
#
# Masks come in several shapes. Bring them to one, `(B, T_q, T_k)`, by a rule that leaves no
# room for guessing:
#
# | given | means |
# | --- | --- |
# | None | everything is visible |
# | rank 2, `(T_q, T_k)` | one mask, shared by the whole batch |
# | rank 3, `(B or 1, T_q or 1, T_k)` | an axis of length 1 stands for "the same for all" |
#
# Anything else **raises** `ValueError`. numpy alone would accept more. A mask `(B, T_k)` with
# one row an *item* would pass as `(T_q, T_k)` whenever `B == T_q`, and a mask `(1, T_k)` would
# be spread over the queries. Rank 2 always means `(T_q, T_k)`, exactly. And the key axis is
# never spread: a last axis of length 1 is right only when `T_k` is 1.
#
# The result has the full shape. It may be a read-only view, but never a writable view of the
# mask that was given.


# %% id="broadcast_visible-stub"
def broadcast_visible(visible, B, T_q, T_k):
    """A mask at its full shape: a bool array (B, T_q, T_k).

    visible: None (all visible), bool (T_q, T_k), or bool (B or 1, T_q or 1, T_k).
    Raises ValueError for any other shape, with the sizes.
    """
    raise NotImplementedError("broadcast_visible is not started")


# %% id="broadcast_visible-check"
check("broadcast_visible")

# %% [markdown] id="batched_self_attention"
# ## Part 3 · `batched_self_attention` (4 points)
#
# The whole layer on a batch. Return a trace: a `dict` with exactly the keys `"Q"`, `"K"`,
# `"V"`, `"scores"`, `"visible"`, `"weights"`, `"context"`, `"output"`, in this order.
#
# - `visible` is given in one of the shapes of part 2, or None. There is **no causal mask** here
#   unless it is passed in: what may be seen is the caller's choice. The trace holds it at
#   `(B, T, T)`.
# - `"scores"` are scaled, finite and not masked.
# - A hidden key has a weight of exactly 0. A query that sees no key has a row of zeros in
#   `weights` and in `context`, never NaN.
# - Each row's softmax is its own: over keys, and neither over queries nor over items.
#
# A good test of your own: run each item alone as a batch of one, and compare.


# %% id="batched_self_attention-stub"
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    """Single-head self-attention of a batch of sequences, stage by stage.

    X (B, T, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), W_O (d_v, d_model);
    visible: None, bool (T, T), or bool (B or 1, T or 1, T).
    Returns a dict with the keys "Q", "K" (B, T, d_k), "V" (B, T, d_v), "scores" (B, T, T),
    "visible" (B, T, T) bool, "weights" (B, T, T), "context" (B, T, d_v) and
    "output" (B, T, d_model), in this order.
    """
    raise NotImplementedError("batched_self_attention is not started")


# %% id="batched_self_attention-check"
check("batched_self_attention")

# %% [markdown] id="items_interact"
# ## Part 4 · `items_interact` (2 points)
#
# Write the test that catches a leak. `layer` is any function from `(B, T, d_model)` to the same
# shape; you can't look inside, only call it. `X` is a batch for it, with `B` of at least 2.
#
# Return True when changing one item of the batch changes another item's output, else False.
# Changing an item may of course change *its own* output. That is no leak.
#
# Some things to think about: a leak may go in one direction only, or between some items and not
# others. Rounding alone is no leak, and a change too small to rise above it proves nothing.
# Work on copies: `X` belongs to the caller.


# %% id="items_interact-stub"
def items_interact(layer, X):
    """Whether changing one item of a batch changes another item's output.

    layer: a function from (B, T, d_model) to (B, T, d_model). X (B, T, d_model) with B >= 2.
    Returns True or False.
    """
    raise NotImplementedError("items_interact is not started")


# %% id="items_interact-check"
check("items_interact")

# %% [markdown] id="next"
# ## What you have now
#
# The layer in the form in which it is used, and a test that its items stay strangers. The next
# lesson asks what this layer is good for, what it costs, and what its weights do and do not
# tell.
