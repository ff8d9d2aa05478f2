"""The practice set: eight kinds of problems, three of each, easy to hard."""

from __future__ import annotations

from typing import Any

import numpy as np

from onehead.model import Exercise
from onehead_solutions.practice_batching import BATCHING, batching_1, batching_2, batching_3
from onehead_solutions.practice_debugging import (
    DEBUGGING,
    debugging_1,
    debugging_2,
    debugging_3,
)
from onehead_solutions.practice_drawn import ANSWERS, CALCULATION, PARAMETER_COUNT
from onehead_solutions.practice_interpretation import (
    INTERPRETATION,
    interpretation_1,
    interpretation_2,
    interpretation_3,
)
from onehead_solutions.practice_masking import MASKING, masking_1, masking_2, masking_3
from onehead_solutions.practice_pool import variant
from onehead_solutions.practice_projection import (
    PROJECTION,
    projection_1,
    projection_2,
    projection_3,
)
from onehead_solutions.practice_shape import SHAPE, shape_1, shape_2, shape_3

# Under these names the references of problems without drawn numbers are found.
__all__ = [
    "EXERCISE",
    "batching_1",
    "batching_2",
    "batching_3",
    "debugging_1",
    "debugging_2",
    "debugging_3",
    "interpretation_1",
    "interpretation_2",
    "interpretation_3",
    "masking_1",
    "masking_2",
    "masking_3",
    "projection_1",
    "projection_2",
    "projection_3",
    "shape_1",
    "shape_2",
    "shape_3",
    "solved_value",
]


def solved_value(name: str, learner: str) -> Any:
    """The answer to a problem with drawn numbers, as a learner of this name writes it."""
    answer = ANSWERS[name](variant(learner))
    return [float(x) for x in answer] if isinstance(answer, np.ndarray) else answer


PARTS = (
    *SHAPE,
    *CALCULATION,
    *MASKING,
    *PROJECTION,
    *PARAMETER_COUNT,
    *DEBUGGING,
    *BATCHING,
    *INTERPRETATION,
)
EXERCISE = Exercise("practice", "10_practice", "Exercises", PARTS, draws=True)
