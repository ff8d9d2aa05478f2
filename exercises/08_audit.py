# %% [markdown] id="why"
# # 8 · Audit a Single-Head Self-Attention Layer
#
# **The question.** How do you know that a layer is right, your own or somebody else's?
#
# Not from a falling loss, and not from one example. What helps is a short list of **invariants**:
# statements that hold for every input when the layer is right, checked in dependency order, so that
# the first one to fail points at the cause.
#
# **Why it matters.** This lesson is the chapter turned round. First you build the layer with
# everything that the lessons have brought together. Then you write the audit that could have
# caught each of the mistakes on the way.
#
# The four tokens come along a last time, with all four matrices.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% id="four-tokens"
four_tokens = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
four_token_matrices = {
    "W_Q": np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]]),
    "W_K": np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]]),
    "W_V": np.array([[0, -1], [-1, 2], [1, 2]]),
    "W_O": np.array([[1, 0, 0], [1, 1, 1]]),
}

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
# | `"output"` | `(T, d_model)` | `(B, T, d_model)` |
#
# `W_Q` and `W_K` are `(d_model, d_k)`, `W_V` is `(d_model, d_v)` and `W_O` is `(d_v, d_model)`.
# `d_model`, `d_k` and `d_v` are in general all different.

# %% [markdown] id="one-object"
# ## From functions to a layer
#
# A layer is made once, from its four matrices, and called as often as one likes. Two things are
# new in that.
#
# **One sequence or a batch.** The products do not mind a leading axis: `(4, 3) @ (3, 2)` gives
# `(4, 2)`, and `(5, 4, 3) @ (3, 2)` gives `(5, 4, 2)`. So one body of code can serve both ranks, as
# long as nothing in it counts axes from the front.

# %% id="one-object-code"
for shape in ((4, 3), (5, 4, 3)):
    print(shape, "@ (3, 2) =", (np.zeros(shape) @ four_token_matrices["W_V"]).shape)

# %% [markdown] id="fit"
# **A layer that can't work should not come into being.** Take keys that are 5 wide and queries that
# are 4 wide. Without a look at the shapes the layer is made all the same, and stops only when it is
# called, somewhere inside, with words about a product that its user has never seen.

# %% id="fit-code"
queries, keys = np.zeros((3, 4)), np.zeros((3, 5))
try:
    queries @ keys.T
except ValueError as error:
    print("ValueError:", error)

# %% [markdown] id="two-masks"
# **Two masks in one.** The causal mask and the padding of a batch hide for different reasons, and a
# key may be read only when *both* allow it. That is an **and**, cell by cell. For two items, the
# second one with 3 tokens and one place of padding, `(4, 4)` and `(2, 1, 4)` combine to
# `(2, 4, 4)`.

# %% id="two-masks-code"
causal = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
real = np.array([[[1, 1, 1, 1]], [[1, 1, 1, 0]]], dtype=bool)
print(causal.shape, real.shape, "combine to", (causal & real).shape)
print("tokens of the second item:", np.count_nonzero(real[1]))
heat_map(causal & real, "causal and real")

# %% [markdown] id="not-by-loss"
# ## Why a falling loss proves nothing
#
# The **loss** is the number that training makes small: how far a model's predictions are off.
# Training bends the matrices to whatever the formula is. Take a layer without the scale: with a
# `W_Q` half as large it computes, to the last digit, what the right layer computes at `d_k = 4`. It
# will learn, and the loss will fall. Only somebody who puts *given* matrices in, and knows what is
# due, sees the difference: the score of query 2 with key 1 is 2 and not 1.

# %% id="not-by-loss-code"
X, (W_Q, W_K, W_V, W_O) = four_tokens, four_token_matrices.values()
Q, K = X @ W_Q, X @ W_K
d_k = 4
assert W_Q.shape[1] == d_k
assert ((X @ (W_Q / 2)) @ K.T == Q @ K.T / d_k**0.5).all()
print("without the scale:", Q[2] @ K[1], "due:", Q[2] @ K[1] / d_k**0.5)

# %% [markdown] id="not-by-example"
# **And one example proves little.** Here are inputs that let a mistake pass.
#
# - *Symmetric scores.* With the scores `[[0, 2], [2, 0]]`, a softmax over queries gives what a
#   softmax over keys gives.
# - *Saturated rows.* With scores of 0 and 40 the largest weight is 1 to many digits. Without a
#   scale the scores would be 80, and the weight 1 just as well.
# - *Rows that sum to 1.* They do so, too, when a hidden score has been set to 0 and gets a weight.
# - *A single token*, whose weight is 1 whatever was computed; *a single item*, which has nobody to
#   mix with; *equal sizes*, in which a transposed matrix fits.

# %% id="not-by-example-code"
symmetric_scores = np.array([[0, 2], [2, 0]])
symmetric = np.exp(symmetric_scores)
over_keys = symmetric / symmetric.sum(axis=1).reshape(2, 1)
over_queries = symmetric / symmetric.sum(axis=0).reshape(1, 2)
print("symmetric:", over_keys.round(3).tolist(), over_queries.round(3).tolist())
for largest in (40, 80):
    print("saturated:", 0, largest, "gives", (1 / (1 + np.exp(-largest))).round(12))
filled = np.exp([0, 1, -0.5, 0])
print("filled with 0:", (filled / filled.sum()).round(3), "sum", (filled / filled.sum()).sum())

# %% [markdown] id="order"
# ## Five invariants, in order
#
# ![](figure:audit-order)
#
# Each step builds on the ones before. Nothing can be compared before the **shapes** are right. The
# softmax of the visible scores can't be judged before it is known what is visible: the **mask**.
# Then the numbers up to the weights (**numerical**), then what is made with the weights
# (**output**). Whole results are compared last, when each is known to be right: an item alone and
# in a **batch**.
#
# Some mistakes break several invariants at once. The first to fail is the one to look at.

# %% [markdown] id="own-steps"
# ## Judge each step on the steps before it
#
# Below is the trace of a layer with one mistake: somebody doubled the queries. So *everything*
# after them is off: queries, scores, weights. Three mistakes, or one?
#
# Ask of each stage whether it follows from **the trace's own** earlier stages. The queries do not
# follow from `X`: they are off by 3 somewhere. The scores do follow from the trace's own queries
# and keys, off by 0. One mistake, in `Q`.

# %% id="own-steps-code"
trace = {"Q": 2 * Q, "K": K, "scores": (2 * Q) @ K.T / 2}
print("Q against X @ W_Q:", np.abs(trace["Q"] - X @ W_Q).max())
print("scores against its own Q, K:", np.abs(trace["scores"] - trace["Q"] @ trace["K"].T / 2).max())
print("scores against the right ones:", np.abs(trace["scores"] - Q @ K.T / 2).max())

# %% [markdown] id="probe"
# **What is hidden must not matter.** There is a way to test a mask that needs no formula at all:
# change a hidden token, and look whether the output of a query that can't see it moves. It catches
# a leak of any kind, wherever it comes from. Only the token's own row tells nothing: even where it
# may not read itself, it asks, and you have changed its question.
#
# What may be seen is your own decision, since you pass the mask in: a trace's `"visible"` is a
# claim like every other.
#
# **Allow for rounding, and for not much more.** The same sum in another order differs in its last
# digits: `0.1 + 0.2 + 0.3` is not `0.3 + 0.2 + 0.1`, by about `1e-16`. An audit that asks for
# equality accuses right layers. One that allows `0.01` lets a mask of −10,000 pass.

# %% id="rounding"
assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
print("differ by", f"{abs((0.1 + 0.2 + 0.3) - (0.3 + 0.2 + 0.1)):.0e}")
allowed = 0.01
leak = np.exp(np.array([-9990.0, -10000.0]) + 9990)  # a visible score, and a hidden one so filled
assert 0 < leak[1] / leak.sum() < allowed

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# In layers you know them by now. These are mistakes of *audits*:
#
# | what you see | what has happened |
# | --- | --- |
# | a right layer is accused | numbers were compared for equality; or by a formula that takes `d_k` for `d_model` |
# | a right layer is accused when some query sees nothing | its weights are zeros and sum to 0, as they should |
# | every invariant after the first is reported | later stages were held against the right values, not against the trace's own |
# | a right layer is accused when a token may not read itself | a token was changed, and its own row was watched, too |
# | a layer that hides too much passes | weights were only looked at where they have to be 0; the trace's `visible` was not compared |
# | a layer that ignores its mask passes | `visible` was taken from the trace, or the mask that was passed hid nothing that the causal one does not |
# | a layer that always computes in float32 passes | the tolerance was a matter of taste |
# | a leak between items is missed | one item only, or the same mask and the same numbers in all |
# | a layer with NaN in its weights is reported as breaking the mask alone | `nan != 0` is True, and the audit stopped at the first finding |
# | the layer behaves differently afterwards | the audit wrote into its matrices |

# %% id="mistakes-code"
right = np.array([0.5, 0.25, 0.25, 0.0])
empty = np.zeros(4)
print("a row sums to", right.sum(), "and an empty one to", empty.sum())

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: single
# sequences and batches of one or several; all sizes different or all equal; a single token; masks
# of all shapes that lesson 6 admits, with and without `causal`; queries that see nothing; large
# scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are kept, integers
# give float64: see [lesson 1, "Kinds of number"](01_one_reading.ipynb)); and your inputs, looked
# at again afterwards. Inputs stay untouched, and a result shares no writable memory with an input
# or an earlier result. A layer may hold on to its matrices.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Your audit is run on hidden layers, right ones and
# broken ones.
#
# Where a part *raises*, it raises `ValueError` with the sizes that do not fit.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="SelfAttention"
# ## Part 1 · `SelfAttention` (5 points)
#
# The layer as a class. No call leaves a mark on the next.
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
# ```pycon
# >>> layer = SelfAttention(**four_token_matrices)
# >>> layer.num_parameters
# 36
# >>> layer(four_tokens)[0]
# array([3., 3., 3.])
# >>> layer.trace(four_tokens)["weights"][2].round(3)
# array([0.231, 0.629, 0.14 , 0.   ])
# >>> layer(four_tokens[None]).shape
# (1, 4, 3)
# ```


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

# %% [markdown] id="SelfAttention-look"
# The four tokens have come all the way, from `X` to an output of the same shape, through your
# layer.

# %% id="SelfAttention-shown"
show(
    lambda: heat_map(
        {
            name: SelfAttention(**four_token_matrices).trace(four_tokens)[name]
            for name in ("scores", "weights", "context", "output")
        },
        rows="token",
        columns="column",
    )
)

# %% [markdown] id="SelfAttention-boundary"
# And it ends where lesson 1 drew the line. Nothing of `X` is added back: with all values 0 the
# output is 0. Nothing is brought into a fixed range: twice `W_O` is twice the output. Nothing knows
# where a token stands: without a mask, reversed tokens give reversed rows. Does your layer agree?


# %% id="SelfAttention-boundary-shown"
def same(one, other):
    return bool(np.abs(one - other).max() < 1e-12)


show(
    lambda: {
        "no residual": not SelfAttention(**four_token_matrices | {"W_V": 0 * W_V})(X).any(),
        "no normalization": same(
            SelfAttention(**four_token_matrices | {"W_O": 2 * W_O})(X),
            2 * SelfAttention(**four_token_matrices)(X),
        ),
        "no positions": same(
            SelfAttention(**four_token_matrices)(X[::-1], causal=False)[::-1],
            SelfAttention(**four_token_matrices)(X, causal=False),
        ),
    }
)

# %% [markdown] id="audit"
# ## Part 2 · `audit` (5 points)
#
# Write the inspector. It gets a `layer` with the interface of part 1 (`num_parameters`, a call,
# `trace`) and its matrices as `layer.W_Q`, `layer.W_K`, `layer.W_V` and `layer.W_O`. It returns
# the names of **all** the invariants that the layer breaks, **in the order of this list**, and an
# empty list for a right one. A layer keeps the invariant
#
# - `"shape"` when every entry of the trace has its shape from the table above, and the rank of
#   the input is kept.
# - `"mask"` when the trace's `"visible"` is what `visible` and `causal` allow together, no more
#   and no less; no weight falls on a key that may not be read, and no output depends on one.
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
# keeps is not. The right ones compute in float64.
#
# **Choose inputs that can tell.** Sizes come from the matrices; tokens, batch and masks are yours.
# Several tokens and items, a mask of its own for each item, neither causal nor symmetric, with and
# without `causal`; a row that sees nothing; one sequence without a batch; scores so large that a
# careless softmax overflows. NaN is for `"numerical"` to find, whatever it spreads to. You may call
# a layer a few hundred times on small inputs.
#
# `check` feeds your audit one layer alone, whose every shape is wrong. Whether it finds the rest,
# and leaves a right layer in peace, you see below, on your own layer and on what you break in it.


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

# %% [markdown] id="audit-look"
# Your audit on your own layer, and on two that inherit from it and break a single thing: in one a
# call gives twice what the trace says, the other never hides the future. What should be found in
# each? Break others in the same way, one for each invariant.


# %% id="audit-shown"
class Doubled(SelfAttention):
    """A layer whose call does not give the output of its trace."""

    def __call__(self, X, visible=None, causal=True):
        return 2 * super().__call__(X, visible, causal)


class Foreseeing(SelfAttention):
    """A layer that never hides the future."""

    def trace(self, X, visible=None, causal=True):
        return super().trace(X, visible, causal=False)


show(
    lambda: {
        made.__name__: audit(made(**four_token_matrices))
        for made in (SelfAttention, Doubled, Foreseeing)
    }
)

# %% [markdown] id="next"
# ## What you have now
#
# A complete single-head self-attention layer, and the means to tell whether another one is
# complete. The [review](09_review.ipynb) goes once more through the chain, its distinctions and its
# costs; the [exercises](10_practice.ipynb) after it are there for practice.

# %% id="progress"
progress()
