# %% [markdown] id="why"
# # 3 · Learned Projections Define Matching and Content
#
# **The question.** There are three matrices. What does each of them control?
#
# All of `Q`, `K` and `V` come from the same `X`. Whatever makes them different is in the
# learned matrices `W_Q`, `W_K` and `W_V`. Two of them serve **matching**, that is, who reads
# whom. One serves **content**, that is, what is read.
#
# **Why it matters.** It is tempting to say more: that queries are questions, that keys are
# labels, that a large weight means "relevant". The equations say none of this. They say what
# depends on what, and that is a lot. Keeping the two apart is a habit worth having before
# anyone shows you a colourful attention map.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% [markdown] id="chain"
# ## What is computed from what
#
# ![](figure:chain)
#
# Each box but `X` is a **stage**, and each arrow says: this is needed for that. The six stages
# together, kept in a dict in the order in which they depend on one another, are a **trace**. It is
# the chapter's main tool.

# %% [markdown] id="symbols"
# ### Shapes in this lesson
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
#
# Our four tokens are here again, with the first three stages. As integers they can be followed by
# hand.

# %% id="four-tokens"
X = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
W_Q = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
W_K = np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
W_V = np.array([[0, -1], [-1, 2], [1, 2]])
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
heat_map({"Q": Q, "K": K, "V": V}, rows="token", columns="feature")

# %% [markdown] id="matching"
# ## Matching takes two matrices
#
# The score of query 2 with key 1 is their dot product divided by `sqrt(d_k)`: `2 / 2 = 1`. It
# depends on both matrices, and on them *only together*. Double every query and halve every key,
# and no score moves. Exchange two numbers in all queries and the same two in all keys, and no
# score moves either.
#
# So the numbers of a query mean nothing by themselves. What counts is how queries and keys lie to
# each other.

# %% id="together"
assert Q[2] @ K[1] == 2 and Q[2] @ K[1] / 4**0.5 == 2 / 2 == 1
assert ((2 * Q) @ (K / 2).T == Q @ K.T).all()
exchanged = [0, 2, 1, 3]  # features 1 and 2 change places
assert (Q[:, exchanged] @ K[:, exchanged].T == Q @ K.T).all()

# %% [markdown] id="two-matrices"
# **Could one matrix do for both?** With `W_K = W_Q` the keys would be the queries, and every
# comparison would be symmetric: token 1 would match token 2 just as well as token 2 matches
# token 1. Two matrices make matching a one-way affair. Here query 2 with key 1 gives 2, while
# query 1 with key 2 gives 0.

# %% id="two-matrices-code"
print("two matrices:", Q[2] @ K[1], "and", Q[1] @ K[2])
print("one matrix:  ", Q[2] @ Q[1], "and", Q[1] @ Q[2])
assert (Q @ Q.T == (Q @ Q.T).T).all()

# %% [markdown] id="content"
# **Content takes one.** The value of a token is not compared with anything. It is what arrives
# where the token is read. A token may be easy to find and have little to tell, or the other way
# round, because the key and the value of a token are made by different matrices.

# %% [markdown] id="ablation"
# ## Ablation: replace one thing, keep the rest, look
#
# To find out what a matrix does, replace it and look at which stages move. That is an
# **ablation**. Let us replace `W_K` in a causal layer, and look at row 2, the row of token 2. Its
# scores with the three tokens it sees are `0, 1, -0.5`, its weights `0.231, 0.629, 0.140`.
#
# Fill `W_K` with zeros. All keys become 0, so do all scores, and the softmax of equal scores is
# even: each of the three gets `0.333`. The row still sums to 1. Zero scores do not mean zero
# weights!
#
# Double `W_K` instead. The scores become `0, 2, -1`, and the weights `0.114, 0.844, 0.042`:
# farther apart, in the same order.

# %% id="ablation-code"
for name, factor in (("as it is", 1), ("zeros", 0), ("doubled", 2)):
    scores = Q[2] @ (X[:3] @ (factor * W_K)).T / 2
    exponentials = np.exp(scores)
    print(f"{name}: scores {scores + 0}, weights {(exponentials / exponentials.sum()).round(3)}")

# %% [markdown] id="moves"
# **Which stages can move?** Those that have the replaced thing among their ancestors, along the
# arrows of the picture. The mask, for example, enters between scores and weights. Take it away,
# and weights and context may move: row 2 of the weights becomes `0.213, 0.579, 0.129, 0.078`. `Q`,
# `K`, `V` and the scores can't move, since nothing in them was computed from a mask.
#
# **Can move, not must.** A single experiment in which a stage stays put proves little. The input
# may be to blame: for a sequence whose only token is `[0, 1, 0]`, the first row of `W_K` is
# multiplied by 0, and replacing it by anything changes nothing. And where a query sees only one
# key, its weight is 1, whatever the score. One experiment in which a stage *moves* is proof
# enough.

# %% id="moves-code"
unmasked = np.exp(Q[2] @ K.T / 2)
print("without the mask:", (unmasked / unmasked.sum()).round(3))
alone = np.array([[0, 1, 0]])
W_K_changed = W_K.copy()
W_K_changed[0] = [7, -7, 7, -7]
assert (alone @ W_K == alone @ W_K_changed).all()
for score in (-3.0, 0.0, 50.0):
    assert np.exp(score) / np.exp(score) == 1

# %% [markdown] id="roles"
# ## Roles and meanings
#
# "The query is compared with every key" is a **mathematical** statement. It follows from the
# equations, for every input. One can prove it, and no training can make it false.
#
# "The query is what the token wants to know" is an **interpretation**. It speaks of meaning,
# purpose, or what training has brought about. The numbers may fit it and may not; the equations
# can't tell. To support it takes other evidence: many inputs, experiments, comparisons.
#
# A way to tell them apart: could somebody decide it who has nothing but the equations, and knows
# neither the words nor the training? Try two.
#
# - *When all values are doubled, the context doubles.* The context is a sum of values times
#   weights, and the weights have not moved. Mathematical. The cell shows it for one row of
#   weights.
# - *This layer copies names.* Copies what kind of thing, and why? The equations do not know what a
#   name is. Interpretation.

# %% id="roles-code"
row = np.array([0.5, 0.25, 0.25, 0.0])
assert (row @ (2 * V) == 2 * (row @ V)).all()

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# | what you see | what has happened |
# | --- | --- |
# | row 2 of the scores begins with `0, 0`, not with `0, 1` | queries and keys were exchanged, `K @ Q.T`: the table is transposed, and the causal mask keeps the wrong half |
# | the score of query 2 with key 1 is `1.155` | the scale is `sqrt(d_model)`, and not `sqrt(d_k)` |
# | the score is 2 | no scale at all |
# | an ablation in which nothing changes | the name was misspelt and silently ignored; or the input could not show it |
# | stages in an odd order | they were listed as some dict happened to hold them, not in dependency order |

# %% id="mistakes-code"
exchanged_row = (K @ Q.T / 2)[2]
print("exchanged: row 2 begins", exchanged_row[:2] + 0, "due", (Q @ K.T / 2)[2, :2])
print("wrong scale:", (Q[2] @ K[1] / 3**0.5).round(3), "no scale:", Q[2] @ K[1])

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with `T`, `d_model`, `d_k` and `d_v` all different or all equal; a single token; large
# scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are kept, integers
# give float64: see [lesson 1, "Kinds of number"](01_one_reading.ipynb)); and your inputs, looked
# at again afterwards. Inputs stay untouched, and a result shares no writable memory with an input
# or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits.
#
# Grading judges each stage given your own earlier stages, so one slip costs its own stage and not
# all that follow. `check()` goes as far as the first cause: what is behind it is "not reached", which
# is neither right nor wrong.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="attend"
# ## Part 1 · `attend` (3 points)
#
# Compute all six stages and return them in a `dict`. The layer is **causal**: token `i` reads
# tokens `0` to `i`, itself among them.
#
# The trace has exactly the keys listed, in the order in which they depend on one another.
# `"scores"` are the scaled scores before the mask: all of them finite, also those that the mask
# will hide.
#
# Three rules to keep:
#
# - a hidden key has a weight of exactly 0, and each row of `weights` sums to 1;
# - softmax stays finite for scores of ±10,000. One row may lie at 10,000 and the next at −10,000, so
#   each is moved by itself, as in [lesson 1, "Three questions about the steps"](01_one_reading.ipynb);
# - scale by the width of the *keys*.
#
# A loop over the rows is fine here. Lesson 4 does without one, and shows how numpy divides each row
# by its own sum.
#
# ```pycon
# >>> trace = attend(X, W_Q, W_K, W_V)
# >>> list(trace)
# ['Q', 'K', 'V', 'scores', 'weights', 'context']
# >>> trace["scores"][2]
# array([ 0. ,  1. , -0.5, -1. ])
# >>> trace["weights"][2].round(3)
# array([0.231, 0.629, 0.14 , 0.   ])
# ```


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
# **Raises** `ValueError` for any other name, with that name in the message.
#
# The ablation of the text, now with the whole trace:
#
# ```pycon
# >>> ablate(X, W_Q, W_K, W_V, "W_K", np.zeros((3, 4)))["weights"][2].round(3)
# array([0.333, 0.333, 0.333, 0.   ])
# ```


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

# %% [markdown] id="ablate-look"
# Your ablation, for all four queries. Without keys to tell apart, every row is even. Which row is
# the same in both pictures, and why?

# %% id="ablate-shown"
show(
    lambda: heat_map(
        {
            "weights": attend(X, W_Q, W_K, W_V)["weights"],
            "weights, W_K zero": ablate(X, W_Q, W_K, W_V, "W_K", 0 * W_K)["weights"],
        }
    )
)

# %% [markdown] id="changed_stages"
# ## Part 3 · `changed_stages` (2 points)
#
# Which stages moved? Given two traces, list the names of those that differ in at least one
# entry by more than `atol`. The difference is absolute: `abs(before - after) > atol` somewhere.
#
# List them in dependency order: `Q`, `K`, `V`, `scores`, `weights`, `context`. That is the order
# of a trace's keys, too. Nothing changed gives an empty list.
#
# ```pycon
# >>> changed_stages(trace, trace)
# []
# >>> changed_stages(trace, trace | {"context": trace["context"] + 0.5, "Q": trace["Q"] - 1})
# ['Q', 'context']
# ```


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
# ancestors? Then use parts 2 and 3 to see whether your prediction survives.
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
# A trace that shows every intermediate value, and a way to find out what depends on what.
# [Lesson 4](04_matrix_form.ipynb) writes the same calculation as a handful of matrix operations,
# with the mask and the softmax as functions of their own.

# %% id="progress"
progress()
