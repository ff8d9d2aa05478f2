# %% [markdown] id="why"
# # 4 · Self-Attention in Matrix Form
#
# **The question.** How do all readings of a sequence become a handful of matrix operations,
# with no loop over tokens?
#
# **Why it matters.** The matrix form is short, and each line has a way to go wrong that still
# gives a matrix of the right shape: the other axis normalised, a mask turned over, a scale of
# the wrong width. So every axis gets a name here, and every step is kept where one can look at
# it.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% [markdown] id="matrix-form"
# ## The whole calculation
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
# The picture shows our four tokens, each matrix at its true shape. White cells are hidden.

# %% id="four-tokens"
four_tokens = {
    "X": np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]]),
    "W_Q": np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]]),
    "W_K": np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]]),
    "W_V": np.array([[0, -1], [-1, 2], [1, 2]]),
}
X, W_Q, W_K, W_V = four_tokens.values()
Q, K, V = X @ W_Q, X @ W_K, X @ W_V

# %% [markdown] id="symbols"
# ### Shapes in this lesson
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
# Wherever there are two token axes, queries come first and keys last.

# %% [markdown] id="comparisons"
# ## Scores: every query with every key
#
# Stack the queries as the rows of `Q` and the keys as the rows of `K`. Then `Q @ K.T` holds every
# comparison at once: row `i`, column `j` is the dot product of query `i` with key `j`. Row 2 is
# `0, 2, -1, -2`, the comparisons of lesson 1. Divided by `sqrt(4)`, which is 2, they are the scores
# `0, 1, -0.5, -1`. The width that counts is that of the *keys*, `d_k`; `d_model`, which is 3 here,
# has no part in it.
#
# The cell shows the scores of the first three queries. The last row is left to you, for part 4.

# %% id="comparisons-code"
comparisons = Q[:3] @ K.T
print(comparisons)
assert comparisons[2, 1] == Q[2] @ K[1] and np.sqrt(4) == 2
assert K.shape[1] == 4 and X.shape[1] == 3
heat_map(comparisons / 2, "scores of the first three queries")

# %% [markdown] id="masked"
# ## The mask: on the way from scores to weights
#
# A hidden score has to drop out of its row's softmax. The simplest way is to put `-inf` in its
# place, because the exponential of `-inf` is exactly 0. Token 2 may not read token 3, so its row
# becomes `0, 1, -0.5` and `-inf`. The exponentials are `1, 2.718, 0.607, 0`, their sum is 4.325,
# and the weights are `0.231, 0.629, 0.140, 0`.
#
# `np.where(mask, a, b)` makes a new array: `a` where the mask is True, `b` elsewhere. The scores
# themselves stay what they were.

# %% id="masked-code"
seen = np.array([True, True, True, False])
row = np.where(seen, comparisons[2] / 2, -np.inf)
print(row)
exponentials = np.exp(row)
print(exponentials.round(3), "sum", exponentials.sum().round(3))
print((exponentials / exponentials.sum()).round(3))

# %% [markdown] id="fills"
# **Why not some other number?** A hidden score of 0 is a score like any other. It gets the weight
# `0.188` here.
#
# A large negative number, say −10,000, is a promise that scores never come near it. When they do,
# it breaks: among the scores `-10000, -10001`, a hidden score of −10,000 gets a weight of `0.422`,
# as much as the best visible one. `-inf` promises nothing and keeps it.

# %% id="fills-code"
for scores_of_row in ([0, 1, -0.5, 0], [-10000, -10001, -10000]):
    moved = np.exp(np.array(scores_of_row) - max(scores_of_row))
    print(scores_of_row, "the hidden one, last, gets", (moved / moved.sum())[-1].round(3))

# %% [markdown] id="softmax-axis"
# ## Softmax: which axis, and how far to move
#
# **Over keys, the last axis.** Each *query* has one unit of weight to give away, so each *row* is
# divided by its own sum. In the table below the rows sum to 3 and 7, the columns to 6 and 4. A
# softmax over queries would divide by the latter. The result has the same shape, and looks as
# good.
#
# **Mind numpy's broadcasting.** `table.sum(axis=-1)` has the shape `(2,)`, and `table / that`
# lines it up with the *columns*: no row then sums to 1. `keepdims=True` keeps the shape `(2, 1)`,
# one number a row.

# %% id="softmax-axis-code"
table = np.array([[1.0, 2.0], [5.0, 2.0]])
print("rows sum to", table.sum(axis=-1), "columns to", table.sum(axis=0))
print("shapes", table.sum(axis=-1).shape, table.sum(axis=-1, keepdims=True).shape)
print("lined up with columns, rows sum to", (table / table.sum(axis=-1)).sum(axis=-1).round(3))

# %% [markdown] id="stable"
# **Stable.** `exp(10000)` is infinite, and infinity divided by infinity is not a number. A
# constant added to a row's scores cancels in its softmax, so a row may be moved until its largest
# score is 0. Then no exponential is above 1.
#
# Each row needs *its own* shift. Take two rows, `0, 1` and `-2000, -2001`. Moved by their own
# largest scores, the second has the exponentials `1, 0.368`. Moved by the largest of the whole
# table, both of its exponentials are 0, and 0 is divided by 0.

# %% id="stable-code"
rows = np.array([[0.0, 1.0], [-2000.0, -2001.0]])
print("by its own largest:  ", np.exp(rows[1] - rows[1].max()).round(3))
print("by the whole table's:", np.exp(rows[1] - rows.max()).round(3))
with np.errstate(invalid="ignore", over="ignore"):
    print("exp(10000) is", np.exp(10000.0), "and -inf - (-inf) is", -np.inf - (-np.inf))

# %% [markdown] id="empty-row"
# **A row with nothing visible** holds nothing but `-inf`. Its largest entry is `-inf`, too, and
# `-inf - (-inf)` is NaN. Such a row has nothing to share out; in this chapter its weights are
# zeros. No causal row is empty, since a token always sees itself, but other masks can make one.

# %% [markdown] id="context"
# ## Context: weights times values
#
# `weights @ V` computes all readings together. Row 0 of a causal layer sees token 0 alone: its
# weights are `1, 0, 0, 0`, and its context is value 0, `0, 3`. That is a good first look at any
# causal layer.
#
# Products can be bracketed as one likes. Mixing values, `weights @ (X @ W_V)`, is the same as
# mixing tokens first and projecting the mixture, `(weights @ X) @ W_V`.

# %% id="context-code"
first_row = np.array([1.0, 0.0, 0.0, 0.0])
print(first_row @ V)
some_row = np.array([0.5, 0.25, 0.125, 0.125])
assert (some_row @ (X @ W_V) == (some_row @ X) @ W_V).all()

# %% [markdown] id="also-right"
# ## Different, and right all the same
#
# Not everything that looks odd is a mistake. People have "mended" each of these:
#
# - dividing the *queries* by `sqrt(d_k)`, before anything is compared, instead of the scores;
# - adding the same constant to all scores of a row, hidden ones aside: softmax does not see it;
# - a mask of 0 and `-inf` that is *added* to the scores, instead of a table of True and False.

# %% id="also-right-code"
assert ((Q[:3] / 2) @ K.T == Q[:3] @ K.T / 2).all()
added = np.exp(row + 5) / np.exp(row + 5).sum()
assert np.abs(added - exponentials / exponentials.sum()).max() < 1e-12
assert (np.array([0, 1, -0.5, -1]) + np.array([0, 0, 0, -np.inf]) == row).all()

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# | what you see | what has happened |
# | --- | --- |
# | columns of `weights` sum to 1, rows do not | softmax over queries |
# | a weight of `1.667` | rows were divided by other rows' sums, which had lost their axis |
# | rows sum to 1, but weight falls on the future | the mask is missing, or a hidden score became a number |
# | row 2 sums to `0.922` | weights were crossed out *after* a softmax over all keys |
# | row 0 is empty, the last row sees all but itself | the diagonal was left out of the mask |
# | row 0 sees everything, the last row only itself | the mask was transposed |
# | NaN where scores are large, fine elsewhere | exponentials of unmoved scores, or one shift for the whole table |
# | NaN where a *hidden* score is by far the largest | masked after softmax and divided by what was left: right on paper, but all that was left had sunk to 0 |
# | row 2 of the comparisons is `-3, 4, 0, -2`, not `0, 2, -1, -2` | `Q @ K`, without the transpose; also what a reshape of `K` gives here, since `K` is square |

# %% id="mistakes-code"
print("sums without their axis:", (table / table.sum(axis=-1)).max().round(3))
crossed_out = np.exp([0, 1, -0.5, -1]) / np.exp([0, 1, -0.5, -1]).sum()
print("crossed out, the row sums to", crossed_out[:3].sum().round(3))
print("no transpose:", Q[2] @ K, "due:", Q[2] @ K.T)
assert (K.reshape(4, 4) == K).all()
hidden_is_largest = np.array([0, 1, -0.5, 2000])
print("left beside it:", np.exp(hidden_is_largest - 2000)[:3])
past = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
heat_map({"no diagonal": past & ~np.eye(4, dtype=bool), "transposed": past.T})

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with `T`, `d_model`, `d_k` and `d_v` all different or all equal; a single token; large
# scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are kept, integers
# give float64: see [lesson 1, "Kinds of number"](01_one_reading.ipynb)); rows with nothing
# visible; and your inputs, looked at again afterwards. Inputs stay untouched, and a result shares
# no writable memory with an input or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Only `TRACE`, which may be worked by hand, has a fixed
# allowance: an error below 0.001 is right.
#
# Grading judges each stage given your own earlier stages. `check()` goes as far as the first cause:
# what is behind it is "not reached".
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="causal_mask"
# ## Part 1 · `causal_mask` (1 point)
#
# A boolean matrix `(T, T)` for a causal layer: True on the diagonal and below it, False above.
# Row `i` says what query `i` may read: its own position and everything before.
#
# ```pycon
# >>> causal_mask(3)
# array([[ True, False, False],
#        [ True,  True, False],
#        [ True,  True,  True]])
# ```


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
# Softmax along one axis of an array of any rank, that is, with any number of axes. What lies along
# that axis is a **slice**: of a matrix and its last axis, a row.
#
# ```
# softmax(s)[j] = exp(s[j]) / (exp(s[0]) + exp(s[1]) + …)
# ```
#
# - **Stable**: scores of ±10,000 do no harm, since each slice is moved by itself.
# - An entry of `-inf` gives 0. A slice of nothing but `-inf` gives **zeros**, not NaN. Other
#   infinities and NaN do not occur.
# - `axis` may be any axis, counted from the front or, negative, from the back.
#
# ```pycon
# >>> stable_softmax(np.array([0, 1, -0.5, -np.inf])).round(3)
# array([0.231, 0.629, 0.14 , 0.   ])
# >>> stable_softmax(np.array([[0.0, 7.0], [0.0, 7.0]]), axis=0)
# array([[0.5, 0.5],
#        [0.5, 0.5]])
# ```


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
# - A hidden key has a weight of exactly 0, and the visible weights of a row sum to 1.
#
# ```pycon
# >>> trace = self_attention(X, W_Q, W_K, W_V)
# >>> trace["weights"][2].round(3)
# array([0.231, 0.629, 0.14 , 0.   ])
# >>> trace["context"][0]
# array([0., 3.])
# >>> self_attention(X, W_Q, W_K, W_V, causal=False)["weights"][2].round(3)
# array([0.213, 0.579, 0.129, 0.078])
# ```


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

# %% [markdown] id="self_attention-look"
# Your weights, with and without the causal mask. In which row do the two pictures agree?

# %% id="self_attention-shown"
show(
    lambda: heat_map(
        {
            "causal": self_attention(**four_tokens)["weights"],
            "all visible": self_attention(**four_tokens, causal=False)["weights"],
        }
    )
)

# %% [markdown] id="equivariant"
# Lesson 1 claimed that without a mask the layer does not notice order: reverse the rows of `X`, and
# the rows of the result are reversed, and otherwise what they were. Does your layer keep that? And
# does the claim survive the causal mask? True says that it holds.

# %% id="equivariant-shown"
show(
    lambda: {
        "causal" if causal else "all visible": bool(
            np.abs(
                self_attention(X[::-1], W_Q, W_K, W_V, causal=causal)["context"]
                - self_attention(X, W_Q, W_K, W_V, causal=causal)["context"][::-1]
            ).max()
            < 1e-12
        )
        for causal in (False, True)
    }
)

# %% [markdown] id="TRACE"
# ## Part 4 · `TRACE` (2 points)
#
# The example of this lesson is small enough to do by hand: four tokens, causal. Row 2 of `weights`
# was worked above.
#
# Now the rest, by hand or with your function: row 3 of `scores`, rows 1 and 3 of `weights`
# (four numbers each, with the zeros), and row 2 of `context` (two numbers). Rows are counted
# from 0. Give at least four decimals.

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
# though, and the next layer expects `d_model`. [Lesson 5](05_output_projection.ipynb) closes that
# gap.

# %% id="progress"
progress()
