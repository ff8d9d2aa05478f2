"""The names of known mistakes: to each a sentence that teaches, and the lesson to reread.

The sentence says what is wrong and why, never the line of code that would be right. Mistakes that
are equal by algebra share a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from onehead.model import Misconception, Names
from onehead.signature import GENERAL

Wrong = Callable[[Names, Names], Any]

KNOWN: dict[str, dict[str, str]] = {
    "lesson-01": {
        "batch-axis-missing": "The batch axis is left out: a layer keeps every axis of its input.",
        "block-as-layer": "What a Transformer block does around the layer is counted as part of "
        "it: attention ends where its own output is made.",
        "order-invariant": "The rows of the output move along with their tokens.",
        "order-noticed": "Nothing in the equations knows a row's place.",
        "output-outside": "The output projection is put outside: without it the layer could not "
        "hand on what it was given.",
        "reading-model-wide": "A reading is a mixture of values, and is as wide as they are.",
        "scores-feature-wide": "A score compares one query with one key: features are summed away.",
        "softmax-hard": "The best key takes all the weight: softmax shares it out.",
        "softmax-sigmoid": "Each key is weighted on its own: the keys compete for one unit of "
        "weight.",
        "weights-of-visible-only": "The weights cover the visible keys alone: a hidden key keeps "
        "its place and gets 0.",
    },
    "lesson-02": {
        "causal-offset": "Past and future need one sequence: where queries and keys differ in "
        "number, no diagonal is the right one, and the call is to be refused.",
        "context-ignored": "Cross-attention reads the input where it should read the context.",
        "cross-as-self": "Two sequences take part.",
        "mask-as-source": "A mask does not make another source.",
        "mask-for-source": "No mask turns one text into another.",
        "neither-as-cross": "In cross-attention keys and values share a source that is not the "
        "queries'; everything else has no name of its own.",
        "projection-order": "Queries, keys and values change places in what is returned.",
        "queries-and-keys-exchanged": "The numbers of queries and keys change places: a row "
        "belongs to a query.",
        "source-for-mask": "The sequence is the right one.",
        "sources-swapped": "Queries come from the context, keys and values from the input: it is "
        "the other way round.",
        "value-source-ignored": "Only queries and keys are looked at: values have a source, too.",
    },
    "lesson-03": {
        "ablation-by-zero": "The projection is zeroed, whatever was handed over in its place.",
        "ablation-in-part": "Only the projection's own stage is replaced: all that is made from "
        "it changes as well.",
        "change-everywhere": "A stage counts only where all of its numbers moved: one is enough.",
        "change-signed": "A difference counts in both directions.",
        "changes-cancel": "Differences of both signs cancel in a sum.",
        "context-unmoved": "The context is a mixture made by the weights: what moves them moves "
        "it, too.",
        "fact-as-interpretation": "This follows from the equations, whatever the matrices hold.",
        "first-change-only": "The search stops at the first change: later stages can differ, too.",
        "interpretation-as-fact": "No equation says what a vector is about or what training was "
        "after: that needs other evidence.",
        "inverse-not-transposed": "The inverse has to be transposed, since K enters the scores "
        "transposed.",
        "keys-from-queries": "The keys are made with the query projection: each role has one of "
        "its own.",
        "order-changed": "The right names, in another order than that in which one stage is made "
        "from another.",
        "projection-transposed": "A projection is applied transposed.",
        "projections-apart": "Scores depend on both matrices together.",
        "queries-from-keys": "The queries are made with the key projection: each role has one of "
        "its own.",
        "replacement-added": "The replacement is added to the projection: it has to take its "
        "place.",
        "replacement-ignored": "The projection stays as it was.",
        "tolerance-ignored": "Any difference counts, however small: the tolerance says from where.",
        "tolerance-included": "A difference as large as the tolerance is within it.",
        "tolerance-relative": "The tolerance is absolute: it does not grow with the numbers.",
        "transposed-not-inverted": "Only where A is orthogonal is its transpose its inverse.",
        "turned-alike": "Turning both by A keeps scores only where A is orthogonal.",
        "unchanged-named": "These are the stages that stayed as they were.",
        "values-first": "The columns are W_Q, W_K, W_V from left to right.",
        "values-from-input": "The input itself is used as values. A value has a projection of its "
        "own.",
        "values-from-keys": "The keys are used as values. A value has a projection of its own.",
        "values-in-scores": "Values take no part in the scores, and so none in the weights.",
        "zero-scores-zero-weights": "A row still sums to 1.",
    },
    "lesson-04": {
        "causal-always": "The past alone is visible although nothing hides the future.",
        "context-over-tokens": "The context is divided by the number of tokens: the weights "
        "already sum to 1.",
        "context-transposed": "The weights are mixed along the other axis: row i holds what query "
        "i gives to each key.",
        "empty-row-nan": "A query that sees no key ends in 0/0 or in -inf - -inf: it has nothing "
        "to share out, and its weights are zeros.",
        "features-compared": "Features are compared, not tokens: the shared axis is summed away.",
        "keys-reshaped": "K is reshaped where its axes should change places: the numbers land in "
        "other cells.",
        "mask-added": "A boolean mask is added: it counts as 0 and 1, and hides nothing.",
        "mask-after-softmax": "Weights are set to zero after the softmax, so what is left no "
        "longer sums to 1.",
        "mask-excludes-self": "A token cannot see itself: the diagonal belongs to what may be "
        "read.",
        "mask-finite-fill": "Hidden scores become a finite number: it leaks among very low scores "
        "and fills a row that sees no key.",
        "mask-inverted": "Visible and hidden are exchanged: True means that this query may read "
        "this key.",
        "mask-missing": "Nothing is hidden: every query reads every key.",
        "mask-off-by-one": "A token sees one token of its future.",
        "mask-positive-infinity": "Hidden scores become plus infinity, which is the largest score "
        "of all.",
        "mask-renormalised": "Masking after the softmax and dividing again is right on paper; "
        "where a hidden key dominates, it is 0/0.",
        "mask-tiny-fill": "Hidden scores become a number close to 0, and its exponential is close "
        "to 1: the exponent has lost its size, or the number its sign.",
        "mask-transposed": "Queries and keys are exchanged in the mask: a token sees the future "
        "instead of the past.",
        "mask-zero-fill": "A hidden score is set to 0, and the exponential of 0 is 1: hidden keys "
        "keep weight.",
        "qk-swapped": "Keys ask and queries answer: row i of the scores belongs to query i.",
        "rows-from-one": "Rows are counted from 1: the first row is row 0.",
        "scale-by-dk": "The scores are divided by d_k itself; the chapter's scale is its square "
        "root.",
        "scale-by-dmodel": "The scale comes from the model width; it belongs to the width in which "
        "queries meet keys.",
        "scale-by-dv": "The scale comes from the width of the values, which take no part in the "
        "scores.",
        "scale-by-tokens": "The scale comes from the number of tokens; a dot product grows with "
        "its width.",
        "scale-in-projection": "The scale stands in the trace's queries or keys: they are products "
        "with their matrices and nothing else, and the scores are scaled.",
        "scale-inverted": "The scores are multiplied by the square root of d_k: a factor that is "
        "already a reciprocal was divided by, or turned over.",
        "scale-missing": "The scores are not divided by the square root of d_k, so the softmax is "
        "too sharp.",
        "scores-masked": "The scores already hold the mask: they are shown as they are before "
        "anything is hidden.",
        "scores-of-inputs": "The tokens themselves are compared: matching has projections of its "
        "own.",
        "softmax-axis-ignored": "The axis that was asked for is not the one that is normalised.",
        "softmax-base-two": "The weights are made from powers of 2: that is a softmax of smaller "
        "scores.",
        "softmax-clipped": "Scores are cut off at a limit, so that keys beyond it look alike.",
        "softmax-global": "The whole matrix shares one unit of weight; each query has one of its "
        "own.",
        "softmax-misaligned": "Rows are divided, or moved, by what belongs to other rows: one "
        "number a row that does not keep its axis lines up with the columns.",
        "softmax-global-max": "One maximum is subtracted from all rows: a row far below it has "
        "nothing left to divide by.",
        "softmax-over-queries": "The softmax runs along the queries: it is each query that shares "
        "out one unit of weight over the keys.",
        "softmax-twice": "The softmax is taken twice: the second one makes the weights nearly "
        "even.",
        "softmax-unnormalised": "The exponentials are not divided by their sum, so a row does not "
        "sum to 1.",
        "softmax-unstable": "Large scores overflow in the exponential. Softmax does not change "
        "when a row is shifted.",
        "weights-cut": "Small weights are set to zero: what is left no longer sums to 1.",
        "window-ignored": "All of the past is visible: the window ends it.",
        "window-shifted": "The window is not where it belongs: the token itself is its last place.",
        "window-too-long": "The window holds one token too many: the token itself counts.",
        "window-two-sided": "The window reaches into the future as well.",
    },
    "lesson-05": {
        "bias-ignored": "The bias is left out.",
        "bias-subtracted": "The bias is taken away; it is added after the product.",
        "columns-unchecked": "The columns of W_O have to come back to the model width.",
        "count-bias-always": "Biases are counted although there are none.",
        "count-bias-missing": "With bias=True each projection has a bias vector as well.",
        "count-bias-in-total": "The biases are in the total alone: each projection has its own in "
        "its count.",
        "count-bias-single": "A bias is a vector: one number for each column of its projection.",
        "count-bias-width": "A bias is as wide as what its projection gives out, not as what goes "
        "in.",
        "count-heads": "The count is a multiple of a layer's: splitting a width into heads adds no "
        "parameters, and here there is one head.",
        "count-output-missing": "The count leaves out the output projection.",
        "count-per-token": "Tokens share the projections: their number does not enter.",
        "count-square": "The count takes d_k and d_v for d_model.",
        "count-total-twice": "Something is counted twice in the total.",
        "fold-elementwise": "The matrices are multiplied number by number: folding is a matrix "
        "product.",
        "fold-swapped": "The matrices are multiplied in the other order: a row vector meets W_V "
        "first.",
        "fold-transposed": "The folded matrix is transposed: it is applied to row vectors.",
        "identity-as-rotation": "An identity changes nothing; a rotation keeps lengths and turns "
        "everything.",
        "output-activated": "A nonlinear function follows the projection: the layer has none "
        "there.",
        "output-skipped": "The output projection is not applied.",
        "output-transposed": "The output projection is applied transposed.",
        "residual-added": "What went in is added to what comes out: that is the block's work, not "
        "the layer's.",
        "zero-as-identity": "A product with zeros is zero: the projection does not step aside.",
    },
    "lesson-06": {
        "batch-first-item": "Every item gets the first item's result.",
        "batch-flattened": "Tokens of different items attend to each other: the batch is no longer "
        "sequence.",
        "batch-softmax": "The softmax runs along the batch: items share weight that belongs to "
        "keys.",
        "cause-and-effect-exchanged": "Rows and columns are exchanged: a row belongs to the item "
        "that was changed.",
        "change-not-made": "An item is changed in a way that leaves zeros as they are: then "
        "nothing can follow from it.",
        "change-too-even": "An item is changed by the same number everywhere: who reads its "
        "differences does not notice.",
        "first-item-changed-only": "Only one item is ever changed: any of them may be the one "
        "that others read.",
        "interaction-inverted": "True stands for items that do interact.",
        "interaction-loose": "A small effect is an effect: the threshold lies above it.",
        "last-item-changed-only": "Only one item is changed and one looked at: any pair may be the "
        "one that interacts.",
        "layer-trusted": "The layer is not asked: that it keeps the shape says nothing about who "
        "reads whom.",
        "length-off-by-one": "One key too many or too few is visible: a length counts the keys "
        "that are real.",
        "lengths-unchecked": "A length below 0 or over the number of tokens is no length of this "
        "batch: it is to be refused.",
        "mask-fits-by-accident": "A mask of another shape is stretched until it fits, and means "
        "something else then.",
        "mask-first-item": "Every item of the batch uses the first item's mask.",
        "own-change-counted": "That an item changes with its own input is no interaction.",
        "own-item-left-out": "An item also moves its own output: the diagonal is measured like the "
        "rest.",
        "padding-divides": "The sum of the real tokens is divided by T: divide by how many were "
        "summed.",
        "padding-hides-both": "Padding is hidden as a query as well: its row may be read by "
        "nobody, and needs no mask of its own.",
        "padding-hides-queries": "The rows of padded queries are hidden: hide the columns of "
        "padded keys.",
        "padding-in-front": "The padding stands in front; the real tokens of a sequence come "
        "first.",
        "padding-taken-for-mask": "A mask of two axes is taken for one of lengths: it always "
        "means queries and keys.",
        "transpose-all-axes": "All axes of K change places: in a batch only the last two may.",
    },
    "lesson-07": {
        "attention-step-by-step": "One layer lets any token read any other: the distance does not "
        "enter.",
        "column-for-row": "A column says who reads token k; a row says what the target reads.",
        "convolution-centred": "A causal kernel reaches back on one side only.",
        "convolution-dilated": "The layers all reach equally far: their reaches are added.",
        "cost-batch-ignored": "The work is that of one sequence: each item of the batch has the "
        "same again.",
        "cost-causal-discount": "The mask hides scores after they were computed: the dense cost "
        "stays.",
        "cost-entries-added": "Numbers held are no work done: they do not belong to the total.",
        "cost-flops": "A multiply-add is counted as two operations; the chapter counts it as one.",
        "cost-linear": "Every query meets every key: the number of scores grows with the square of "
        "T.",
        "cost-one-product": "One of the two products with T times T pairs is left out: scores and "
        "weighted sum both cost.",
        "cost-one-projection": "One projection stands for three: queries, keys and values are "
        "each made.",
        "cost-overflow": "The count does not fit into 32 bits and has wrapped round.",
        "cost-projection-missing": "One of the three projections is not counted.",
        "cost-square-widths": "Queries and values are taken to be equally wide.",
        "cost-width": "Comparing a pair costs one multiply-add for each entry of a query, not of a "
        "token.",
        "effect-as-weight": "An experiment was made here.",
        "effect-norm": "The change is a vector, and its length is the root of the sum of its "
        "squares.",
        "effect-of-all-rows": "Only the target's row of the output is watched.",
        "effects-shared-out": "Effects are lengths of changes: nothing makes them sum to 1.",
        "first-token-free": "Each token that is generated takes a pass, the first one, too.",
        "kernel-as-reach": "A kernel of width n reaches n - 1 tokens back.",
        "kernel-ignored": "The kernel's width is not looked at.",
        "layers-in-part": "A part of a layer is a whole one.",
        "mean-received": "Early queries share their weight among few keys: a mean over queries "
        "forgets that.",
        "modes-exchanged": "Training has the whole text at once; generation waits for each token.",
        "passes-logarithmic": "Nothing halves the work: the next token needs the one before it.",
        "path-of-attention": "A convolution reaches a few tokens.",
        "path-one-more": "One layer too many: what is reached exactly is reached.",
        "steps-between": "Every token on the way is a step: the last one counts, too.",
        "token-removed": "The token is hidden, and the others share its weight: here only its "
        "value is taken away, and the weights stay.",
        "token-zeroed": "The whole token is set to zero, its key and query, too: here only its "
        "value is.",
        "total-received": "Early keys are seen by more queries: the sum alone favours them.",
        "training-one-by-one": "In training the whole text is there.",
        "weight-as-effect": "A weight says how much is read, not what comes of it: an effect "
        "depends on the value and on W_O, too.",
        "weight-as-reason": "One layer's map is no experiment.",
        "weight-ignored": "A value's size is measured without its weight: what is hardly read has "
        "hardly an effect.",
    },
    "lesson-08": {
        "audit-always-finds": "The same is found in every layer, right ones among them.",
        "audit-blames-followers": "Each stage is held against a right layer's: one fault then "
        "blames everything that is made from it.",
        "audit-call-unseen": "The trace is believed: a call can give something else.",
        "audit-count-unseen": "The number of parameters is a promise, too, and is not looked at.",
        "audit-exact": "Rounding is called a fault: right layers differ in their last digits.",
        "audit-first-finding-only": "The search ends with the first finding: a layer can break "
        "more than one invariant.",
        "audit-items-unseen": "An item is never compared with itself in a batch.",
        "audit-large-scores-unseen": "Only ordinary scores are tried: some faults need large ones.",
        "audit-mask-unseen": "Who sees whom is not looked at.",
        "audit-masks-untried": "The layer is never given a mask of its own, so whether it keeps "
        "to one is not known.",
        "audit-never-finds": "Nothing is ever found.",
        "audit-one-sequence": "Only single sequences are tried: what goes wrong in a batch is not "
        "seen.",
        "audit-shapes-only": "Only shapes are looked at: most faults keep them.",
        "call-drops-mask": "A call does not hand its mask on, so that it gives another result than "
        "its own trace.",
        "masks-joined-by-or": "A key is seen where both masks allow it, not where one of them "
        "does.",
        "norm-added": "The input is normalised first: that is the block's work, not the layer's.",
        "plausible-so-right": "A wrong layer can look sensible.",
        "trains-so-right": "A wrong layer learns as well.",
    },
}

SAYS = {name: says for lesson in KNOWN.values() for name, says in lesson.items()}
REREAD = {name: lesson for lesson, names in KNOWN.items() for name in names}


def known(name: str, says: str = "", **wrong: Wrong) -> Misconception:
    """A mistake by its name, in the stages that it distorts; ``says`` where a part needs its own.

    Raises:
        KeyError: the name is not known here.
    """
    return of_stages(name, wrong, says)


def of_stages(name: str, wrong: Mapping[str, Wrong], says: str = "") -> Misconception:
    """The same for stages whose names are no identifiers, and for mistakes of any course."""
    if name in GENERAL:
        return replace(GENERAL[name], wrong=wrong)
    return Misconception(name, wrong, says or SAYS[name], REREAD[name])


def answering(name: str, instead: Callable[[Names], Any], **wrong: Wrong) -> Misconception:
    """A mistake that answers where a call is to be refused."""
    return Misconception(name, wrong, SAYS[name], REREAD[name], instead=instead)


def no_later(lesson: str, mistakes: tuple[Misconception, ...]) -> tuple[Misconception, ...]:
    """The same in a part of that lesson: nobody is sent to a lesson that is yet to come."""
    return tuple(replace(m, reread=min(m.reread, lesson)) for m in mistakes)


def always(value: Any) -> Wrong:
    """The same wrong answer whatever is asked."""
    return lambda i, e: value


def fitting(name: str, fits: Callable[[Mapping[str, Any], frozenset[str]], bool]) -> Misconception:
    """A mistake that only a judge can see: it fits the answers and which of them failed."""
    return Misconception(name, {}, SAYS[name], REREAD[name], fits=fits)
