# %% [markdown] id="why"
# # 8 · Audit a Single-Head Self-Attention Layer
#
# **The question.** How do you know that a layer is right, your own or somebody else's?
#
# Not from a falling loss, since a layer with a missing scale or a leaking mask still learns
# something. And not from one example, since a wrong softmax axis can give a fine result on a
# matrix that happens to be symmetric. What helps is a short list of **invariants**: statements
# that hold for every input when the layer is right, checked in dependency order, so that the
# first one to fail points at the cause.
#
# **Why it matters.** This lesson is the chapter turned round. First you build the layer with
# everything that the lessons have brought together. Then you write the audit that could have
# caught each of the mistakes on the way.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: single
# sequences and batches of one or several; all sizes different or all equal; a single token;
# masks of all shapes that lesson 6 admits, with and without `causal`; queries that see nothing;
# large scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are kept,
# integers give float64); and your inputs, looked at again afterwards. Inputs stay untouched,
# and a result shares no writable memory with an input or an earlier result. A layer may hold on
# to its matrices.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Your audit is run on hidden layers, right ones and
# broken ones.
#
# Where a part *raises*, it raises `ValueError` with the sizes that do not fit.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | entry of the trace | one sequence | a batch |
# | --- | --- | --- |
# | the input `X` | `(T, d_model)` | `(B, T, d_model)` |
# | `"Q"`, `"K"` | `(T, d_k)` | `(B, T, d_k)` |
# | `"V"` | `(T, d_v)` | `(B, T, d_v)` |
# | `"scores"`, `"weights"` | `(T, T)` | `(B, T, T)` |
# | `"visible"`, bool | `(T, T)` | `(B, T, T)` |
# | `"context"` | `(T, d_v)` | `(B, T, d_v)` |
# - `"output"`: `(T, d_model)` | `(B, T, d_model)`.
#
# `W_Q` and `W_K` are `(d_model, d_k)`, `W_V` is `(d_model, d_v)` and `W_O` is `(d_v, d_model)`.
# `d_model`, `d_k` and `d_v` are in general all different.

# %% [markdown] id="SelfAttention"
# ## Part 1 · `SelfAttention` (5 points)
#
# The layer as a class. It is made once, from its four matrices, and called as often as you
# like; no call leaves a mark on the next.
#
# - `SelfAttention(W_Q, W_K, W_V, W_O)` **raises** `ValueError` when the matrices do not fit
#   together: a layer that can't work should not come into being. Which widths have to agree?
#   Compare all of them, those that no product in the layer would ever compare, too. Keep the
#   matrices as the attributes `W_Q`, `W_K`, `W_V` and `W_O`; then the audit of part 2 can be
#   tried on your own layer.
# - `layer.num_parameters` is an int, read like an attribute and not called.
# - `layer.trace(X, visible=None, causal=True)` returns the trace: a `dict` with exactly the
#   keys `"Q"`, `"K"`, `"V"`, `"scores"`, `"visible"`, `"weights"`, `"context"`, `"output"`, in
#   this order.
# - `layer(X, visible=None, causal=True)` returns the output alone.
#
# **Rank.** `X` is `(T, d_model)` or `(B, T, d_model)`, and every result has the rank of `X`.
#
# **Mask.** `visible` and `causal` combine by *and*: a key is read when both allow it. So
# `causal=True` with a padding mask hides the future and the padding, and `causal=False` with
# `visible=None` hides nothing. The trace's `"visible"` is the combination, at the shape of the
# scores. For one sequence `visible` is `(T, T)`; for a batch it has one of the shapes of lesson
# 6: `(T, T)`, or `(B or 1, T or 1, T)`.
#
# **The rules so far** hold on: scores are scaled, finite and unmasked; a hidden key has a
# weight of exactly 0; a query that sees nothing has zeros in `weights`, `context` and so in
# `output`.
#
# For the four tokens below, with everything left at its default, row 0 of the output is
# `[3, 3, 3]`, as in lesson 5.

# %% id="four-tokens"
four_tokens = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
four_token_matrices = {
    "W_Q": np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]]),
    "W_K": np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]]),
    "W_V": np.array([[0, -1], [-1, 2], [1, 2]]),
    "W_O": np.array([[1, 0, 0], [1, 1, 1]]),
}


# %% id="SelfAttention-stub"
class SelfAttention:
    """A single-head self-attention layer.

    W_Q and W_K (d_model, d_k), W_V (d_model, d_v), W_O (d_v, d_model).
    """

    def __init__(self, W_Q, W_K, W_V, W_O):
        """Keep the matrices. Raises ValueError, with the sizes, when they do not fit together."""
        raise NotImplementedError("SelfAttention is not started")

    @property
    def num_parameters(self):
        """How many numbers the layer's four matrices hold: an int."""
        raise NotImplementedError("SelfAttention is not started")

    def trace(self, X, visible=None, causal=True):
        """Every stage of the layer for X (T, d_model) or (B, T, d_model).

        visible: None or a bool mask, combined with the causal one by "and".
        Returns a dict with the keys "Q", "K", "V", "scores", "visible", "weights", "context" and
        "output", in this order; each has the rank of X.
        """
        raise NotImplementedError("SelfAttention is not started")

    def __call__(self, X, visible=None, causal=True):
        """The output of the layer, with the shape of X."""
        raise NotImplementedError("SelfAttention is not started")


# %% id="SelfAttention-check"
check("SelfAttention")

# %% [markdown] id="audit"
# ## Part 2 · `audit` (5 points)
#
# Write the inspector. It gets a `layer` with the interface of part 1 (`num_parameters`, a call,
# `trace`) and its matrices as `layer.W_Q`, `layer.W_K`, `layer.W_V` and `layer.W_O`. It returns
# the names of the invariants that the layer breaks, **in the order of this list**, and an empty
# list for a right one. A layer keeps the invariant
#
# - `"shape"` when every entry of the trace has its shape from the table above, and the rank of
#   the input is kept.
# - `"mask"` when no weight falls on a key that may not be read, and no output depends on one.
# - `"numerical"` when `Q` is `X @ W_Q` and `K` is `X @ W_K`; the weights are the softmax of the
#   scaled visible scores: rows sum to 1 (0 where no key is visible), finite at scores of
#   ±10,000, with the scale `1 / sqrt(d_k)`.
# - `"output"` when `V` is `X @ W_V`, `context` is `weights @ V`, `output` is `context @ W_O`, a
#   call gives the trace's output, and the parameter count is right.
# - `"batching"` when an item's result is the same alone and in a batch.
#
# **How it is graded.** On hidden layers. Some are right, written in different styles, and any
# finding on those is a false alarm. Others are broken in one invariant on purpose, which has to
# be among your findings. Naming others that break with it is fine; naming one that the layer
# keeps is not. The right ones compute in float64, so allow for rounding and for not much more.
#
# **Judge each step on the steps before it.** When `Q` is wrong, the scores made from it are not
# to be blamed a second time: ask whether the scores follow from *the trace's own* `Q` and `K`,
# the context from its own weights, and so on. What may be seen is your own decision, since you
# pass the mask in: do not take the trace's word for `visible`.
#
# **Choose inputs that can tell.** Sizes come from the matrices; tokens, batch and masks are
# yours. Several tokens and items, a mask of its own for each item, neither causal nor
# symmetric, with and without `causal`; a row that sees nothing; one sequence without a batch;
# scores so large that a careless softmax overflows. A layer that answers with an exception
# breaks something, too. You may call a layer a few hundred times on small inputs.


# %% id="audit-stub"
def audit(layer):
    """The invariants that a layer breaks, in the order above; [] for a right one.

    layer: has num_parameters, trace(X, visible=None, causal=True), a call with the same arguments,
    and the matrices W_Q, W_K (d_model, d_k), W_V (d_model, d_v) and W_O (d_v, d_model).
    Returns a list out of "shape", "mask", "numerical", "output" and "batching".
    """
    raise NotImplementedError("audit is not started")


# %% id="audit-check"
check("audit")

# %% [markdown] id="next"
# ## What you have now
#
# A complete single-head self-attention layer, and the means to tell whether another one is
# complete. The review goes once more through the chain, its distinctions and its costs; the
# exercises after it are there for practice.
