# %% [markdown] id="why"
# # 2 · One Sequence Supplies Queries, Keys, and Values
#
# **The question.** What makes attention *self*-attention?
#
# Not the formula. The same comparison, softmax and mixture serve to read one's own sentence, to
# read a sentence in another language, or to look something up in a table. What differs is the
# **source**: which sequence the queries are made from, and which one the keys and values are
# made from.
#
# **Why it matters.** When a model reads the wrong source, nothing crashes as long as the widths
# agree: it trains, more or less, and is wrong. The same goes for a second choice, which is often
# taken for the first: which keys a query may see. The two have to be made, and tested, one by one.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% [markdown] id="made"
# ## Where the vectors come from
#
# In lesson 1 a query, some keys and some values fell from the sky. Here is what they were made of:
# four tokens, each a row of `X`, and three matrices, which a real model learns.

# %% id="four-tokens"
X = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
W_Q = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
W_K = np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
W_V = np.array([[0, -1], [-1, 2], [1, 2]])

# %% [markdown] id="projection"
# A row of `X` times a matrix is a sum of the matrix's rows, each taken as often as the row of `X`
# says. Token 2 is `[1, 0, 0]`, so its query is the first row of `W_Q`, `[1, 1, 1, 1]`. Token 0 is
# `[1, 1, 1]`: its query is the sum of all three rows, `[0, 1, 2, 3]`. Such a product is called a
# **projection** of the token, and so is the matrix that makes it.

# %% id="projection-code"
print("token 2:", X[2], "query", X[2] @ W_Q)
print("token 0:", X[0], "query", X[0] @ W_Q)

# %% [markdown] id="all-at-once"
# One product makes the queries of all tokens at once, one a row. The same with `W_K` makes the
# keys, and with `W_V` the values. They are the keys and values of lesson 1.

# %% id="all-at-once-code"
print("queries, one a row:", *(X @ W_Q), sep="\n")
print("keys:", *(X @ W_K), sep="\n")
print("values:", *(X @ W_V), sep="\n")

# %% [markdown] id="symbols"
# ### Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `X` | `(T_q, d_model)` | the sequence that asks |
# | `context` | `(T_k, d_context)` | the sequence that is read, where it is another one |
# | `W_Q` | `(d_model, d_k)` | makes queries |
# | `W_K` | `(d_model, d_k)` or `(d_context, d_k)` | makes keys from the sequence that is read |
# | `W_V` | `(d_model, d_v)` or `(d_context, d_v)` | makes values from the sequence that is read |
# | `Q` | `(T_q, d_k)` | queries, one row a token |
# | `K`, `V` | `(T_k, d_k)`, `(T_k, d_v)` | keys and values, one row a token |
#
# `T_q` counts the tokens that ask, `T_k` those that are read. Where a sequence reads itself, the two
# are one number, the `T` of lesson 1.
#
# The word `context` has two uses in this chapter. Here it is the sequence that cross-attention
# reads; in the lessons that follow it is the result `weights @ V`.

# %% [markdown] id="sources"
# ## The first choice: the source
#
# ![](figure:sources)
#
# - **Self-attention:** one sequence supplies all three. Its tokens read each other, and
#   themselves.
# - **Cross-attention:** one sequence asks; another one supplies what is asked, both keys and
#   values. In a translator, the sentence that is *being written* asks, and the sentence that is
#   *being translated* is read.
#
# Keys and values go together because they belong to the same tokens: a key says whether to read
# token 3, its value is what is then read. Keys of one sequence with values of another are a fair
# calculation when the lengths agree, but neither name fits it.

# %% [markdown] id="cross"
# **A second sequence.** Let our four tokens read two tokens of another sequence, whose rows are 2
# wide. It needs a key and a value matrix with 2 rows; the queries stay what they were. Queries
# and keys still meet in the width `d_k`, here 4. Each of the four queries now gets 2 scores, one a
# key: the table of scores is `(4, 2)` and no longer square.

# %% id="cross-code"
other = np.array([[2, 0], [1, -1]])
other_K = np.array([[0, 1, 0, -1], [1, 0, 1, 0]])
other_V = np.array([[1, 0], [0, 2]])
keys_of_other = other @ other_K
print("keys:", *keys_of_other, sep="\n")
cross_scores = X @ W_Q @ keys_of_other.T / 4**0.5
print(cross_scores.shape)
heat_map(cross_scores, "scores of four queries with the keys of another sequence")

# %% [markdown] id="constant-source"
# **A source with nothing to tell.** If all rows of the context were the same, all keys would be
# equal, and so would all values. Weights sum to 1, so every query would read just that one value,
# whatever its weights. Cross-attention to such a source gives the same row to all who ask.

# %% id="constant-source-code"
same = np.array([[3.0, -1.0]] * 3)
for weights in ([0.2, 0.5, 0.3], [0.9, 0.1, 0.0]):
    print(weights, "read", np.array(weights) @ same)

# %% [markdown] id="visible"
# ## The second choice: what may be seen
#
# **Visibility** says which keys each query may read. It is a table of True and False with a row a
# query and a column a key, and in this chapter **True always means: this query may read this
# key**. (Libraries disagree. In some of them True means *hidden*.)
#
# Two patterns matter most. Everything may be read; or a token may read itself and what stands
# before it, never what comes after. The second is called **causal**. A model that writes from left
# to right needs it: what comes later has not been written yet.

# %% id="visible-code"
everything = np.array([[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]], dtype=bool)
causal = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
heat_map({"all visible": everything, "causal": causal})

# %% [markdown] id="two-choices"
# The two choices do not touch each other. Visibility changes which scores take part in softmax; it
# changes no query, no key, no value and no score. Token 2 has the scores `0, 1, -0.5, -1`. With
# everything visible, all four share the weight. With the causal mask the last one drops out:
# `0.231, 0.629, 0.140`, and 0 for token 3.

# %% id="two-choices-code"
scores = X[2] @ W_Q @ (X @ W_K).T / 2
print("scores", scores)
for name, seen in (("all visible", everything[2]), ("causal", causal[2])):
    exponentials = np.exp(scores[seen])
    print(name, (exponentials / exponentials.sum()).round(3))

# %% [markdown] id="combinations"
# So "self-attention" tells you nothing about the mask, and "causal" nothing about the source. The
# usual combinations:
#
# | | all visible | causal |
# | --- | --- | --- |
# | **self** | a model that reads a finished text | a model that writes one |
# | **cross** | a writer that reads a finished text | no meaning of its own |
#
# Why the last? "Before" and "after" compare positions in *one* sequence. With 2 queries and 5 keys
# of another, one could line the two up at their beginnings, or at their ends, and libraries do
# both. The tables differ, and so do the results. Refusing is better than guessing.

# %% id="combinations-code"
beginnings = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]], dtype=bool)
ends = np.array([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]], dtype=bool)
print("queries, keys:", beginnings.shape)
heat_map({"lined up at the beginnings": beginnings, "lined up at the ends": ends})

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# | what you see | what has happened |
# | --- | --- |
# | `K` has as many rows as `X`, not as the context | the context was ignored, and the layer reads itself |
# | `Q` has as many rows as the context | the sources were exchanged: the sequence that should be read is asking |
# | `ValueError: The truth value of an array …` | `if context:` asks an array whether it is true; ask whether it `is None` |
# | query 0 sees everything but itself, the last query sees nothing | True was taken for *hidden* |
# | query 0 sees everything, the last query only itself | rows and columns of the mask were exchanged |
#
# The first two go unnoticed when both sequences have the same length and width. The last two keep
# the shape in any case. The cell shows the error and these two.

# %% id="mistakes-code"
try:
    bool(other)
except ValueError as error:
    print("ValueError:", error)
heat_map({"True taken for hidden": ~causal, "rows and columns exchanged": causal.T})

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with all sizes different or a single token; float32, float64 and integer arrays (float32
# and float64 are kept, integers give float64: see [lesson 1, "Kinds of
# number"](01_one_reading.ipynb)); and your inputs, looked at again afterwards. Inputs stay
# untouched, and a result shares no writable memory with an input or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits.
#
# Where a part *raises*, it raises `ValueError`, and the message holds the sizes in question:
# the given one and the expected one. Whether the words are yours or numpy's makes no
# difference.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="project_sources"
# ## Part 1 · `project_sources` (5 points)
#
# Make `Q`, `K` and `V` from the right sources.
#
# - Without `context`: self-attention, so all three come from `X`.
# - With `context`: cross-attention. The queries still come from `X`, because it is still `X`
#   that asks. Keys **and** values come from `context`.
#
# **Raises** `ValueError` when the width of a source is not the number of rows of the matrix
# that it meets. A product in numpy raises such an error by itself, with both sizes in it.
#
# The arrays of the examples hold integers. What comes back are floats, by the rule of [lesson 1,
# "Kinds of number"](01_one_reading.ipynb).
#
# ```pycon
# >>> Q, K, V = project_sources(X, W_Q, W_K, W_V)
# >>> Q[0], K[0], V[0]
# (array([0., 1., 2., 3.]), array([-1.,  2.,  0., -1.]), array([0., 3.]))
# >>> Q, K, V = project_sources(X, W_Q, other_K, other_V, context=other)
# >>> Q.shape, K.shape, V.shape
# ((4, 4), (2, 4), (2, 2))
# ```


# %% id="project_sources-stub"
def project_sources(X, W_Q, W_K, W_V, context=None):
    """Queries from X; keys and values from X, or from `context` where there is one.

    X (T_q, d_model), W_Q (d_model, d_k); context (T_k, d_context) or None. W_K and W_V have as
    many rows as the sequence that is read is wide, and d_k and d_v columns.
    Returns the tuple (Q, K, V) with Q (T_q, d_k), K (T_k, d_k), V (T_k, d_v).
    Raises ValueError when a source's width does not fit its projection.
    """
    raise NotImplementedError("project_sources is not started")


# %% id="project_sources-check"
check("project_sources")

# %% [markdown] id="visibility"
# ## Part 2 · `visibility` (3 points)
#
# Which keys may each query read? The answer is a boolean matrix, `(T_q, T_k)`, one row a query and
# one column a key, True where the query may read the key.
#
# Note what the function does *not* get: no `X`, no `context`, no matrices. Visibility is
# decided from positions alone.
#
# - `causal=False`: everything may be read, for any `T_q` and `T_k`.
# - `causal=True`: a token may read itself and what stands before it, never what comes after.
#
# **Raises** `ValueError` when causal visibility is asked for with `T_q` different from `T_k`, and
# names both in the message.
#
# ```pycon
# >>> visibility(2, 5, causal=False).shape
# (2, 5)
# >>> visibility(4, 4, causal=True)[1]
# array([ True,  True, False, False])
# ```


# %% id="visibility-stub"
def visibility(T_q, T_k, causal):
    """Which keys each query may read: a bool array (T_q, T_k), True where it may.

    T_q and T_k are positive ints, causal is a bool.
    Raises ValueError for causal visibility with T_q != T_k, naming both.
    """
    raise NotImplementedError("visibility is not started")


# %% id="visibility-check"
check("visibility")

# %% [markdown] id="visibility-look"
# Your tables, as pictures. Five tokens in a causal layer: read along row 2. What does it see?

# %% id="visibility-shown"
show(
    lambda: heat_map(
        {
            "causal, five tokens": visibility(5, 5, causal=True),
            "two queries, five keys": visibility(2, 5, causal=False),
        }
    )
)

# %% [markdown] id="attention_kind"
# ## Part 3 · `attention_kind` (2 points)
#
# Name the kind from the three sources alone. Each argument is the name of a sequence, any
# string.
#
# - `"self"`: all three are the same sequence.
# - `"cross"`: keys and values share one sequence, and the queries come from another.
# - `"neither"`: everything else.
#
# Only sameness counts. No name is special, not even `"decoder"`, as the part of a translator that
# writes is often called; and no mask enters.
#
# ```pycon
# >>> attention_kind("summary", "report", "report")
# 'cross'
# ```


# %% id="attention_kind-stub"
def attention_kind(query_source, key_source, value_source):
    """The kind of attention that three source names make: "self", "cross" or "neither".

    The arguments are strings; two sources are the same when their names are equal.
    """
    raise NotImplementedError("attention_kind is not started")


# %% id="attention_kind-check"
check("attention_kind")

# %% [markdown] id="next"
# ## What you have now
#
# Two separate decisions: the source of `Q`, `K` and `V`, and what each query may see. From here
# on the chapter stays with self-attention. [Lesson 3](03_projections.ipynb) looks at the three
# matrices and asks what each of them can change, and what it can't.

# %% id="progress"
progress()
