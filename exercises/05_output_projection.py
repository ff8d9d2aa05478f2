# %% [markdown] id="why"
# # 5 · The Output Projection Restores the Model Width
#
# **The question.** The context has the width `d_v`. How does a layer give back `d_model`, and
# what does it cost?
#
# A Transformer stacks layers, and each one hands its output to the next. So what comes out must
# be as wide as what went in. One more learned matrix does it: `W_O`, of shape `(d_v, d_model)`.
#
# **Why it matters.** `W_O` is easily forgotten, because with `d_v == d_model` the shapes agree
# without it. It is easily applied the wrong way round for the same reason. And a parameter
# count that leaves it out, or that takes all widths to be equal, is wrong by millions in a real
# model.

# %% id="setup"
import numpy as np
from onehead import check, heat_map, progress, show

# %% [markdown] id="last-step"
# ## The last step
#
# ```
# output = context @ W_O        (T, d_v) @ (d_v, d_model) -> (T, d_model)
# ```
#
# ![](figure:with-output)
#
# It is the last matrix of the layer, and the last step. What a Transformer does with the output
# afterwards, such as adding `X` to it, belongs to the code around the layer.

# %% id="four-tokens"
X = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
W_Q = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
W_K = np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
W_V = np.array([[0, -1], [-1, 2], [1, 2]])
W_O = np.array([[1, 0, 0], [1, 1, 1]])
V = X @ W_V

# %% [markdown] id="symbols"
# ### Shapes in this lesson
#
# | symbol | shape | meaning |
# | --- | --- | --- |
# | `weights` | `(T, T)` | query, key |
# | `context` | `(…, d_v)` | one reading for each token |
# | `W_O` | `(d_v, d_model)` | output projection |
# | `b_O` | `(d_model,)` | its bias, where there is one |
# | `output` | `(…, d_model)` | what the layer returns |
# | `W_Q`, `W_K` | `(d_model, d_k)` | |
# | `W_V` | `(d_model, d_v)` | |
#
# The dots stand for all axes before the last, however many there are: `T` for one sequence, `B, T`
# for a batch of `B` sequences.

# %% [markdown] id="worked"
# **Token 0.** In a causal layer it sees only itself, so its context is its own value, `[0, 3]`. The
# entries of a context say how much of each row of `W_O` to take: 0 of `[1, 0, 0]` and 3 of
# `[1, 1, 1]`. Its output is `[3, 3, 3]`.
#
# **Token 2, with everything visible,** read `[-0.501, 1.747]` in lesson 1. Its output is
# `[1.246, 1.747, 1.747]`: three numbers, as many as the token came with.

# %% id="worked-code"
print("token 0:", V[0], "@", W_O.tolist(), "=", V[0] @ W_O)
exponentials = np.exp([0, 1, -0.5, -1])
reading = exponentials / exponentials.sum() @ V
print("token 2:", reading.round(3), "becomes", (reading @ W_O).round(3))

# %% [markdown] id="each-token"
# ## Each token by itself
#
# The mixing is over once `weights @ V` is done. `W_O` acts on each token's context separately: a
# row of the output depends on one row of the context. For the same reason any leading axes are
# carried along, be it tokens, or a batch of 5 sequences: `(5, 4, 2)` becomes `(5, 4, 3)`.

# %% id="each-token-code"
contexts = np.stack([V[0], reading, V[3], 2 * reading])
assert all((contexts @ W_O)[row].tolist() == (contexts[row] @ W_O).tolist() for row in range(4))
print(np.zeros((5, 4, 2)).shape, "becomes", (np.zeros((5, 4, 2)) @ W_O).shape)

# %% [markdown] id="bias"
# **A bias**, where there is one, is a vector as long as the output is wide, added to every token.
# Watch out: numpy is glad to add a vector of length 1 to anything. A bias of the wrong length that
# fits by accident is a mistake nobody hears of.

# %% id="bias-code"
print("bias of length 3:", V[0] @ W_O + np.array([10, 20, 30]))
print("bias of length 1:", V[0] @ W_O + np.array([10]))

# %% [markdown] id="fold"
# ## The same work, bracketed otherwise
#
# Between the values and `W_O` there is nothing but a weighted sum. So the brackets may be moved.
# Project every value first, and mix then:
#
# ```
# (weights @ V) @ W_O  ==  weights @ (V @ W_O)
# ```
#
# The rows of `V @ W_O` are what each token contributes where it is read in full. Token 0
# contributes `[3, 3, 3]`, token 2 `[-1, -1, -1]`. The output of a position is a mean of these rows.

# %% id="fold-code"
print(V @ W_O)
weights = exponentials / exponentials.sum()
assert np.abs(weights @ (V @ W_O) - (weights @ V) @ W_O).max() < 1e-12

# %% [markdown] id="rank"
# Move the brackets once more, and `W_V` and `W_O` stand side by side: two matrices could be one.
# Part 3 asks for it. One set of `W_Q`, `W_K` and `W_V` is called a **head**, and our layer has a
# single one. There `W_O` adds nothing that a wider value projection could not do.
#
# What two factors can bring is thrift. Whatever goes through a context of width `d_v` has a rank of
# at most `d_v`: all our outputs are sums of 2 rows. With `d_model = 4096` and `d_v = 128`, the two
# factors hold 1,048,576 numbers, and a full matrix in their place 16,777,216. In our small example
# it is the other way round: 12 against 9.
#
# That is `2 * d_model * d_v` numbers against `d_model * d_model`. So the factors save only when
# `d_v` is less than half of `d_model`.
#
# In other networks an **activation** often stands between two matrices: a function of each number
# by itself, such as its `max` with 0. Here it would end all this. People have put one there by
# mistake. It makes another layer: token 2 would give other numbers.

# %% id="rank-code"
print("rank of the outputs:", np.linalg.matrix_rank(V @ W_O))
d_model, d_v = 4096, 128
print("factors", d_model * d_v + d_v * d_model, "full", d_model * d_model)
print("factors", W_V.size + W_O.size, "full", X.shape[1] ** 2)
assert all((2 * 6 * d_v < 6 * 6) == (d_v < 6 / 2) for d_v in range(1, 9))
print("with an activation:", (np.maximum(reading, 0) @ W_O).round(3))

# %% [markdown] id="count"
# ## Counting parameters
#
# A matrix of shape `(m, n)` holds `m * n` numbers, all of them learned. In our example `W_Q` and
# `W_K` hold 12 each, `W_V` and `W_O` hold 6 each, and the layer 36 in all. The number of tokens
# does not appear: a layer has the same parameters for a short sentence and for a long book.
#
# **Do not trust a formula because it gives the right number once.** `4 * d_model**2` also gives
# 36 here, by accident. Make the keys one wider, `d_k = 5`, and the layer has 42 parameters, while
# that formula stays at 36. At `d_model = 4096` and a width of 128 for everything else the layer
# has 2,097,152 parameters, and the formula says 67,108,864.
#
# **A bias** belongs to one projection and is as long as that projection's *output* is wide. A
# matrix `(5, 4)` holds 20 numbers; with its bias it has 24.

# %% id="count-code"
sizes = {"W_Q": W_Q.size, "W_K": W_K.size, "W_V": W_V.size, "W_O": W_O.size}
print(sizes, "in all", sum(sizes.values()), "and 4 * 3**2 is", 4 * 3**2)
print("d_k = 5:", np.zeros((3, 5)).size * 2 + W_V.size + W_O.size)
d_model, width = 4096, 128
print("large:", 4 * d_model * width)
assert 4 * d_model**2 == 67_108_864
print("matrix (5, 4):", np.zeros((5, 4)).size, "with bias", np.zeros((5, 4)).size + 4)

# %% [markdown] id="mistakes"
# ## What mistakes look like
#
# | what you see | what has happened |
# | --- | --- |
# | the output is as wide as the values | `W_O` was left out; with `d_v == d_model` this can't be seen from shapes |
# | right shape, wrong numbers, and only where `d_v == d_model` | `W_O` was applied transposed |
# | the count is too small by `d_v * d_model` | `W_O` was not counted |
# | the count is right in a model with equal widths, wrong elsewhere | `d_k` and `d_v` were taken for `d_model` |
# | the count grows with the text | tokens were counted; they are input, not parameters |
# | every number of the output is moved by the same amount | a bias of length 1 was added |
#
# With `d_v == d_model` a matrix and its transpose have the same shape: the context `[1, 2]` becomes
# `[3, 2]` through the matrix below, and `[1, 3]` through its transpose.

# %% id="mistakes-code"
square, small_context = np.array([[1, 0], [1, 1]]), np.array([1, 2])
print(small_context, "becomes", small_context @ square, "or", small_context @ square.T)

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# `check()` runs the **public checks** of one part. Grading asks more of the same code: other
# shapes and ranks, with leading batch axes or without; all sizes different or all equal; float32,
# float64 and integer arrays (float32 and float64 are kept, integers give float64: see [lesson 1,
# "Kinds of number"](01_one_reading.ipynb)); and your inputs, looked at again afterwards. Inputs
# stay untouched, and a result shares no writable memory with an input or an earlier result.
#
# Numbers are compared within a rounding bound that is derived from the sizes and the dtype of
# each case, not to a fixed number of digits. Counts must be exact.
#
# Where a part *raises*, it raises `ValueError`, and the message holds the given size and the
# expected one. Whether the words are yours or numpy's makes no difference.

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
# - `b_O` is not as long as `W_O` has columns.
#
# ```pycon
# >>> output_projection(np.array([[0, 3], [1, 1]]), W_O)
# array([[3., 3., 3.],
#        [2., 1., 1.]])
# >>> output_projection(np.array([0, 3]), W_O, b_O=np.array([10, 20, 30]))
# array([13., 23., 33.])
# ```


# %% id="output_projection-stub"
def output_projection(context, W_O, b_O=None):
    """Bring a context back to the model width.

    context (…, d_v), W_O (d_v, d_model), b_O (d_model,) or None. Returns an array (…, d_model).
    Raises ValueError, with the sizes, when context and W_O or W_O and b_O do not fit.
    """
    raise NotImplementedError("output_projection is not started")


# %% id="output_projection-check"
check("output_projection")

# %% [markdown] id="output_projection-look"
# Four contexts, 2 wide, and your four outputs, 3 wide. What do the last two columns have in
# common, and which row of `W_O` is to blame?

# %% id="output_projection-shown"
show(
    lambda: heat_map(
        {"context": contexts, "output": output_projection(contexts, W_O)},
        rows="token",
        columns="feature",
    )
)

# %% [markdown] id="parameter_count"
# ## Part 2 · `parameter_count` (3 points)
#
# How many numbers does the layer learn? Count each projection on its own, and all four
# together.
#
# With `bias=True` **each** of the four projections also has a bias vector, as long as its
# *output* is wide. The count under a projection's name includes its bias. Keep `d_model`, `d_k` and
# `d_v` apart.
#
# ```pycon
# >>> parameter_count(d_model=3, d_k=4, d_v=2)
# {'W_Q': 12, 'W_K': 12, 'W_V': 6, 'W_O': 6, 'total': 36}
# ```


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
# Find the one matrix `W_VO` of shape `(d_model, d_model)` that does the work of `W_V` and `W_O`:
#
# ```
# weights @ (X @ W_VO)  ==  (weights @ (X @ W_V)) @ W_O
# ```
#
# for every `X` and every `weights`. Put the brackets where they help. The rule on kinds of number
# holds here, too, though nothing is divided: integers give float64.


# %% id="fold_output_projection-stub"
def fold_output_projection(W_V, W_O):
    """The one matrix that does the work of W_V and W_O.

    W_V (d_model, d_v), W_O (d_v, d_model). Returns W_VO (d_model, d_model) with
    weights @ (X @ W_VO) == (weights @ (X @ W_V)) @ W_O, up to rounding.
    """
    raise NotImplementedError("fold_output_projection is not started")


# %% id="fold_output_projection-check"
check("fold_output_projection")

# %% [markdown] id="fold_output_projection-look"
# Your one matrix on the four tokens: its contributions, and those of the two factors.

# %% id="fold_output_projection-shown"
show(
    lambda: heat_map(
        {"X @ W_VO": X @ fold_output_projection(W_V, W_O), "V @ W_O": V @ W_O},
        rows="token",
        columns="feature",
    )
)

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
# parameters counted. [Lesson 6](06_batch_axis.ipynb) runs several sequences through it at once.

# %% id="progress"
progress()
