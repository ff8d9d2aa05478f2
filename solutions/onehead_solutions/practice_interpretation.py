"""Practice problems in which the data refute the tempting reading."""

from __future__ import annotations

from typing import Any

import numpy as np

from onehead import compare
from onehead.model import Array, Case, Misconception, Names, Part, Rounding, Stage
from onehead.stages import describe_type
from onehead_solutions import small_practice as small
from onehead_solutions.attention import causal, floats, visible_softmax
from onehead_solutions.draw import Draw

# --- what the notebook gives to everybody ------------------------------------------------

WEIGHTS_1 = np.array([0.5, 0.3, 0.15, 0.05])
VALUES_1 = np.array([[1, 0], [0, 1], [6, 0], [0, 4]])
W_O_1 = np.array([[0, 1, 0], [4, 0, 3]])

MAP_2 = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.4, 0.6, 0.0, 0.0, 0.0],
        [0.25, 0.25, 0.5, 0.0, 0.0],
        [0.2, 0.1, 0.5, 0.2, 0.0],
        [0.15, 0.15, 0.4, 0.1, 0.2],
    ]
)

# --- references --------------------------------------------------------------------------

# Removing V[k] takes weights[k] * V[k] @ W_O away: 0.5, 1.5, 0.9 and 1.0 in length.
interpretation_1 = [1, 3, 2, 0]


def interpretation_2(weights: np.ndarray) -> np.ndarray:
    """What each key receives, in units of what it would receive if every query read evenly."""
    T = len(weights)
    even = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    return floats(weights).sum(axis=0) / even.sum(axis=0).astype(floats(weights).dtype)


def interpretation_3(weights: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Other weights with the same context: along a direction that no value and no sum can see."""
    constraints = np.column_stack([V, np.ones(len(V))]).T
    direction = np.linalg.svd(constraints)[2][-1]
    falling = direction < 0
    step = np.min(weights[falling] / -direction[falling])
    return weights + 0.9 * step * direction


# --- checks ------------------------------------------------------------------------------


def _ranked(values: Array) -> list[int]:
    return [int(k) for k in np.argsort(-values)]


INTERPRETATION_1 = Part(
    "interpretation-1",
    1,
    (Stage("order", "interpretation", want=lambda i, e: interpretation_1, secret=True),),
    (Case("interpretation-1"),),
    "value",
    misconceptions=(
        Misconception(
            "weight-as-effect",
            {"order": lambda i, e: _ranked(WEIGHTS_1)},
            "This is the order of the weights: an effect depends on the value and on W_O, too.",
            "lesson-07",
        ),
        Misconception(
            "output-skipped",
            {"order": lambda i, e: _ranked(WEIGHTS_1 * np.linalg.norm(VALUES_1, axis=1))},
            "This is the order of the changes in the context: W_O has still to be applied.",
            "lesson-07",
        ),
        Misconception(
            "weight-ignored",
            {"order": lambda i, e: _ranked(np.linalg.norm(VALUES_1 @ W_O_1, axis=1))},
            "This is the order of the projected values: each enters with its weight.",
            "lesson-07",
        ),
    ),
    target="interpretation_1",
)


def _causal_map(
    name: str, T: int, scale: float = 2.0, dtype: Any = np.float64, public: bool = False
) -> Case:
    scores = Draw(f"practice interpretation-2 {name}").reals(T, T, scale=scale)
    weights = visible_softmax(scores, causal(T)).astype(dtype)
    return Case(name, {"weights": weights}, public=public)


def _with_zeros(case: Case) -> Case:
    """A row with weights of 0 on keys that it sees."""
    weights = case.inputs["weights"].copy()
    weights[3] = [0.5, 0, 0.5, 0, 0]
    return Case(case.name, {"weights": weights})


def _ratio_allowed(i: Names, e: Names, r: Rounding) -> Array:
    return r.of(3 * len(i.weights) + 8) * interpretation_2(np.abs(i.weights).astype(np.float64))


INTERPRETATION_2 = Part(
    "interpretation-2",
    1,
    (
        Stage(
            "ratio",
            "interpretation",
            want=lambda i, e: interpretation_2(np.asarray(i.weights, dtype=np.float64)),
            allow=_ratio_allowed,
            axes=("key",),
        ),
    ),
    (
        Case("the map of the notebook", {"weights": MAP_2}, public=True),
        _causal_map("three tokens", 3, public=True),
        _causal_map("six tokens", 6),
        _with_zeros(_causal_map("sharp weights", 5, scale=4.0)),
        Case("even reading", {"weights": np.tri(4) / np.arange(1, 5)[:, None]}),
        Case("one token", {"weights": np.ones((1, 1))}),
        _causal_map("float32", 4, dtype=np.float32, public=True),
    ),
    behaviour=True,
    misconceptions=(
        Misconception(
            "total-received",
            {"ratio": lambda i, e: floats(i.weights).sum(axis=0)},
            "Early keys are seen by more queries: the sum alone favours them.",
            "lesson-07",
        ),
        Misconception(
            "mean-received",
            {
                "ratio": lambda i, e: (
                    floats(i.weights).sum(axis=0) / np.arange(len(i.weights), 0, -1)
                )
            },
            "Early queries share their weight among few keys: a mean over queries forgets that.",
            "lesson-07",
        ),
        Misconception(
            "softmax-over-queries",
            {"ratio": lambda i, e: floats(i.weights).sum(axis=1)},
            "These are the sums of the rows, and each is 1: a key is a column.",
            "lesson-07",
        ),
    ),
    target="interpretation_2",
    small=small.INTERPRETATION_2,
    turns=False,  # the rows of a causal map have their order
)


def _other_weights(i: Names, value: Any) -> str | None:
    """What is wrong with other weights that are to give the same context."""
    T = len(i.weights)
    entries = compare.as_array(value)
    if entries is None:
        return f"{T} weights are due, not {describe_type(value)}"
    other = entries.astype(np.float64)
    if other.shape != (T,) or not np.isfinite(other).all():
        return f"{T} finite weights are due, not {describe_type(value)}"
    if np.min(other) < -1e-9:
        return f"weight {int(np.argmin(other))} is negative"
    if abs(other.sum() - 1) > 1e-9:
        return f"the weights sum to {other.sum():.6g}, not 1"
    if np.max(np.abs(other - i.weights)) < 0.05:
        return "no weight differs by 0.05 or more from the one given"
    moved = np.max(np.abs((other - i.weights) @ i.V))
    return f"the context moves by {moved:.3g}, must be 0" if moved > 1e-9 else None


def _alternative(name: str, T: int, d_v: int, least: int = 0, public: bool = False) -> Case:
    """Weights of at least 0.08, so that any direction leaves room for a change of 0.05.

    So many of the first as ``least`` says are 0.08.

    Weights of one length are the same: who keeps what was found for them forgets the values.
    """
    draw = Draw(f"practice interpretation-3 {T} weights")
    free = draw.integers(1, 9, T)
    free[:least] = 0
    weights = 0.08 + (1 - 0.08 * T) * free / free.sum()
    V = Draw(f"practice interpretation-3 {name}").reals(T, d_v, scale=2.0)
    return Case(name, {"weights": weights, "V": V}, public=public)


def _alike(case: Case) -> Case:
    """Two tokens of one value: one may give to the other, and no third."""
    V = case.inputs["V"].copy()
    V[1] = V[0]
    return Case(case.name, {**case.inputs, "V": V})


def _evenly(case: Case) -> Case:
    """Values that leave one direction, in which all weights move alike: no one moves far."""
    V = case.inputs["V"]
    sign = (-1.0) ** np.arange(len(V))
    return Case(case.name, {**case.inputs, "V": V - np.outer(sign, sign @ V) / len(V)})


INTERPRETATION_3 = Part(
    "interpretation-3",
    1,
    (Stage("weights", "interpretation", judge=_other_weights, secret=True),),
    (
        _alternative("four tokens", 4, 2, public=True),
        _alternative("three tokens", 3, 1, public=True),
        _alternative("much room", 7, 2),
        _alike(_alternative("five tokens", 5, 3, least=2)),
        _alternative("values of width 1", 5, 1, least=2),
        _evenly(_alternative("twelve tokens", 12, 10)),
    ),
    target="interpretation_3",
    small=small.INTERPRETATION_3,
)

INTERPRETATION = (INTERPRETATION_1, INTERPRETATION_2, INTERPRETATION_3)
