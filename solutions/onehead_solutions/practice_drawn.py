"""Practice problems with drawn numbers: calculation and parameter-count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from onehead.model import Array, Case, Family, Misconception, Names, NotReached, Part, Stage
from onehead_solutions import wrong
from onehead_solutions.attention import causal
from onehead_solutions.practice_pool import POOL, variant

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


def weights_of_one_query(v: Variant) -> Array:
    return _softmax(KEYS_1 @ np.array(v["query"]) / 2)


def context_of_position_2(v: Variant) -> Array:
    return np.asarray(_softmax(KEYS_2[:3] @ np.array(v["asker"]) / 2) @ VALUES_2[:3])


def output_of_position_1(v: Variant) -> Array:
    X = np.array(v["X"])
    scores = (X @ W_K)[:2] @ (X @ W_Q)[1] / 2
    return np.asarray(_softmax(scores) @ (X @ W_V)[:2] @ W_O)


# --- wrong steps in them -----------------------------------------------------------------


def _one_query(v: Variant) -> Names:
    return Names(Q=np.array([v["query"]]), K=KEYS_1, V=KEYS_1, visible=np.ones((1, 3), dtype=bool))


def _one_of_four(v: Variant) -> Names:
    """The queries of other positions are not given: what depends on them is no number."""
    Q = np.full((4, 4), np.nan)
    Q[2] = v["asker"]
    return Names(Q=Q, K=KEYS_2, V=VALUES_2, visible=causal(4))


def _whole_layer(v: Variant) -> Names:
    return Names(X=np.array(v["X"]), W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, visible=causal(3))


# What large scores show, or tokens of padding; and what few would do who work by hand, whose
# numbers might be those of a mistake that many make.
_NOT_BY_HAND = (
    "context-over-tokens",
    "context-transposed",
    "keys-from-queries",
    "mask-added",
    "mask-finite-fill",
    "mask-tiny-fill",
    "output-activated",
    "queries-from-keys",
    "residual-added",
    "scores-of-inputs",
    "softmax-base-two",
    "softmax-clipped",
    "softmax-hard",
    "softmax-misaligned",
    "softmax-sigmoid",
    "softmax-twice",
    "weights-cut",
)
_NO_MASK = ("mask-inverted", "mask-off-by-one", "softmax-over-queries")  # one query sees all
MISTAKES_1 = tuple(wrong.worked(POOL, _one_query, "weights", 0, (*_NOT_BY_HAND, *_NO_MASK)))
MISTAKES_2 = tuple(wrong.worked(POOL, _one_of_four, "context", 2, _NOT_BY_HAND))
MISTAKES_3 = tuple(wrong.worked(POOL, _whole_layer, "output", 1, _NOT_BY_HAND))


def drawn_for(i: Names) -> Variant:
    """The variant of the learner whom the answer's file names."""
    return variant(i.get("LEARNER", ""))


def _by_hand(stage: str, name: str, mistake: Callable[[Variant], Array | None]) -> Misconception:
    """A mistake in numbers worked by hand: it is recognised to 0.001, as a right answer is."""

    def numbers(i: Names, e: Names) -> Array:
        made = mistake(drawn_for(i))
        if made is None:
            raise NotReached(stage)
        return made

    return wrong.of_stages(name, {stage: numbers})


def _calculation(
    number: int,
    stage: str,
    family: Family,
    due: Callable[[Variant], Array],
    mistakes: Iterable[wrong.Worked],
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
        misconceptions=tuple(_by_hand(stage, *each) for each in mistakes),
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


Counts = Sequence[tuple[str, Callable[[Variant], int]]]

COUNTS_1: Counts = (
    ("count-output-missing", lambda v: parameters(*_own(v)) - v["d_model"] * v["d_v"]),
    ("count-bias-always", lambda v: parameters(*_own(v), bias=True)),
    ("count-square", lambda v: 4 * v["d_model"] ** 2),
)


def _swapped(v: Variant) -> int:
    """The context asks, and the sequence is read."""
    d_model, d_k, d_v, d_context = v["d_model"], v["d_k"], v["d_v"], v["d_context"]
    return int((d_context + 1) * d_k + (d_model + 1) * (d_k + d_v) + (d_v + 1) * d_model)


def _without_output(v: Variant) -> float:
    """The d_v for which Q, K and V alone have so many parameters; no whole number."""
    d_model, d_k, total = v["counted"]
    return float(total / (d_model + 1) - 2 * d_k)


COUNTS_2: Counts = (
    ("count-bias-missing", lambda v: cross_parameters(v, bias=False)),
    ("count-output-missing", lambda v: cross_parameters(v) - (v["d_v"] + 1) * v["d_model"]),
    ("context-ignored", lambda v: cross_parameters(v, v["d_model"])),
    ("sources-swapped", _swapped),
)
COUNTS_3: Counts = (
    (
        "count-bias-missing",
        lambda v: round(v["counted"][2] / (2 * v["counted"][0])) - v["counted"][1],
    ),
    ("count-output-missing", lambda v: round(_without_output(v))),
    ("count-output-missing", lambda v: int(_without_output(v))),
)


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
        misconceptions=tuple(misconception(*each) for each in mistakes),
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
