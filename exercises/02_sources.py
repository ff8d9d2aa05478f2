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
# - **Self-attention:** one sequence supplies all three.
# - **Cross-attention:** one sequence asks; another one supplies what is asked, both keys and
#   values.
#
# A second choice is often confused with the first. **Visibility** says which keys a query may
# read. A causal mask hides the future; it says nothing about sources. There is self-attention
# with a causal mask and without one, and calling a layer "self-attention" tells you nothing
# about its mask.
#
# **Why it matters.** When a model reads the wrong source, nothing crashes as long as the widths
# agree: it trains, more or less, and is wrong. The two choices have to be made, and tested, one
# by one.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes, with all sizes different or a single token; float32, float64 and integer arrays
# (float32 and float64 are kept, integers give float64); and your inputs, looked at again
# afterwards. Inputs stay untouched, and a result shares no writable memory with an input or an
# earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits.
#
# Where a part *raises*, it raises `ValueError`, and the message holds the sizes in question:
# the given one and the expected one. Whether the words are yours or numpy's makes no
# difference.
#
# Each notebook stands alone. Copy over what you would like to reuse from an earlier one.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
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
# Vectors are rows and a matrix stands on their right, so that `X @ W_Q` turns each row of `X`
# into a row of `Q`. In self-attention `T_q` and `T_k` are the same number, because they count
# the same tokens. In cross-attention they count different ones.
#
# The word `context` has two uses in this chapter. Here it is the sequence that cross-attention
# reads; in the traces of the later lessons it is the result `weights @ V`.

# %% [markdown] id="project_sources"
# ## Part 1 · `project_sources` (5 points)
#
# Make `Q`, `K` and `V` from the right sources.
#
# - Without `context`: self-attention, so all three come from `X`.
# - With `context`: cross-attention. The queries still come from `X`, because it is still `X`
#   that asks. Keys **and** values come from `context`.
#
# For instance, an `X` of shape `(2, 3)` may read a `context` of shape `(5, 4)`. With `d_k = 6`
# and `d_v = 7`, `W_Q` is `(3, 6)`, while `W_K` is `(4, 6)` and `W_V` is `(4, 7)`. Two queries
# come out, and five keys and values.
#
# **Raises** `ValueError` when the width of a source is not the number of rows of the matrix
# that it meets. Take care that a `context` is used whenever one is given: an array is not a
# good thing to put after `if`.


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
# Which keys may each query read? The answer is a boolean matrix with one row a query and one
# column a key, in which **True means: this query may read this key**. (Libraries disagree about
# this. In some of them True means *hidden*. Here it never does.)
#
# Note what the function does *not* get: no `X`, no `context`, no matrices. Visibility is
# decided from positions alone.
#
# - `causal=False`: everything may be read, for any `T_q` and `T_k`.
# - `causal=True`: a token may read itself and what stands before it, never what comes after.
#   That sentence only makes sense when queries and keys are the same tokens in the same order.
#
# **Raises** `ValueError` when causal visibility is asked for with `T_q` different from `T_k`.
# One could line the two sequences up at their beginnings, or at their ends; libraries do both
# and get different numbers. Refusing is better than guessing.


# %% id="visibility-stub"
def visibility(T_q, T_k, causal):
    """Which keys each query may read: a bool array (T_q, T_k), True where it may.

    T_q and T_k are positive ints, causal is a bool.
    Raises ValueError for causal visibility with T_q != T_k, naming both.
    """
    raise NotImplementedError("visibility is not started")


# %% id="visibility-check"
check("visibility")

# %% [markdown] id="attention_kind"
# ## Part 3 · `attention_kind` (2 points)
#
# Name the kind from the three sources alone. Each argument is the name of a sequence, any
# string.
#
# - `"self"`: all three are the same sequence.
# - `"cross"`: keys and values share one sequence, and the queries come from another.
# - `"neither"`: everything else. Keys and values from different sequences make a fair
#   calculation, if the lengths agree, but neither name fits it.
#
# Only sameness counts. A sequence called `"decoder"` is not special, and no mask enters.


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
# on the chapter stays with self-attention. The next lesson looks at the three matrices and asks
# what each of them can change, and what it can't.
