# %% [markdown] id="why"
# # 1 · One Attention Reading Is Not Yet a Transformer Layer
#
# **The question.** You can compute one attention reading. What is still missing before it is a
# layer that can be stacked inside a Transformer?
#
# **Why it matters.** Most bugs in attention code are not in the arithmetic. They sit where shapes
# meet: a row taken for a column, a width that fits by luck, a step that everybody thought somebody
# else's code would do. Knowing exactly what the layer takes, gives and leaves alone is what makes
# the rest of this chapter checkable.
#
# **How to read.** Run the cells from the top as you go. What a text says in numbers, the cell next
# to it prints or asserts, so that nothing here has to be believed.
#
# **Four tools** come with the notebooks.
#
# - `check("part")` looks at your answer to a part. It says what is right, and of what is not, the
#   first cause.
# - `heat_map(table)` draws a table of numbers.
# - `show(lambda: ...)` shows what stands after the colon. That is made by your own code, so until
#   you have written it, there is only a line that says so.
# - `progress()` shows how far you are.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% [markdown] id="recap"
# ## Three vectors with three jobs
#
# Attention looks something up among the **tokens** of a sequence, words of a sentence for instance.
# There are `T` of them. They are counted from 0, as numpy does: token 2 is the third. Three kinds
# of vectors take part.
#
# - A **query** belongs to the token that asks. It says what is looked for.
# - Each token that may be read has a **key**. The query is compared with it, by a dot product, so
#   queries and keys have the same width, `d_k`.
# - Each of these tokens also has a **value**. It is what is read. Values are never compared with
#   anything, and their width, `d_v`, is their own affair.
#
# Where the three come from is the question of lesson 2. Here they are given. The numbers below
# belong to token 2 of a sequence of four tokens, which goes with us through the whole chapter.

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
query, keys, values = example["query"], example["keys"], example["values"]

# %% [markdown] id="symbols"
# ### Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `query` | `(d_k,)` | what the token that asks looks for |
# | `keys` | `(T, d_k)` | one row a token: what the query is compared with |
# | `values` | `(T, d_v)` | one row a token: what is read |
# | `visible` | `(T,)`, bool | the **mask**. True: this key may be read |
# | `weights` | `(T,)` | how much of each value goes into the reading |
# | `reading` | `(d_v,)` | the mixture of values |
#
# In the example `T` is 4, `d_k` is 4 and `d_v` is 2. That the first two are the same number is
# chance. It also is a trap: code that takes one for the other passes here and breaks elsewhere.

# %% id="sizes"
(T, d_k), d_v = keys.shape, values.shape[1]
print(T, d_k, d_v)

# %% [markdown] id="one-reading"
# ## One reading, in four steps
#
# ![](figure:one-reading)
#
# **Compare.** The dot product of the query with each key gives one number a token. It is large
# where the two point the same way, 0 where they have nothing in common, negative where they
# disagree. The query agrees best with the key of token 1.

# %% id="compare"
comparisons = keys @ query
print(comparisons)

# %% [markdown] id="scale"
# **Scale.** The scores are these comparisons divided by `sqrt(d_k)`, here by 2.

# %% id="scale-code"
scores = comparisons / d_k**0.5
print(scores)

# %% [markdown] id="softmax"
# **Softmax** makes weights of the scores: take the exponential of each, and divide by their sum.
# An exponential is positive, so no weight is negative; the division makes them sum to 1.
#
# Token 1 gets 0.579. Yet 0.421 of the weight goes to the others: softmax prefers, it does not
# choose.

# %% id="softmax-code"
exponentials = np.exp(scores)
print(exponentials.round(3), "sum", exponentials.sum().round(3))
weights = exponentials / exponentials.sum()
print(weights.round(3), "without token 1", (1 - weights[1]).round(3))

# %% [markdown] id="mix"
# **Mix.** The reading is the sum of the values, each times its weight: `0.213` of the first row,
# `0.579` of the second, and so on. Since the weights are not negative and sum to 1, the reading is
# a *mean* of the values. Each of its numbers lies between the smallest and the largest in its
# column.

# %% id="mix-code"
reading = weights @ values
print(weights.round(3), "mix the values to", reading.round(3))
assert (values.min(axis=0) <= reading).all() and (reading <= values.max(axis=0)).all()

# %% [markdown] id="three-questions"
# ## Three questions about the steps
#
# **Why divide by `sqrt(d_k)`?** A comparison is a sum of `d_k` products, and sums of more terms
# spread more widely. Take every key made of 1 and −1 that there is, and compare it with a query of
# ones: for `d_k = 4` there are 16 such keys, and their comparisons have a standard deviation of 2,
# which is `sqrt(4)`. For `d_k = 9` there are 512, and it is 3. After the division it is 1 for
# every width.
#
# Without the division, softmax would be sharp for no other reason than width. Take two keys, one
# whose comparison is a standard deviation above 0, and one as far below. For `d_k = 1` the first
# gets `0.881` of the weight, for `d_k = 9` it gets `0.998`.

# %% id="spread"
from itertools import product

for width in (1, 4, 9):
    every_key = np.array(list(product([1.0, -1.0], repeat=width)))
    spread = (every_key @ np.ones(width)).std()
    print(f"d_k = {width}: {len(every_key)} keys, spread {spread:g}, scaled {spread / width**0.5:g}")
    above, below = np.exp(spread), np.exp(-spread)
    print("  not scaled, the first of two keys gets", (above / (above + below)).round(3))
assert np.sqrt(4) == 2

# %% [markdown] id="constant"
# **What does softmax not notice?** A constant added to all scores. Each exponential is multiplied
# by the same factor, the sum as well, and the factor cancels. That is a freedom worth using:
# `exp(1000)` is too large for a float, while `exp(1000 - 1000)` is 1. So the scores may be moved
# to where nothing overflows, before any exponential is taken.

# %% id="constant-code"
moved = np.exp(scores + 100) / np.exp(scores + 100).sum()
assert np.abs(moved - weights).max() < 1e-12
with np.errstate(over="ignore"):
    print("exp(1000) =", np.exp(1000.0), "and exp(1000 - 1000) =", np.exp(1000.0 - 1000.0))

# %% [markdown] id="hidden"
# **What does it mean that a key is hidden?** That the reading is what it would be if that token
# were not there: its weight is *exactly* 0, and the others share the whole. Hide token 1, and the
# scores that are left are `0, -0.5, -1`. Their weights are `0.506, 0.307, 0.186`.

# %% id="hidden-code"
left = [0, 2, 3]
print(scores[left], (np.exp(scores[left]) / np.exp(scores[left]).sum()).round(3))

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# All of these run without an error. It pays to know them by sight.
#
# | what you see | what has happened |
# | --- | --- |
# | the weights sum to `0.421`, not to 1 | token 1 was hidden by crossing out its weight *after* softmax: nothing was shared out anew |
# | a hidden token has the weight `0.336` | its score was set to 0 instead of being taken out, and the exponential of 0 is 1, not 0 |
# | the largest weight is `0.831` | the comparisons were not divided by `sqrt(d_k)` |
# | `nan` | an exponential overflowed, or every key was hidden and 0 was divided by 0 |
#
# And one that often does stop: `values @ weights` multiplies the wrong way round. Here it raises,
# since 2 is not 4: the sizes that clash stand at the end of numpy's message. Where `d_v == T`, it gives a vector of the right shape and the wrong numbers.

# %% id="mistakes-code"
print("crossed out:", weights[left].sum().round(3))
zero_instead = np.exp([0, 0, -0.5, -1])
print("score 0:", (zero_instead / zero_instead.sum())[1].round(3))
print("not scaled:", (np.exp(comparisons) / np.exp(comparisons).sum()).max().round(3))
try:
    values @ weights
except ValueError as error:
    print("values @ weights:", error)
assert values.shape == (4, 2) and weights.shape == (4,)

# %% [markdown] id="to-a-layer"
# ## From one reading to a layer
#
# A layer has an interface. It takes a table `X` of shape `(T, d_model)`. Each row holds, in
# `d_model` numbers, what has been made of one token so far. It gives back a table of the same shape,
# so that the next layer can go on where it stopped. In our example `d_model` is 3, and the row of
# token 2 is `1, 0, 0`. Lesson 2 shows the other rows.
#
# ![](figure:layer)
#
# Three things separate a reading from that.
#
# - **Many queries.** Every token asks, so there are as many readings as tokens.
# - **Width.** A reading has the width of the values. Ours has 2 numbers; the row of token 2, which
#   asked, has 3. Something must bring the width back.
# - **Batch.** A layer works on several sequences at once, `B` of them, and none may see another.

# %% id="token-2"
token_2 = np.array([1, 0, 0])  # its row of X
print("the token has", token_2.size, "numbers, its reading", reading.size)

# %% [markdown] id="from-the-input"
# **A fully connected layer is something else.** It multiplies its input by one matrix, so the
# factors with which inputs are mixed are learned once and then stay. Here they are computed anew
# from each input. Turn the query round, and the same keys and values are mixed with other weights:
# `0.174, 0.064, 0.287, 0.474`.

# %% id="from-the-input-code"
turned = np.exp(keys @ -query / d_k**0.5)
print((turned / turned.sum()).round(3))

# %% [markdown] id="order"
# **Attention does not notice order.** Let the tokens change places, each with its key and its value. The
# same products are summed in another order, and the reading is what it was: a reading is
# **invariant** to the order of what it reads.
#
# A layer gives back one row for each query. When the rows of `X` change places, the rows of the
# output change places *along with them*, and otherwise stay what they were. That is called
# **equivariant**, and it is not the same as invariant: reverse the rows of `X`, and the output is
# reversed, not unchanged. In lesson 4 you will see it on a layer of your own. (A mask that depends
# on positions, like the causal one in lesson 2, ends this. So does an `X` that holds the positions.)

# %% id="order-code"
order = [3, 1, 0, 2]
reordered = np.exp(keys[order] @ query / d_k**0.5)
assert np.abs(reordered / reordered.sum() @ values[order] - reading).max() < 1e-12

# %% [markdown] id="boundary"
# ## Where the layer ends
#
# In this chapter a single-head self-attention layer is everything between its input `X` and its
# output, and nothing else. It makes queries, keys and values out of `X`, compares, hides what the
# mask says, normalises, mixes, and brings the mixture back to the width of `X`. Four of these steps
# are a product with a matrix of the layer's own, a **projection**: the query, key and value
# projections `W_Q`, `W_K` and `W_V`, and the output projection `W_O`. The lessons to come take them
# one by one.
#
# A Transformer has more parts than that. You will meet these names around attention:
#
# - a **token embedding** turns the number of a word into a vector;
# - a **positional encoding** puts into that vector where the token stands;
# - a **residual connection** adds to a layer's output what went into it;
# - **layer normalization** brings the numbers of each token back into a fixed range;
# - a **feed-forward network** works on each token by itself, with matrices of its own.
#
# For any of them there is a test. If the layer were handed `X` and its four matrices and nothing
# else, would *it* carry out this step? If not, it is the business of the code around the layer.

# %% [markdown] id="kinds"
# ## Kinds of number
#
# A layer gives back the kind of number that it was given: float32 for float32, float64 for float64.
# Integers give float64, since weights are fractions. That is the rule in all lessons, and numpy
# breaks it unless you mind three things.
#
# - `np.sqrt(d_k)` is numpy's own float64 and pulls a float32 array up. `d_k**0.5` is a Python float
#   and does not.
# - `np.zeros(T)` is float64 whatever your inputs were. Give it their `dtype`.
# - A product of two integer arrays is an integer array. `x * 1.0` makes float64 of integers and leaves
#   float32 alone.

# %% id="kinds-code"
small, whole = np.ones(4, dtype=np.float32), np.array([1, 2, 3, 4])
print("float32 / np.sqrt(4):", (small / np.sqrt(4)).dtype, " / 4**0.5:", (small / 4**0.5).dtype)
print("np.zeros:", np.zeros(4).dtype, " with a dtype:", np.zeros(4, dtype=small.dtype).dtype)
print("whole @ whole:", (whole @ whole).dtype, " whole * 1.0:", (whole * 1.0).dtype)
assert (small * 1.0).dtype == np.float32

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# Each part has a stub and, below it, a cell with `check(...)`. Replace the stub's body (or each
# `...`), run it, then run the check. A part that you have not begun counts as not started,
# nothing worse.
#
# The points of a part are shared evenly by its checks, most of which bear the name of what they
# look at. `behaviour` stands for the first two rules below.
#
# `check()` runs the **public checks**. Grading asks more of the same code: other shapes, with
# all sizes different or a single token; batches, in the lessons that have them; large scores of
# ±10,000; masks of every pattern, rows in which nothing is visible among them; and your inputs,
# looked at again afterwards. So a part can be right here and still miss what its text asks for.
# The rules are the same in every lesson:
#
# - **Kind of number.** float64 in gives float64 out, float32 in gives float32 out, integers in
#   give float64 out.
# - **Inputs stay untouched**, and a result shares no writable memory with an input or with an
#   earlier result: whoever writes into what you return changes nothing else.
# - **Tolerance.** Numbers are compared within a rounding bound that is derived from the sizes
#   and the dtype of each case, not to a fixed number of digits. Any right order of operations
#   passes; a formula that is only nearly right does not.

# %% [markdown] id="attention_reading"
# ## Part 1 · `attention_reading` (5 points)
#
# One query reads `T` tokens. Write the four steps as a function, for any sizes and any mask:
#
# ```
# scores  = keys @ query / sqrt(d_k)        (T,)    one comparison a key
#           keys that are not visible drop out
# weights = softmax of the visible scores   (T,)    not negative, sum 1
# reading = weights @ values                (d_v,)
# ```
#
# - `visible=None` means that all keys may be read.
# - A key that is not visible gets a weight of *exactly* 0 and plays no part in the sum.
# - When no key at all is visible there is nothing to read: `weights` and `reading` are zeros,
#   never NaN.
# - Scores may be as large as ±10,000, and the weights are finite all the same.
# - The kind of number is kept, as above.
#
# The example of this lesson, without a mask and with token 1 hidden:
#
# ```pycon
# >>> weights, reading = attention_reading(query, keys, values)
# >>> weights.round(3)
# array([0.213, 0.579, 0.129, 0.078])
# >>> reading.round(3)
# array([-0.501,  1.747])
# >>> visible = np.array([True, False, True, True])
# >>> attention_reading(query, keys, values, visible)[0].round(3)
# array([0.506, 0.   , 0.307, 0.186])
# ```


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

# %% [markdown] id="attention_reading-look"
# Your function at work: the same query under four masks. Who gains when a token is hidden? And what
# stands in the last row, where nothing is visible? `check` has not asked that.

# %% id="attention_reading-shown"
masks = np.array([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=bool)
show(
    lambda: heat_map(
        np.array([attention_reading(query, keys, values, mask)[0] for mask in masks]),
        "weights of one query under four masks",
        rows="mask",
        columns="token",
        visible=masks,
    )
)

# %% [markdown] id="layer_shapes"
# ## Part 2 · `layer_shapes` (2 points)
#
# Now the layer. It receives `batch` sequences of `tokens` tokens, each token a vector of width
# `d_model`, and returns as many vectors of the same width. Inside, every token of a sequence
# asks one query, and each query is compared with every key *of its own sequence*.
#
# Return a dict that gives the shapes, as tuples of int, under these names:
#
# - `"reading"`: what **one** query gets, as in part 1;
# - `"layer_input"` and `"layer_output"`: what the layer takes and returns;
# - `"scores"`: one number for each pair of a query and a key, for each sequence;
# - `"context"`: the readings of all queries of all sequences, before the width is restored.
#
# The batch axis comes first, then queries, then keys or **features**, as the numbers of one vector
# are called. The sizes may all be different, so write each name where it belongs rather than a number that happens to be equal.
#
# ```pycon
# >>> layer_shapes(batch=5, tokens=4, d_model=3, d_k=6, d_v=2)["layer_input"]
# (5, 4, 3)
# ```


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
# Put each component on its side of the layer's boundary: `"inside"` or `"outside"`. The test of
# the section above decides each of them.

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
# One reading, the interface that a layer needs, and a line around it.
# [Lesson 2](02_sources.ipynb) asks where the queries, keys and values come from, which is what the
# word *self* in self-attention is about.

# %% id="progress"
progress()
