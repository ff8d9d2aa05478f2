# %% [markdown] id="why"
# # 6 · Add the Batch Axis Without Mixing Sequences
#
# **The question.** How does the layer work on several sequences at once, so that each gets
# exactly the result that it would get alone?
#
# **Why it matters.** A batch is a convenience of the machine; it must not show in any result.
# Yet a reshape in the wrong place, a softmax over the wrong axis or a mask that broadcasts in a
# way nobody meant lets one sequence leak into another. All shapes stay right, and nothing
# complains.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% [markdown] id="one-axis-more"
# ## One axis more
#
# Stack `B` sequences into one array `X` of shape `(B, T, d_model)`. Each sequence is called an
# **item**. Ours has two: item 0 is the four tokens, item 1 is a shorter sequence of three. An array
# is a box, so the shorter one is filled up to `T` places with **padding**, here a row of zeros.

# %% id="four-tokens"
X = np.array(
    [
        [[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]],
        [[0, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]],
    ]
)
W_Q = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
W_K = np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
W_V = np.array([[0, -1], [-1, 2], [1, 2]])
W_O = np.array([[1, 0, 0], [1, 1, 1]])

# %% [markdown] id="matmul"
# The product `@` works on the last two axes and repeats itself over the first. So `X @ W_Q` makes
# the queries of both items at once, `(2, 4, 4)`. The queries of item 0 are those of the lessons
# before: query 2 is `1, 1, 1, 1`.

# %% id="matmul-code"
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
print(Q.shape, "query 2 of item 0:", Q[0, 2])
assert (Q[0] == X[0] @ W_Q).all() and (Q[1] == X[1] @ W_Q).all()

# %% [markdown] id="transpose"
# **One thing changes.** `K.T` reverses *all* axes: `(2, 4, 4)` becomes `(4, 4, 2)`, and that is no
# longer the transpose that is meant. Only the last two may be exchanged, by `K.swapaxes(-1, -2)`.
# Then each item's queries meet that item's keys. Row 2 of item 0 is `0, 2, -1, -2`, as ever.

# %% id="transpose-code"
print("K.T:", K.T.shape, "swapped:", K.swapaxes(-1, -2).shape)
comparisons = Q @ K.swapaxes(-1, -2)
print(comparisons.shape, "row 2 of item 0:", comparisons[0, 2])

# %% [markdown] id="symbols"
# ### Shapes in this lesson
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
# | `lengths` | `(B,)`, int | item: how many of its tokens are real |
# | `context` | `(B, T, d_v)` | item, query, feature |
# | `output` | `(B, T, d_model)` | item, query, feature |
#
# There is no axis that pairs one item with another, and there must not be one. Where a text says
# `T_q` and `T_k`, as in lesson 2, it is to keep queries and keys apart; in self-attention both are
# `T`.

# %% [markdown] id="strangers"
# ## Items stay strangers
#
# What would a leak look like? Suppose somebody lays all tokens of the batch in one long row and
# compares every query with every key: `8 * 8` comparisons. Half of them are not ours to make. The
# two blocks on the diagonal are the items by themselves; the other two pair a token of one item
# with a token of the other.

# %% id="strangers-code"
flat_Q, flat_K = Q.reshape(8, 4), K.reshape(8, 4)
all_pairs = flat_Q @ flat_K.T
assert all_pairs.size == 8 * 8 == 2 * comparisons.size
assert (all_pairs[:4, :4] == comparisons[0]).all() and (all_pairs[4:, 4:] == comparisons[1]).all()
heat_map(all_pairs, "every query of the batch with every key of the batch")

# %% [markdown] id="which-axis"
# **Softmax, again.** With three axes there are three ways to sum. Over keys, the last axis, is
# right. Over queries is the mistake of lesson 4, and there is a trap: `axis=1` *was* right when
# there were two axes, and now it means queries. Say `axis=-1`. Over the batch is the worst: with a
# single item, each weight is divided by itself and becomes 1.

# %% id="which-axis-code"
scores = comparisons / 4**0.5
single = np.exp(scores[:1])
assert (single / single.sum(axis=0) == 1).all()

# %% [markdown] id="padding"
# ## Padding is not invisible by itself
#
# ![](figure:batch)
#
# A row of zeros makes a key of zeros. Its score with any query is 0, and the exponential of 0 is
# 1: it gets weight like any other key. In item 1, token 0 gives `0.232` to the padding, and the
# three true tokens share what is left. So item 1 would not get what it gets alone. Its padding
# has to be hidden.

# %% id="padding-code"
exponentials = np.exp(scores[1, 0])
print("with the padding:", (exponentials / exponentials.sum()).round(3))
print("alone:           ", (exponentials[:3] / exponentials[:3].sum()).round(3))

# %% [markdown] id="columns"
# **Hide keys, not queries.** Nobody may *read* padding, so its **column** is hidden, for every
# query. The padded *row* is left alone: the padding asks, too, gets some answer, and nobody uses
# it. Hiding the row instead leaves the column open, and everyone goes on reading the padding.
#
# So what has to be said about an item is one line: which keys are real. As a mask that is `(B, 1,
# T)`, with an axis of length 1 where the queries go: the same line for each of them.

# %% id="columns-code"
real = np.array([True, True, True, False])
heat_map(
    {
        "right: the key is hidden": np.stack([real] * 4),
        "wrong: the query is hidden": np.stack([real] * 4, axis=1),
    }
)

# %% [markdown] id="broadcasting"
# ## Masks that fit by accident
#
# Masks come in several shapes: one for all items, one line an item, one table an item. Broadcasting
# brings them to `(B, T, T)`, and will just as gladly bring the wrong ones.
#
# Take four sequences with the lengths 1, 2, 3 and 4, in a batch of `B = 4` and `T = 4`. "Which
# keys are real", one line an item, is a table `(4, 4)`. It is also, cell for cell, the causal
# mask! Read as one line an *item* it hides padding; read as one line a *query* it hides the
# future. numpy can't know which of the two was meant.
#
# The cure is a rule that leaves nothing to guess: **rank 2 always means query and key**, one table
# shared by the batch. Whatever differs between items has rank 3.

# %% id="broadcasting-code"
B = T = 4
one_line_an_item = np.arange(T) < np.array([1, 2, 3, 4]).reshape(4, 1)
causal = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
print(one_line_an_item.shape, "equal:", (one_line_an_item == causal).all())
heat_map(one_line_an_item, "a line an item, or a line a query?", rows="?", columns="key")

# %% [markdown] id="views"
# **A view saves the copy.** `np.broadcast_to` gives the full shape without writing the mask out:
# all the rows are the same memory. It may be read, not written. That is why the chapter allows a
# read-only view where the result is a mask.

# %% id="views-code"
view = np.broadcast_to(real, (2, 4, 4))
print(view.shape, "may be written:", view.flags.writeable)

# %% [markdown] id="probe"
# ## A test that a leak can't pass
#
# You can't see from outside whether a function mixes the items of a batch. You can find out: change
# one item, leave the others, and look whether the result of another moves.
#
# **The change has to be irregular.** Here is something that leaks: to each item it adds how the
# tokens of the *other* item differ from their mean. Add 1 to all of item 1, and its mean moves
# along; the differences stay what they were, and so does item 0. Change one token alone, and item
# 0 moves by `3`.


# %% id="probe-code"
def leaky(X):
    return X + (X - X.mean(axis=1, keepdims=True))[::-1]


for name, change in (("by 1 everywhere", 1), ("irregularly", np.array([[0], [0], [4], [0]]))):
    changed = X.copy()
    changed[1] += change
    print(f"item 1 changed {name}: item 0 moves by", np.abs(leaky(changed)[0] - leaky(X)[0]).max())

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# | what you see | what has happened |
# | --- | --- |
# | an error about shapes, or none when all sizes are equal | `K.T` reversed the batch axis as well |
# | all weights of a batch of one are 1 | softmax over the batch |
# | right for one sequence, wrong in a batch | `axis=1`, or `axis=0`, meant for two axes |
# | a short sequence gives other numbers alone than in the batch | its padding is read |
# | rows of zeros for padded queries, weight on padded keys | the mask hides rows, not columns |
# | every item behaves as if it had item 0's length | the mask of the first item was used for all |
# | a mask of 0 and 1 as ints hides nothing after `~` | `~` turns the int 1 into −2 and 0 into −1, and both count as True; only on bools is it "not" |
# | NaN for an item of length 0 | a row in which nothing is visible was divided by 0 |

# %% id="mistakes-code"
print(~np.array([1, 0]), (~np.array([1, 0])).astype(bool), ~np.array([True, False]))

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with `B`, `T` and the widths all different or all equal; batches of one and of several,
# each item with a mask of its own; masks that are neither causal nor symmetric; queries that see
# nothing; large scores of ±10,000; float32, float64 and integer arrays (float32 and float64 are
# kept, integers give float64: see [lesson 1, "Kinds of number"](01_one_reading.ipynb)); and your
# inputs, looked at again afterwards. Inputs stay untouched, and a result shares no writable memory
# with an input or an earlier result. A read-only view of a mask is fine.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Grading judges each stage given your own earlier
# stages; `check()` goes as far as the first cause.
#
# Where a part *raises*, it raises `ValueError`, and the message holds the sizes, or the length,
# that are refused and what was expected.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="padding_visible"
# ## Part 1 · `padding_visible` (2 points)
#
# `lengths` says how many tokens of each sequence are real; the rest of the `T` places is
# padding. Item `b` may read its first `lengths[b]` keys and no others.
#
# The result is `(B, 1, T)`: one row a sequence, with an axis of length 1 where the queries go. A
# length of 0 is allowed and hides everything, a length of `T` hides nothing.
#
# **Raises** `ValueError` on a length over `T` or below 0, with that length in the message.
# `lengths` may be a list or an array of ints.
#
# ```pycon
# >>> padding_visible([4, 3], 4)
# array([[[ True,  True,  True,  True]],
# <BLANKLINE>
#        [[ True,  True,  True, False]]])
# ```


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
# Bring a mask to its full shape, `(B, T_q, T_k)`, by the rule that leaves no room for guessing:
#
# | given | means |
# | --- | --- |
# | None | everything is visible |
# | rank 2, `(T_q, T_k)` | one mask, shared by the whole batch |
# | rank 3, `(B or 1, T_q or 1, T_k)` | an axis of length 1 stands for "the same for all" |
#
# Any other shape **raises** `ValueError`. numpy alone would accept more: a mask `(1, T_k)` would be
# spread over the queries. Rank 2 is `(T_q, T_k)`, exactly. And the key axis is never spread: a last
# axis of length 1 is right only when `T_k` is 1.
#
# The result may be a read-only view, but never a writable view of the mask that was given.
#
# ```pycon
# >>> broadcast_visible(np.array([[[True, False]]]), B=2, T_q=3, T_k=2).shape
# (2, 3, 2)
# ```


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
# Item 0 with the causal mask is the four-token trace; token 0 of it gives `[3, 3, 3]`, as in
# lesson 5. Token 0 of item 1 has the weights that it has alone; a cell above has printed them.
#
# ```pycon
# >>> batched_self_attention(X, W_Q, W_K, W_V, W_O, causal)["output"][0, 0]
# array([3., 3., 3.])
# >>> padded = np.array([[[True, True, True, True]], [[True, True, True, False]]])
# >>> batched_self_attention(X, W_Q, W_K, W_V, W_O, padded)["weights"][1, 0].round(3)
# array([0.111, 0.821, 0.067, 0.   ])
# ```


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

# %% [markdown] id="batched_self_attention-look"
# Your weights for both items, the padding hidden. Then the test that matters: item 1 alone, without
# its padding, against item 1 in the batch.

# %% id="batched_self_attention-shown"
padding_hidden = np.array([[[True] * 4], [[True, True, True, False]]])
show(
    lambda: heat_map(
        batched_self_attention(X, W_Q, W_K, W_V, W_O, padding_hidden)["weights"],
        "weights",
        visible=padding_hidden,
    )
)

# %% id="batched_self_attention-alone"
show(
    lambda: heat_map(
        {
            "alone": batched_self_attention(X[1:, :3], W_Q, W_K, W_V, W_O)["output"][0],
            "in the batch": batched_self_attention(X, W_Q, W_K, W_V, W_O, padding_hidden)["output"][
                1, :3
            ],
        },
        rows="token",
        columns="feature",
    )
)

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
# others. A change too small to rise above rounding proves nothing.
# Work on copies: `X` belongs to the caller.
#
# ```pycon
# >>> items_interact(leaky, X.astype(float)), items_interact(lambda X: 2 * X, X.astype(float))
# (True, False)
# ```


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
# The layer in the form in which it is used, and a test that its items stay strangers.
# [Lesson 7](07_costs.ipynb) asks what this layer is good for, what it costs, and what its weights
# do and do not tell.

# %% id="progress"
progress()
