"""Practice problems with drawn numbers: calculation and parameter-count."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from onehead.model import Array, Case, Family, Misconception, Names, Part, Stage
from onehead_solutions import wrong
from onehead_solutions.practice_pool import variant

Variant = Mapping[str, Any]

# --- what the notebook gives to everybody ------------------------------------------------

KEYS_1 = np.array([[2, 0, 1, 0], [0, 1, 0, 1], [1, 1, -1, 0]])

KEYS_2 = np.array([[1, 0, 1, -1], [0, 2, 0, 1], [1, -1, 1, 0], [-1, 1, 0, 2]])
VALUES_2 = np.array([[2, 0], [0, 3], [-1, 1], [4, -2]])

W_Q = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
W_K = np.array([[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
W_V = np.array([[1, 2], [0, -1], [-1, 1]])
W_O = np.array([[1, 0, 2], [-1, 1, 0]])

# --- calculation -------------------------------------------------------------------------


def _softmax(scores: Array) -> Array:
    exp = np.exp(scores - scores.max())
    return np.asarray(exp / exp.sum())


def weights_of_one_query(v: Variant, scale: float = 2.0) -> Array:
    return _softmax(KEYS_1 @ np.array(v["query"]) / scale)


def context_of_position_2(v: Variant, scale: float = 2.0, seen: int = 3) -> Array:
    scores = KEYS_2[:seen] @ np.array(v["asker"]) / scale
    return np.asarray(_softmax(scores) @ VALUES_2[:seen])


def output_of_position_1(
    v: Variant, scale: float = 2.0, seen: int = 2, swapped: bool = False
) -> Array:
    X = np.array(v["X"])
    Q, K = (X @ W_K, X @ W_Q) if swapped else (X @ W_Q, X @ W_K)
    scores = K[:seen] @ Q[1] / scale
    return np.asarray(_softmax(scores) @ (X @ W_V)[:seen] @ W_O)


def _context_masked_after(v: Variant) -> Array:
    weights = _softmax(KEYS_2 @ np.array(v["asker"]) / 2)
    return np.asarray(weights[:3] @ VALUES_2[:3])


def _context_zero_filled(v: Variant) -> Array:
    scores = np.append(KEYS_2[:3] @ np.array(v["asker"]) / 2, 0)
    return np.asarray(_softmax(scores) @ VALUES_2)


def _output_masked_after(v: Variant) -> Array:
    X = np.array(v["X"])
    weights = _softmax(X @ W_K @ (X @ W_Q)[1] / 2)
    return np.asarray(weights[:2] @ (X @ W_V)[:2] @ W_O)


Mistakes = Mapping[str, Callable[[Variant], Array]]

MISTAKES_1: Mistakes = {
    "scale-missing": lambda v: weights_of_one_query(v, 1.0),
    "scale-by-dk": lambda v: weights_of_one_query(v, 4.0),
    "softmax-unnormalised": lambda v: np.exp(KEYS_1 @ np.array(v["query"]) / 2),
}
MISTAKES_2: Mistakes = {
    "scale-missing": lambda v: context_of_position_2(v, 1.0),
    "scale-by-dk": lambda v: context_of_position_2(v, 4.0),
    "mask-missing": lambda v: context_of_position_2(v, seen=4),
    "mask-excludes-self": lambda v: context_of_position_2(v, seen=2),
    "mask-after-softmax": _context_masked_after,
    "mask-zero-fill": _context_zero_filled,
}
MISTAKES_3: Mistakes = {
    "scale-missing": lambda v: output_of_position_1(v, 1.0),
    "scale-by-dk": lambda v: output_of_position_1(v, 4.0),
    "scale-by-dmodel": lambda v: output_of_position_1(v, math.sqrt(3)),
    "mask-missing": lambda v: output_of_position_1(v, seen=3),
    "mask-after-softmax": _output_masked_after,
    "qk-swapped": lambda v: output_of_position_1(v, swapped=True),
}


def drawn_for(i: Names) -> Variant:
    """The variant of the learner whom the answer's file names."""
    return variant(i.get("LEARNER", ""))


def _by_hand(stage: str, name: str, mistake: Callable[[Variant], Array]) -> Misconception:
    """A mistake in numbers worked by hand: it is recognised to 0.001, as a right answer is."""
    return Misconception(
        name, {stage: lambda i, e: mistake(drawn_for(i))}, wrong.SAYS[name], "lesson-04"
    )


def _calculation(
    number: int, stage: str, family: Family, due: Callable[[Variant], Array], mistakes: Mistakes
) -> Part:
    """Numbers that are right to 0.001, worked by hand or by code."""
    return Part(
        f"calculation-{number}",
        1,
        (
            Stage(
                stage,
                family,
                want=lambda i, e: due(drawn_for(i)),
                allow=lambda i, e, r: np.full(due(drawn_for(i)).shape, np.nextafter(0.001 / 2, 0)),
                axes=("entry",),
                secret=True,
                by_hand=True,
            ),
        ),
        (Case(f"calculation-{number}"),),
        "value",
        misconceptions=tuple(_by_hand(stage, *each) for each in mistakes.items()),
        target=f"calculation_{number}",
    )


# --- parameter-count ---------------------------------------------------------------------


def parameters(d_model: int, d_k: int, d_v: int, bias: bool = False) -> int:
    """The four projections of a single-head layer."""
    matrices = 2 * d_model * d_k + 2 * d_model * d_v
    return matrices + bias * (2 * d_k + d_v + d_model)


def cross_parameters(v: Variant, d_context: int | None = None, bias: bool = True) -> int:
    """Keys and values come from a context that has a width of its own."""
    d_model, d_k, d_v = v["d_model"], v["d_k"], v["d_v"]
    source = d_context or v["d_context"]
    matrices = d_model * d_k + source * (d_k + d_v) + d_v * d_model
    return int(matrices + bias * (2 * d_k + d_v + d_model))


def value_width(d_model: int, d_k: int, total: int) -> int:
    """The d_v with which a layer with biases has ``total`` parameters."""
    return (total - 2 * d_k * (d_model + 1) - d_model) // (2 * d_model + 1)


def _own(v: Variant) -> tuple[int, int, int]:
    return v["d_model"], v["d_k"], v["d_v"]


Counts = Mapping[str, Callable[[Variant], int]]

COUNTS_1: Counts = {
    "count-output-missing": lambda v: parameters(*_own(v)) - v["d_model"] * v["d_v"],
    "count-bias-always": lambda v: parameters(*_own(v), bias=True),
    "count-square": lambda v: 4 * v["d_model"] ** 2,
}
COUNTS_2: Counts = {
    "count-bias-missing": lambda v: cross_parameters(v, bias=False),
    "count-output-missing": lambda v: cross_parameters(v) - (v["d_v"] + 1) * v["d_model"],
    "context-ignored": lambda v: cross_parameters(v, v["d_model"]),
}
COUNTS_3: Counts = {
    "count-bias-missing": lambda v: (
        round(v["counted"][2] / (2 * v["counted"][0])) - v["counted"][1]
    ),
    "count-output-missing": lambda v: round(
        (v["counted"][2] - 2 * v["counted"][1] * (v["counted"][0] + 1)) / (v["counted"][0] + 1)
    ),
}


def _counting(number: int, due: Callable[[Variant], int], mistakes: Counts) -> Part:
    stage = "d_v" if number == 3 else "total"

    def misconception(name: str, count: Callable[[Variant], int]) -> Misconception:
        return Misconception(
            name, {stage: lambda i, e: count(drawn_for(i))}, wrong.SAYS[name], "lesson-05"
        )

    return Part(
        f"parameter-count-{number}",
        1,
        (Stage(stage, "parameter-count", want=lambda i, e: due(drawn_for(i)), secret=True),),
        (Case(f"parameter-count-{number}"),),
        "value",
        misconceptions=tuple(misconception(*each) for each in mistakes.items()),
        target=f"parameter_count_{number}",
    )


ANSWERS: Mapping[str, Callable[[Variant], Any]] = {
    "calculation-1": weights_of_one_query,
    "calculation-2": context_of_position_2,
    "calculation-3": output_of_position_1,
    "parameter-count-1": lambda v: parameters(*_own(v)),
    "parameter-count-2": cross_parameters,
    "parameter-count-3": lambda v: value_width(*v["counted"]),
}
CALCULATION = (
    _calculation(1, "weights", "numerical", ANSWERS["calculation-1"], MISTAKES_1),
    _calculation(2, "context", "numerical", ANSWERS["calculation-2"], MISTAKES_2),
    _calculation(3, "output", "projection", ANSWERS["calculation-3"], MISTAKES_3),
)
PARAMETER_COUNT = (
    _counting(1, ANSWERS["parameter-count-1"], COUNTS_1),
    _counting(2, ANSWERS["parameter-count-2"], COUNTS_2),
    _counting(3, ANSWERS["parameter-count-3"], COUNTS_3),
)
