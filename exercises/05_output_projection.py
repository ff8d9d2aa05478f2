# %% [markdown] id="why"
# # 5 · The Output Projection Restores the Model Width
#
# **The question.** The context has the width `d_v`. How does a layer give back `d_model`, and
# what does it cost?
#
# A Transformer stacks layers, and each one hands its output to the next. So what comes out must
# be as wide as what went in. One more learned matrix does it: `W_O`, of shape `(d_v, d_model)`.
#
# ```
# output = context @ W_O        (T, d_v) @ (d_v, d_model) -> (T, d_model)
# ```
#
# ![](figure:with-output)
#
# It acts on each token's context separately. No token sees another here: the mixing is over
# once `weights @ V` is done.
#
# **Why it matters.** `W_O` is easily forgotten, because with `d_v == d_model` the shapes agree
# without it. It is easily applied the wrong way round for the same reason. And a parameter
# count that leaves it out, or that takes all widths to be equal, is wrong by millions in a real
# model.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, show

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes and ranks, with leading batch axes or without; all sizes different or all equal;
# float32, float64 and integer arrays (float32 and float64 are kept, integers give float64); and
# your inputs, looked at again afterwards. Inputs stay untouched, and a result shares no
# writable memory with an input or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Counts must be exact.
#
# Where a part *raises*, it raises `ValueError`, and the message holds the given size and the
# expected one. Whether the words are yours or numpy's makes no difference.

# %% [markdown] id="symbols"
# ## Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `weights` | `(T, T)` | query, key |
# | `context` | `(…, d_v)` | one reading a token, after any leading axes |
# | `W_O` | `(d_v, d_model)` | output projection |
# | `b_O` | `(d_model,)` | its bias, where there is one |
# | `output` | `(…, d_model)` | what the layer returns |
# | `W_Q`, `W_K` | `(d_model, d_k)` | |
# | `W_V` | `(d_model, d_v)` | |
#
# **The four-token trace grows on.** Its output projection is `W_O = [[1, 0, 0], [1, 1, 1]]`,
# with `d_v = 2` and `d_model = 3`. Token 0 sees only itself, so its context is its own value,
# `[0, 3]`. Its output is `0 · [1, 0, 0] + 3 · [1, 1, 1] = [3, 3, 3]`: the context's entries say
# how much of each row of `W_O` to take.

# %% [markdown] id="output_projection"
# ## Part 1 · `output_projection` (3 points)
#
# From `(…, d_v)` to `(…, d_model)`: multiply by `W_O` and, where a bias is given, add it to
# every token. All leading axes stay as they are, however many there are, and also if there are
# none.
#
# **Raises** `ValueError` when
#
# - the width of `context` is not the number of rows of `W_O`;
# - `b_O` is not as long as `W_O` has columns. Watch out: numpy is glad to add a bias of length
#   1 to anything. A bias that fits by accident is to be refused.


# %% id="output_projection-stub"
def output_projection(context, W_O, b_O=None):
    """Bring a context back to the model width.

    context (…, d_v), W_O (d_v, d_model), b_O (d_model,) or None. Returns an array (…, d_model).
    Raises ValueError, with the sizes, when context and W_O or W_O and b_O do not fit.
    """
    raise NotImplementedError("output_projection is not started")


# %% id="output_projection-check"
check("output_projection")

# %% [markdown] id="parameter_count"
# ## Part 2 · `parameter_count` (3 points)
#
# How many numbers does the layer learn? Count each projection on its own, and all four
# together.
#
# A matrix of shape `(m, n)` holds `m * n` numbers. For example, a `(5, 4)` matrix holds 20.
# With `bias=True` **each** of the four projections also has a bias vector, as long as its
# *output* is wide: the same matrix with its bias has 20 + 4 = 24. The count under a
# projection's name includes its bias.
#
# The number of tokens does not appear, and that is the point: a layer has the same parameters
# for a short sentence and for a long book. Keep `d_model`, `d_k` and `d_v` apart.


# %% id="parameter_count-stub"
def parameter_count(d_model, d_k, d_v, bias=False):
    """How many parameters a single-head layer has, projection by projection.

    The sizes are positive ints. With `bias`, each projection's count includes its bias vector.
    Returns a dict of int with the keys "W_Q", "W_K", "W_V", "W_O" and "total".
    """
    raise NotImplementedError("parameter_count is not started")


# %% id="parameter_count-check"
check("parameter_count")

# %% [markdown] id="fold_output_projection"
# ## Part 3 · `fold_output_projection` (2 points)
#
# Between `W_V` and `W_O` there is nothing but a weighted sum: no softmax, no activation. Matrix
# products can be bracketed as one likes, so the two may be folded into one matrix `W_VO` of
# shape `(d_model, d_model)`:
#
# ```
# weights @ (X @ W_VO)  ==  (weights @ (X @ W_V)) @ W_O
# ```
#
# for every `X` and every `weights`. Find it.
#
# So with one head, `W_O` adds nothing that a wider value projection could not do. What two
# factors bring is thrift, when `d_v` is small: the folded matrix has `d_model²` entries, but a
# rank of at most `d_v`.


# %% id="fold_output_projection-stub"
def fold_output_projection(W_V, W_O):
    """The one matrix that does the work of W_V and W_O.

    W_V (d_model, d_v), W_O (d_v, d_model). Returns W_VO (d_model, d_model) with
    weights @ (X @ W_VO) == (weights @ (X @ W_V)) @ W_O, up to rounding.
    """
    raise NotImplementedError("fold_output_projection is not started")


# %% id="fold_output_projection-check"
check("fold_output_projection")

# %% [markdown] id="OUTPUT_ABLATIONS"
# ## Part 4 · `OUTPUT_ABLATIONS` (2 points)
#
# What happens to `output = context @ W_O` when `W_O` is replaced? Four replacements:
#
# - `"zero"`: all entries 0;
# - `"identity, d_v == d_model"`: the identity matrix;
# - `"transposed, d_v != d_model"`: `W_O.T` in place of `W_O`;
# - `"orthogonal, d_v == d_model"`: a square matrix `R` with `R @ R.T` the identity. Such a
#   matrix keeps lengths and angles. Take one that is not the identity.
#
# Give each the effect that it has whatever the context holds. Each of these is used once:
# `"output is zero"`, `"output equals context"`, `"shapes do not fit"`,
# `"output is context rotated"`. (An orthogonal matrix may also mirror; "rotated" covers both
# here.)

# %% id="OUTPUT_ABLATIONS-stub"
OUTPUT_ABLATIONS = {
    "zero": ...,
    "identity, d_v == d_model": ...,
    "transposed, d_v != d_model": ...,
    "orthogonal, d_v == d_model": ...,
}

# %% id="OUTPUT_ABLATIONS-check"
check("OUTPUT_ABLATIONS")

# %% [markdown] id="next"
# ## What you have now
#
# A layer for one sequence that takes `(T, d_model)` and gives back `(T, d_model)`, with its
# parameters counted. The next lesson runs several sequences through it at once.
