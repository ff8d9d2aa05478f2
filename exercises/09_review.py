# %% [markdown] id="why"
# # Review
#
# **The question.** What of the eight lessons do you know without looking it up?
#
# There are 25 questions in six groups, each worth 0.4 points, 10 in all. No code is asked for,
# though you may write some to try things out. Answer a group first, without looking anything up,
# and run its check. It explains what is right and names what is not, with the lesson to read
# again; the sections stand under the group.
#
# **Why it matters.** Most wrong answers below are not made up. They are what people have written
# in their code, in their questions and in their explanations.

# %% id="setup"
import numpy as np
from onehead import check, progress

# %% [markdown] id="once-more"
# ## Once more
#
# A group that you missed on another day stands below, with the lessons to look at. Put `...` in
# place of its old answers, answer it again from memory, and run its check. On a first visit
# nothing has been missed, and this shows how far you are.

# %% id="progress"
progress()

# %% [markdown] id="how-checked"
# ## How your answers are checked
#
# Each group is a dict with one entry a question. Replace each `...` by one of the answers that
# the group allows, spelt as it stands there, or by an int where a number is asked for. An entry
# that is still `...` counts as not answered and costs nothing but its own points.
#
# Where a question has two answers to choose from, the check looks at a pair of questions and says
# only whether both are right. Of numbers it sees no more than their form; grading looks at them.

# %% [markdown] id="symbols"
# ## Shapes
#
# | symbol | shape |
# | --- | --- |
# | `X`, `output` | `(T, d_model)` |
# | `W_Q`, `W_K` | `(d_model, d_k)` |
# | `W_V`, `W_O` | `(d_model, d_v)`, `(d_v, d_model)` |
# | `Q`, `K` | `(T, d_k)` |
# | `V`, `context` | `(T, d_v)` |
# | `scores`, `visible`, `weights` | `(T, T)`: query, key |
#
# `d_model`, `d_k` and `d_v` are in general all different. Softmax of the *visible* scores means
# that a hidden key has no part in it.

# %% [markdown] id="EQUATION_CHAIN"
# ## Part 1 · `EQUATION_CHAIN` (2 points)
#
# **Choose and put in order.** Five of these nine lines make a causal
# single-head self-attention layer, from `X` to `output`. The other four are mistakes, each in
# place of a right line.
#
# - `"A"`: `context = weights @ V`
# - `"B"`: `scores = Q @ K.T / sqrt(d_model)`
# - `"C"`: `Q = X @ W_Q`, `K = X @ W_K`, `V = X @ W_V`
# - `"D"`: `scores = Q @ K.T / sqrt(d_k)`
# - `"E"`: `weights` = softmax of the visible scores over the keys
# - `"F"`: `output = context @ W_O`
# - `"G"`: `weights` = softmax of all scores over the keys, hidden entries then set to 0
# - `"H"`: `context = weights @ X`
# - `"I"`: `weights` = softmax of the visible scores over the queries
#
# **Form:** a letter for each step.
#
# *Read again: [lesson 4, "The whole calculation"](04_matrix_form.ipynb), [lesson 5, "The last
# step"](05_output_projection.ipynb).*

# %% id="EQUATION_CHAIN-stub"
EQUATION_CHAIN = {
    "step 1": ...,
    "step 2": ...,
    "step 3": ...,
    "step 4": ...,
    "step 5": ...,
}

# %% id="EQUATION_CHAIN-check"
check("EQUATION_CHAIN")

# %% [markdown] id="DISTINCTIONS"
# ## Part 2 · `DISTINCTIONS` (2.4 points)
#
# **Choose one of two.**
#
# `"self"` or `"cross"`: which kind of attention is it?
#
# - `translation`: Queries come from the sentence being written, keys and values from the
#   sentence being translated.
# - `causal-writer`: Queries, keys and values come from one text, and a causal mask hides what
#   comes later.
#
# `"mask"` or `"source"`: what has to be changed?
#
# - `reads-later`: Token 2 reads token 5 of its own sequence, and it should not.
# - `reads-wrong-text`: The keys and values are made from the question, and they should be made
#   from the document.
#
# `"weight"` or `"effect"`: which of the two is stated? A weight is an entry of `weights`; an
# effect is what an experiment on the layer shows.
#
# - `zeroed-value`: With `V[2]` set to zero and all else kept, row 6 of `output` moves by 1.3.
# - `share-of-row`: In the mixture that is row 6 of `context`, `V[2]` is multiplied by 0.8.
#
# **Form:** for each question one of the two words of its group.
#
# *Read again: [lesson 2, "The first choice: the source"](02_sources.ipynb), [lesson 2, "The second
# choice: what may be seen"](02_sources.ipynb), [lesson 7, "Weights are
# observations"](07_costs.ipynb).*

# %% id="DISTINCTIONS-stub"
DISTINCTIONS = {
    "translation": ...,
    "causal-writer": ...,
    "reads-later": ...,
    "reads-wrong-text": ...,
    "zeroed-value": ...,
    "share-of-row": ...,
}

# %% id="DISTINCTIONS-check"
check("DISTINCTIONS")

# %% [markdown] id="ABLATIONS"
# ## Part 3 · `ABLATIONS` (1.2 points)
#
# **Match.** One thing is changed about a causal layer; its other matrices and `X`
# stay. What happens, whatever `X` and the other matrices hold?
#
# - `W_Q zero`: every entry of `W_Q` becomes 0.
# - `W_V doubled`: every entry of `W_V` is multiplied by 2.
# - `W_Q doubled, W_K halved`: every entry of `W_Q` is multiplied by 2, every entry of `W_K` by
#   1/2.
#
# The effects, of which two are left over:
#
# - `"all weights zero"`: every entry of `weights` is 0.
# - `"even weights"`: each token gives the same weight to every key that it sees.
# - `"context doubled"`: `scores` and `weights` stay, and `context` doubles.
# - `"sharper weights"`: within a row, `weights` move further apart.
# - `"same scores"`: `scores` and everything after them stay.
#
# **Form:** one of these five strings for each change. Rounding is left aside.
#
# *Read again: [lesson 3, "Matching takes two matrices"](03_projections.ipynb), [lesson 3,
# "Ablation: replace one thing, keep the rest, look"](03_projections.ipynb).*

# %% id="ABLATIONS-stub"
ABLATIONS = {
    "W_Q zero": ...,
    "W_V doubled": ...,
    "W_Q doubled, W_K halved": ...,
}

# %% id="ABLATIONS-check"
check("ABLATIONS")

# %% [markdown] id="COSTS"
# ## Part 4 · `COSTS` (1.2 points)
#
# **Numbers.** One multiply-add counts as one operation, and costs are those of the
# dense calculation.
#
# - `scores factor`: A sequence becomes three times as long. By which factor does the number of
#   multiply-adds for `scores` grow?
# - `causal scores`: How many multiply-adds does `Q @ K.T` take in a causal layer with 6 tokens
#   and `d_k = 4`?
# - `convolution layers`: A causal convolution with a kernel of 5 looks at a token and the 4
#   before it. How many layers of it does a signal need, at least, to cross from one token to
#   another 37 places further on?
#
# **Form:** an int for each.
#
# *Read again: [lesson 7, "What it buys: short paths"](07_costs.ipynb), [lesson 7, "What it costs:
# every query meets every key"](07_costs.ipynb).*

# %% id="COSTS-stub"
COSTS = {
    "scores factor": ...,
    "causal scores": ...,
    "convolution layers": ...,
}

# %% id="COSTS-check"
check("COSTS")

# %% [markdown] id="LIMITATIONS"
# ## Part 5 · `LIMITATIONS` (1.2 points)
#
# **Predict, and choose.**
#
# `reversed`: A layer has no mask, and nothing in `X` tells positions apart but the order of the
# rows. The rows of `X` are put in reverse order. What happens to `output`?
#
# - `"a"`: it stays exactly as it was
# - `"b"`: its rows are reversed, too, and otherwise stay as they were
# - `"c"`: its rows become other vectors, since attention notices the order
#
# `one by one`: A causal language model handles a text. When do its positions have to wait for
# one another?
#
# - `"a"`: in training and in generation, since a causal model works from left to right
# - `"b"`: in training only, since each position has to be learned before the next
# - `"c"`: in generation only, since there a token has to be written before it can be read
#
# `large weight`: In the weights of a causal layer, the largest entry of row 7 is the one for
# token 2. What follows?
#
# - `"a"`: of all values, `V[2]` has the largest factor in the mixture that is row 7 of `context`
# - `"b"`: of all values, setting `V[2]` to zero would move row 7 of `output` most
# - `"c"`: the model's next word depends on token 2 more than on any other token
#
# **Form:** a letter for each.
#
# *Read again: [lesson 1, "From one reading to a layer"](01_one_reading.ipynb), [lesson 7, "Training
# and generation"](07_costs.ipynb), [lesson 7, "What an attention map can and can't
# support"](07_costs.ipynb).*

# %% id="LIMITATIONS-stub"
LIMITATIONS = {
    "reversed": ...,
    "one by one": ...,
    "large weight": ...,
}

# %% id="LIMITATIONS-check"
check("LIMITATIONS")

# %% [markdown] id="CHECKLIST"
# ## Part 6 · `CHECKLIST` (2 points)
#
# **Put in order.** You audit somebody's layer with a batch and a mask. Five of these
# seven questions make the checklist; the other two tell nothing about whether the layer is
# right. Put the five in dependency order: each builds on what those before it have established,
# so that the first one to fail points at the cause.
#
# - `"A"`: Over the keys now known to be visible, is each row of `weights` the softmax of the
#   scaled scores?
# - `"B"`: With each sequence known to be computed rightly, does an item give the same alone and
#   in the batch?
# - `"C"`: Does every entry of the trace have the shape that is due, so that entries can be
#   compared at all?
# - `"D"`: With the weights known to be right, is `context == weights @ V` and `output == context
#   @ W_O`?
# - `"E"`: With the axes known to be right, is each hidden key's weight exactly 0?
# - `"F"`: Does the loss fall in training?
# - `"G"`: Do the largest weights fall on words that make sense?
#
# **Form:** a letter for each step.
#
# *Read again: [lesson 8, "Five invariants, in order"](08_audit.ipynb).*

# %% id="CHECKLIST-stub"
CHECKLIST = {
    "step 1": ...,
    "step 2": ...,
    "step 3": ...,
    "step 4": ...,
    "step 5": ...,
}

# %% id="CHECKLIST-check"
check("CHECKLIST")

# %% [markdown] id="next"
# ## What you have now
#
# The chapter on two pages. What is left is to use it: the exercises bring 24 problems, from
# shapes to repairs.
