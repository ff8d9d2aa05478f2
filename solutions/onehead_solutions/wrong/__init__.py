"""Known mistakes: what each computes, given the inputs and the learner's own earlier stages.

A mistake is recognised by what it computes. ``names.py`` says what each name means; the other
modules hold the sets that go with the parts of one kind. A name that stands twice is one mistake
that people make in several ways.
"""

from onehead_solutions.wrong.audits import AUDITS
from onehead_solutions.wrong.choices import (
    ABLATIONS,
    ATTENTION_CLAIMS,
    BOUNDARY,
    CHANGED,
    INTERACT,
    KINDS,
    OUTPUT_ABLATIONS,
    PROJECTION_CLAIMS,
)
from onehead_solutions.wrong.counts import COSTS, COUNTS, PASSES, PATHS, SHAPES
from onehead_solutions.wrong.derived import (
    BROADCAST,
    CAUSAL_MASK,
    FOLD,
    OBSERVED,
    OUTPUT_PROJECTION,
    PADDING,
    READING,
    SOFTMAX,
    SOURCES,
    TRACE_BY_HAND,
    VISIBILITY,
)
from onehead_solutions.wrong.given import masks, outputs, over_items, under_masks, weights_of
from onehead_solutions.wrong.names import KNOWN, REREAD, SAYS, Wrong, known, no_later, of_stages
from onehead_solutions.wrong.traces import (
    ABLATE,
    BATCHED_TRACE,
    CAUSAL_TRACE,
    LAYER,
    TRACE,
    TRACE_WEIGHTS,
)
from onehead_solutions.wrong.worked import Worked, apart, worked

__all__ = [
    "ABLATE",
    "ABLATIONS",
    "ATTENTION_CLAIMS",
    "AUDITS",
    "BATCHED_TRACE",
    "BOUNDARY",
    "BROADCAST",
    "CAUSAL_MASK",
    "CAUSAL_TRACE",
    "CHANGED",
    "COSTS",
    "COUNTS",
    "FOLD",
    "INTERACT",
    "KINDS",
    "KNOWN",
    "LAYER",
    "OBSERVED",
    "OUTPUT_ABLATIONS",
    "OUTPUT_PROJECTION",
    "PADDING",
    "PASSES",
    "PATHS",
    "PROJECTION_CLAIMS",
    "READING",
    "REREAD",
    "SAYS",
    "SHAPES",
    "SOFTMAX",
    "SOURCES",
    "TRACE",
    "TRACE_BY_HAND",
    "TRACE_WEIGHTS",
    "VISIBILITY",
    "Worked",
    "Wrong",
    "apart",
    "known",
    "masks",
    "no_later",
    "of_stages",
    "outputs",
    "over_items",
    "under_masks",
    "weights_of",
    "worked",
]
