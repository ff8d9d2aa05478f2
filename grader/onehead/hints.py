"""Hints, in three steps: a question, where to look, the idea. Never the line of code.

A finding's hints are those of its known mistake, which may bring them along; without one, of the
stage that it is about; else of its family. All hints of this chapter stand in this file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from onehead.model import Finding

Hints = tuple[str, str, str]
STEPS = ("a question", "where to look", "the idea")
_RAISED = re.compile(r"\w+ ?\(.+, line \d+\)|: \w+Error\b")  # as ``wording.error_text`` has it
_CHOSEN = re.compile(r" right: see lesson \d+$")  # as ``Pointer.missed`` has it
_DTYPE = re.compile(r": (the dtype of the inputs is kept|integers give float64)$")


def hints(finding: Finding) -> Hints:
    """The hints that fit a finding best."""
    if finding.mistake is not None and finding.mistake.hints is not None:
        return finding.mistake.hints
    if finding.misconception is not None and finding.misconception in MISTAKES:
        return MISTAKES[finding.misconception]
    if _RAISED.search(finding.message):
        return ERRORS
    if finding.check == "answers":
        return ANSWERS if "not all" in finding.message else FAMILIES["shape"]
    if "NaN or infinite" in finding.message:
        return MISTAKES["scores-masked"] if finding.stage == "scores" else NON_FINITE
    if "has shape" in finding.message:
        return MASK_SHAPES if finding.stage == "visible" else SHAPES
    if _CHOSEN.search(finding.message):
        return CHOICES
    if _DTYPE.search(finding.message):
        return DTYPES
    by_stage = finding.family in ("projection", "masking", "numerical")
    if by_stage and finding.stage is not None and finding.stage in STAGES:
        return STAGES[finding.stage]
    return FAMILIES[finding.family]


MISTAKES: Mapping[str, Hints] = {
    # --- scores ---
    "scale-missing": (
        "How large does a sum of d_k products become when d_k grows?",
        "Look at the step from comparisons to scores, before anything is hidden.",
        "Scores are comparisons brought to one size, whatever the width in which they are made: "
        "the standard deviation of a sum grows with the square root of its terms.",
    ),
    "scale-by-dk": (
        "If each of d_k terms varies by about 1, by how much does their sum vary?",
        "Look at the number that the comparisons are divided by.",
        "Variances add, deviations do not: the size of the sum is the square root of d_k.",
    ),
    "scale-by-dmodel": (
        "Over which axis do the products of a comparison run?",
        "Look at where the width in your scale comes from: which matrix, which axis?",
        "The scale belongs to the width in which queries and keys meet. The model's width has been "
        "projected away by then.",
    ),
    "qk-swapped": (
        "Who asks in row 0 of the scores, and who is compared with it?",
        "Look at which of Q and K gives the rows of the product.",
        "Rows of a score matrix are queries, columns are keys. Exchanged, each token is compared "
        "by what it offers.",
    ),
    "keys-reshaped": (
        "After your change of K's shape, which numbers stand in its first column?",
        "Look at the step that makes K fit to the product, with T and d_k that differ.",
        "To exchange two axes is something else than to pour the same numbers into another shape.",
    ),
    "scale-by-dv": (
        "Over which axis do the products of a comparison run?",
        "Look at where the width in your scale comes from: which matrix, which axis?",
        "Values take no part in the scores. The scale belongs to the width in which queries and "
        "keys meet.",
    ),
    "scale-by-tokens": (
        "How many products does one comparison add up?",
        "Look at the axis whose length you take for the scale.",
        "A comparison runs over features, however many tokens there are.",
    ),
    "scale-inverted": (
        "Do your scores become larger or smaller when d_k grows?",
        "Look at the scale: is it a factor, or what is divided by?",
        "To divide by a reciprocal is to multiply.",
    ),
    "scores-masked": (
        "What does the trace show as scores: before the mask or after it?",
        "Look at what stands under that key.",
        "Scores are shown finite and whole. The mask acts on the way from scores to weights.",
    ),
    "scores-of-inputs": (
        "What is compared with what: tokens, or what was made from them?",
        "Look at both factors of the product.",
        "Matching has projections of its own: queries are compared with keys.",
    ),
    "transpose-all-axes": (
        "Which two axes of K have to change places when there is a batch axis in front?",
        "Print the shape of K before and after.",
        "Items stay items: only the last two axes change places.",
    ),
    "queries-from-keys": (
        "Which projection makes the queries?",
        "Look at the first factor of the comparison, and at what it was made with.",
        "Each role has a projection of its own.",
    ),
    "keys-from-queries": (
        "Which projection makes the keys?",
        "Look at the second factor of the comparison, and at what it was made with.",
        "Each role has a projection of its own.",
    ),
    # --- weights ---
    "softmax-twice": (
        "How even are your weights, compared with those due?",
        "Look for a second place where weight is shared out.",
        "Weights are no scores any more. Shared out again, they become nearly even.",
    ),
    "softmax-hard": (
        "May a query read more than one key?",
        "Look at what your weights are where two scores are close.",
        "Softmax gives the best key most of the weight, and the others some.",
    ),
    "change-too-even": (
        "What in an item is the same before your change and after it?",
        "Look at what you add: is it one number for all tokens and features?",
        "A difference does not notice what is added to both sides. Only an irregular change moves "
        "whatever may be read.",
    ),
    "empty-row-nan": (
        "What does a query read that sees no key?",
        "Look at what you subtract in such a row, and at what you divide by.",
        "It has nothing to share out: its weights are zeros, and so is its context.",
    ),
    "softmax-over-queries": (
        "Whose unit of weight is shared out: a query's or a key's?",
        "Add up your weights along rows, then along columns. Which sums are 1?",
        "Each query has one unit of weight to give to its keys, so it is the last axis that sums "
        "to 1.",
    ),
    "softmax-global": (
        "What should each row of the weights sum to?",
        "Look at the sum that you divide by: how many numbers does it have?",
        "There is one sum for each query, not one for the matrix.",
    ),
    "softmax-unstable": (
        "What is the exponential of 10 000 in floating point?",
        "Look at what the exponential is taken of.",
        "Softmax does not change when all scores of a row are moved by one number. Choose it so "
        "that nothing overflows.",
    ),
    "softmax-misaligned": (
        "You have one number for each row. Which axis does it line up with?",
        "Print the shape of what you divide by, or subtract, beside that of the scores.",
        "numpy lines shapes up from the right. What was summed away has to stay as an axis of "
        "length 1, so that each row meets its own number.",
    ),
    "softmax-global-max": (
        "What happens to a row whose scores all lie far below the largest of the matrix?",
        "Look at which scores the maximum is taken over.",
        "Each row needs a shift of its own. Then its largest exponential is 1 and its sum can't "
        "vanish.",
    ),
    "softmax-unnormalised": (
        "What do the entries of a row sum to?",
        "Look at what happens after the exponential.",
        "Weights are shares: each exponential is measured against the sum of its row.",
    ),
    "batch-softmax": (
        "Do the weights of one query depend on the other items of the batch?",
        "Look at the axis of your softmax, counted from the front and from the back.",
        "An axis that is counted from the front becomes another one when a batch axis is put "
        "before it. Keys are always the last.",
    ),
    # --- masks ---
    "mask-missing": (
        "Which keys may query 0 of a causal layer read?",
        "Look at where `visible` is used between scores and weights.",
        "A mask that is made and never used hides nothing.",
    ),
    "mask-inverted": (
        "What does True mean in `visible`?",
        "Look at one row of your mask: which keys does it leave?",
        "True says that this query may read this key. Other libraries have it the other way round.",
    ),
    "mask-transposed": (
        "May token 0 read the last token?",
        "Look at which side of the diagonal your mask leaves.",
        "Rows are queries. A query reads what stands at or before its own place, so the past lies "
        "below the diagonal.",
    ),
    "mask-excludes-self": (
        "May a token read itself?",
        "Look at the diagonal of your mask.",
        "The diagonal belongs to what may be read. Without it the first token sees nothing at all.",
    ),
    "mask-off-by-one": (
        "Which is the last key that query 0 may read?",
        "Look at the first row of your mask, and at the diagonal that it is built from.",
        "A mask that starts one diagonal off lets each token read its successor.",
    ),
    "mask-after-softmax": (
        "What do the rows of your weights sum to once something is hidden?",
        "Look at the order of two steps: hiding, and sharing out the weight.",
        "Whoever hides after sharing throws away the weight that hidden keys got. Hidden keys must "
        "not take part in the sharing.",
    ),
    "mask-renormalised": (
        "What is left of a row whose hidden key had practically all of the weight?",
        "Look at the sum that you divide by the second time, with a very large hidden score.",
        "Right on paper, 0/0 in floating point. Keep hidden scores out before the exponential.",
    ),
    "mask-zero-fill": (
        "What is the exponential of 0?",
        "Look at what a hidden score becomes before the softmax.",
        "A score of 0 is an ordinary score. To be removed, its exponential has to be 0.",
    ),
    "mask-finite-fill": (
        "Is there a number that is lower than every score?",
        "Look at what a hidden score becomes, with visible scores of -10 000, and at a row that "
        "sees nothing.",
        "A large negative number is a promise that scores break. Something that no score can reach "
        "removes a key; a row without any key needs a rule of its own.",
    ),
    "mask-first-item": (
        "Do all items of the batch have the same keys to read?",
        "Look at how `visible` meets the scores when each item has a mask of its own.",
        "A mask of rank 3 belongs item by item to the batch.",
    ),
    "mask-added": (
        "What do True and False count as in a sum?",
        "Look at how the mask meets the scores.",
        "A boolean says which scores stay. Added, it moves them by 0 or by 1.",
    ),
    "mask-positive-infinity": (
        "Which weight does the largest score get?",
        "Look at the sign of what hidden scores become.",
        "What is hidden must be lower than everything else, not higher.",
    ),
    "mask-tiny-fill": (
        "Is your number small, or is it low?",
        "Look at where the minus sign of your fill stands.",
        "A number close to 0 is an ordinary score. Lowness is at the other end of the line.",
    ),
    "padding-hides-queries": (
        "Who must not be read: padded keys, or who asks at a padded place?",
        "Look at which axis of the mask your lengths run along.",
        "Padding is hidden as a key: its columns are False, for every query.",
    ),
    "mask-fits-by-accident": (
        "Which shapes may a mask have?",
        "Try masks of other shapes, one axis of which happens to fit.",
        "A mask that is stretched until it fits means something else. Look at its shape first.",
    ),
    # --- values and sources ---
    "context-transposed": (
        "Which query does row 0 of the context belong to?",
        "Look at which axis of the weights meets the values.",
        "A query's row of weights mixes the values: keys meet values.",
    ),
    "projection-transposed": (
        "Which axis of the projection must be as long as a row of the input?",
        "Look at the order and the axes of the product, with widths that all differ.",
        "Row vectors stand on the left, and meet the rows of the projection.",
    ),
    "values-from-keys": (
        "What is a key for, and what is a value for?",
        "Look at what the weights are multiplied with.",
        "Keys decide who is read, values are what is read. They have projections of their own.",
    ),
    "values-from-input": (
        "How wide should a row of the context be?",
        "Look at what the weights are multiplied with.",
        "What is read is the projected value of a token, not the token itself.",
    ),
    "context-ignored": (
        "From which sequence do keys and values come in cross-attention?",
        "Look at what becomes of `context` in your function.",
        "One sequence asks, the other one answers: it supplies both what is compared and what is "
        "read.",
    ),
    "sources-swapped": (
        "Which sequence has a row in the result for each of its tokens?",
        "Look at which source goes into which projection.",
        "The sequence that asks supplies the queries. Keys and values come from the one that is "
        "read.",
    ),
    # --- output ---
    "output-skipped": (
        "How wide is a row of the output, and how wide is a row of the context?",
        "Look at what happens after the weighted sum.",
        "The last projection takes the width d_v back to the model's width.",
    ),
    "output-transposed": (
        "Which axis of W_O must be as long as a row of the context?",
        "Look at the order and the axes of the last product.",
        "Row vectors stand on the left: a row of width d_v meets the d_v rows of W_O.",
    ),
    # --- batches ---
    "batch-flattened": (
        "May a token of item 0 read a token of item 1?",
        "Look at the shape in which the scores are computed.",
        "A batch laid out as one long sequence lets everybody read everybody. Keep the batch axis "
        "in front, and let each product run within an item.",
    ),
    "batch-first-item": (
        "Do two different items get two different results?",
        "Look for a place where one item stands for all.",
        "Each item goes through the layer on its own numbers.",
    ),
    # --- counts and costs ---
    "count-output-missing": (
        "Which matrices does the layer own?",
        "Look at which of them your total contains.",
        "The output projection belongs to the layer, so its entries are counted.",
    ),
    "count-bias-missing": (
        "What does bias=True add to each projection?",
        "Look at where `bias` is used.",
        "A bias vector has one entry for each feature that its projection gives.",
    ),
    "count-bias-always": (
        "What is counted when there is no bias?",
        "Look at the case bias=False.",
        "A bias that is not there has no parameters.",
    ),
    "count-square": (
        "Which shape has each of the matrices?",
        "Look at the widths: are they all the same?",
        "A projection has as many rows as its input is wide, and as many columns as its result.",
    ),
    "cost-linear": (
        "With twice as many tokens, how many pairs of a query and a key are there?",
        "Look at how T enters the cost of the scores.",
        "Every query meets every key.",
    ),
    "cost-flops": (
        "What is counted as one: a multiply-add, or a multiplication and an addition?",
        "Look for a factor of 2.",
        "The chapter counts multiply-adds.",
    ),
    "cost-causal-discount": (
        "Does the mask act before or after the scores are computed?",
        "Look for a factor of one half.",
        "In the dense form all scores are computed, then some are hidden. That saves nothing.",
    ),
    # --- numbers and memory ---
    "low-precision": (
        "Which dtype does each of your intermediate results have?",
        "Look for a conversion, or an array that you made without saying its dtype.",
        "One step in a lower precision loses digits that no later step brings back.",
    ),
    "integer-truncation": (
        "What becomes of 0.7 when it is written into an array of integers?",
        "Look for an array that is made from integers and filled later.",
        "Integer inputs are legal. What is computed from them is not an integer any more.",
    ),
    "input-mutated": (
        "Do the arrays that you were given still hold what they held?",
        "Look for a step that writes into an array instead of making a new one.",
        "An argument belongs to the caller. Work on a copy of your own.",
    ),
    "memory-shared": (
        "If somebody writes into your result, what else changes?",
        "Look for a result that is an input, a view of one, or something that you keep.",
        "A slice or a reshape is often a window on the same memory. A result needs memory of its "
        "own.",
    ),
    "hidden-state": (
        "Does your answer depend on what was asked before?",
        "Look for what is kept between calls: a global, an attribute, a default argument.",
        "The same question has the same answer, whoever asked what before.",
    ),
}

STAGES: Mapping[str, Hints] = {
    "Q": (
        "What is a query made from?",
        "Look at the source and the projection of Q, and at the order of their product.",
        "Each row of the input, on the left, meets the query projection.",
    ),
    "K": (
        "What is a key made from?",
        "Look at the source and the projection of K, and at the order of their product.",
        "Each row of the sequence that is read meets the key projection.",
    ),
    "V": (
        "What is a value made from?",
        "Look at the source and the projection of V, and at the order of their product.",
        "Each row of the sequence that is read meets the value projection.",
    ),
    "scores": (
        "What does the entry in row i and column j compare?",
        "Work out one entry by hand: a query, a key, and the scale.",
        "Every query with every key, each comparison brought to one size, before anything is "
        "hidden.",
    ),
    "visible": (
        "Which keys may this query read, and what does True say?",
        "Compare your mask with the one beside it, row by row. Rows are queries.",
        "A mask says who may read whom. It knows nothing of scores.",
    ),
    "weights": (
        "What does a row of your weights sum to, and where is it 0?",
        "Take the row of the first entry that differs, and work it out by hand.",
        "The visible scores of one query are shared out: exponential over the sum of exponentials, "
        "hidden keys left out.",
    ),
    "context": (
        "Which rows does the weighted sum run over?",
        "Take one row of your weights: which values does it mix, and how much of each?",
        "A row of the context is the mean of the values, weighted by that query's weights.",
    ),
    "reading": (
        "Which rows does the weighted sum run over?",
        "Take your weights: which values do they mix, and how much of each?",
        "A reading is the mean of the values, weighted by the query's weights.",
    ),
    "output": (
        "How does a row of width d_v become one of width d_model?",
        "Look at the last product, and at a bias where there is one.",
        "The output projection acts on each row alone.",
    ),
}

ERRORS: Hints = (
    "On which input does the code stop, and what is special about it?",
    "Look at the line that is named, and print the shapes just before it.",
    "A function for every size meets sizes, dtypes and single tokens that you did not try.",
)

ANSWERS: Hints = (
    "For which of your answers can you give a reason?",
    "Find the rule that the text above gives for such questions, and put each item to it, one by "
    "one.",
    "Each item is decided alone. Doubt those whose reason is what they are called, or what you "
    "have read elsewhere.",
)

NON_FINITE: Hints = (
    "Which operations on ordinary numbers give no number?",
    "Look at the first row that is named: what is subtracted there, what is divided by what?",
    "An infinity minus itself, and 0/0, are no numbers. A row that has nothing to share out needs "
    "a rule of its own.",
)

SHAPES: Hints = (
    "Which axes should the result have, and what is each of them called?",
    "Print the shape after each step, with sizes that all differ, and find the first surprise.",
    "A product joins the last axis of the left with the next to last of the right; everything "
    "before these is carried along.",
)

MASK_SHAPES: Hints = (
    "Which axes does the mask have that is due, and which of them has yours?",
    "Look for the axis that is missing or of length 1: for whom is its line meant?",
    "What is the same for all items, or for all queries, stands there for each of them.",
)

DTYPES: Hints = (
    "Which kind of number goes in, and after which step is it another?",
    "Print the dtype after each step, for inputs of that kind.",
    "numpy's own numbers and new arrays are float64 unless told otherwise, and a product of "
    "integers is one of integers. Lesson 1 has a section on it, “Kinds of number”.",
)

CHOICES: Hints = (
    "Could you say what speaks against each answer that you did not choose?",
    "Read the section again, without your answer in mind, and then the question.",
    "The wrong answers are mistakes that people make. For each there is a sentence or a cell that "
    "refutes it.",
)

FAMILIES: Mapping[str, Hints] = {
    "shape": (
        "Which form does the task ask for: which names, in which order, of which type?",
        "Compare what you return, or raise, with the docstring of the stub.",
        "The form is part of the answer: whoever calls your function relies on it.",
    ),
    "masking": STAGES["visible"],
    "projection": (
        "Which matrix acts on which side, and what are its rows and columns?",
        "Write down the shapes of both factors of each product.",
        "Row vectors stand on the left: each row of the input is projected alone.",
    ),
    "parameter-count": (
        "Which matrices and vectors does the layer own, and which shape has each?",
        "Count one small layer entry by entry, and compare.",
        "Parameters are the entries of what the layer owns, however many tokens come by.",
    ),
    "batching": (
        "Does an item get alone what it gets in the batch?",
        "Run one item by itself, and compare it with its place in the batch.",
        "Items of a batch are computed together and know nothing of each other.",
    ),
    "numerical": (
        "Which step is the first whose numbers you can't explain?",
        "Take the smallest case and work out one entry by hand, step by step.",
        "Compare with your own earlier stages: each stage follows from those before it.",
    ),
    "purity": (
        "What else changes when your function is called?",
        "Look for what is written into, handed out twice, or kept.",
        "A function takes numbers and gives numbers. It leaves everything else as it was.",
    ),
    "cost": (
        "Which product is it, and which three sizes does it run over?",
        "Count the multiply-adds of one entry, then the entries.",
        "A product of (n, m) and (m, p) takes n·m·p multiply-adds.",
    ),
    "audit": (
        "Which stages does each invariant speak about?",
        "Judge each stage of the layer's trace on its own earlier stages.",
        "A broken stage drags what follows with it. Only the stage that does not follow from its "
        "predecessors is broken.",
    ),
    "interpretation": (
        "What would you have to change to see whether the claim holds?",
        "Reread the sentence: does it speak of what is shown, or of what it causes?",
        "A weight says what is mixed in, not what it does to the result.",
    ),
}
