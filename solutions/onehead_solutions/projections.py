"""Lesson 3: learned projections define matching and content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Case, Exercise, Names, Part, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import choices, near_spellings, plain, refused
from onehead_solutions.attention import causal, floats, scaled_scores, trace_stages, visible_softmax
from onehead_solutions.claims import PROJECTION_CLAIMS
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import (
    FOUR_TOKENS,
    HALF_AS_WIDE,
    in_other_shapes,
    layer,
    with_identity,
    with_zeros,
)

# --- reference ---------------------------------------------------------------------------


def attend(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray
) -> dict[str, np.ndarray]:
    """The causal trace of one sequence X (T, d_model)."""
    X = floats(X)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = scaled_scores(Q, K)
    weights = visible_softmax(scores, causal(len(X)))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}


def ablate(
    X: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    which: str,
    replacement: np.ndarray,
) -> dict[str, np.ndarray]:
    projections = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in projections:
        raise ValueError(f"there is no projection {which!r}: W_Q, W_K or W_V")
    return attend(X, **(projections | {which: replacement}))


def changed_stages(
    before: dict[str, np.ndarray], after: dict[str, np.ndarray], atol: float = 1e-9
) -> list[str]:
    order = ["Q", "K", "V", "scores", "weights", "context"]
    return [stage for stage in order if np.any(np.abs(before[stage] - after[stage]) > atol)]


ABLATIONS = {
    "W_Q": ["Q", "scores", "weights", "context"],
    "W_K": ["K", "scores", "weights", "context"],
    "W_V": ["V", "context"],
}
CLAIMS = PROJECTION_CLAIMS

# --- checks ------------------------------------------------------------------------------

TRACE = trace_stages(lambda i: causal(len(i.X)), shows_visible=False)


def _attend(name: str, *sizes: int, public: bool = False, **how: Any) -> Case:
    inputs = layer(f"lesson-03 {name}", sizes, **how)
    return Case(name, inputs, public=public, extreme="moved" in how)


_THREE = _attend("three tokens", 3, 4, 2, 5, public=True)
ATTEND_CASES = (
    Case("four tokens", FOUR_TOKENS, public=True),
    _THREE,
    in_other_shapes(_THREE, **HALF_AS_WIDE),
    _attend("five tokens, widths of 1", 5, 1, 1, 1),
    with_zeros(_attend("twenty tokens", 20, 3, 5, 4), "X", 6),
    with_identity(_attend("equal sizes", 3, 3, 3, 3), "W_Q"),
    Case("one token", layer("lesson-03 one", (2, 4, 3, 2)) | {"X": Draw("lesson-03").reals(1, 4)}),
    _attend("float32", 5, 3, 4, 2, dtype=np.float32, public=True),
    _attend("integers", 4, 5, 3, 2, dtype=np.int64, public=True),
    _attend("large scores", 5, 6, 4, 3, moved="up"),
    _attend("very negative scores", 5, 6, 4, 3, moved="down"),
    _attend("rows far apart", 6, 5, 4, 3, moved="rows"),
    _attend("a hidden key dominates", 4, 6, 4, 3, moved="third key"),
)


def _ablated(i: Names) -> Names:
    return Names({**i, i.which: i.replacement})


def _of_ablated(stage: Stage) -> Stage:
    """A stage of ``attend``, judged with the replaced projection."""
    want, allow = stage.want, stage.allow
    assert want is not None and allow is not None
    return Stage(
        stage.name,
        stage.family,
        want=lambda i, e: want(_ablated(i), e),
        allow=lambda i, e, r: allow(_ablated(i), e, r),
        axes=stage.axes,
    )


def _ablate(which: str, *sizes: int, public: bool = False, **how: Any) -> Case:
    """The replacement is drawn so that the ablated weights tell as well."""
    inputs = layer(f"lesson-03 ablate {which} {sizes}", sizes, **how)
    other = layer(f"lesson-03 replace {which} {sizes}", sizes, **how)
    more = {"which": which, "replacement": other[which]}
    name = f"{which} replaced, {sizes[0]} tokens of width {sizes[1]}"
    if "moved" in how:
        name += f", scores moved ({how['moved']})"
    return Case(name, inputs | more, public=public, extreme="moved" in how)


def _with_other_name(which: str, case: Case) -> Case:
    """All else the same: who remembers the rest of the question gives the earlier answer."""
    name = f"{which} replaced instead, {case.name.partition(', ')[2]}"
    return replace(case, name=name, inputs={**case.inputs, "which": which})


def _of_one_token(case: Case) -> Case:
    name = case.name.replace(f"{len(case.inputs['X'])} tokens", "one token")
    return replace(case, name=name, inputs={**case.inputs, "X": case.inputs["X"][:1]})


_OF_THREE = _ablate("W_Q", 3, 4, 2, 5, public=True)
ABLATE = Part(
    "ablate",
    2,
    tuple(_of_ablated(stage) for stage in TRACE),
    (
        _OF_THREE,
        in_other_shapes(_OF_THREE, **HALF_AS_WIDE, replacement=(2, 4)),
        _ablate("W_V", 3, 4, 2, 5, public=True),
        with_zeros(_ablate("W_K", 20, 4, 3, 2), "X", 6),
        _ablate("W_Q", 5, 1, 1, 1),
        _of_one_token(_ablate("W_V", 4, 3, 5, 2)),
        _with_other_name("W_K", _ablate("W_Q", 5, 1, 1, 1)),
        _ablate("W_Q", 3, 3, 3, 3),
        _ablate("W_K", 4, 2, 3, 5, dtype=np.float32),
        _ablate("W_Q", 3, 5, 2, 4, dtype=np.int64),
        _ablate("W_V", 5, 6, 4, 3, moved="up"),
        _ablate("W_V", 5, 6, 4, 3, moved="down"),
        _ablate("W_V", 6, 5, 4, 3, moved="rows"),
        _ablate("W_V", 4, 6, 4, 3, moved="third key"),
        *(
            refused(
                f"no projection {name!r}",
                {
                    **layer("lesson-03 refused", (3, 4, 2, 5)),
                    "which": name,
                    "replacement": np.zeros((4, 2)),
                },
                name,
                family="projection",
                check="raises: name",
            )
            for name in near_spellings("W_Q", "W_K", "W_V", others=("W_O", "X", "W_QK"))
        ),
    ),
    answer="trace",
    behaviour=True,
    misconceptions=wrong.no_later("lesson-03", wrong.ABLATE),
    small=small.ABLATE,
)


def _differ(
    name: str,
    changes: Mapping[str, float],
    check: str,
    public: bool = False,
    at: tuple[int, int] = (-1, 0),
    size: float = 1.0,
    **more: Any,
) -> Case:
    """Two traces that differ by ``changes[stage]`` in one entry of each stage named.

    Their X is ``size`` times as large as is natural.
    """
    i = layer("lesson-03 traces", (3, 4, 2, 5))
    before = attend(**{**i, "X": size * i["X"]})
    after: dict[str, Array] = {stage: x.copy() for stage, x in before.items()}
    for stage, change in changes.items():
        after[stage][at] += change
    return Case(name, {"before": before, "after": after, **more}, public=public, check=check)


def _differ_exactly(
    name: str, check: str, changes: Mapping[str, tuple[float, ...]], **more: float
) -> Case:
    """Traces of zeros in which the first entries of a stage differ by exactly these numbers."""
    i = layer("lesson-03 traces", (3, 4, 2, 5))
    before: dict[str, Array] = {stage: np.zeros(x.shape) for stage, x in attend(**i).items()}
    after = {stage: x.copy() for stage, x in before.items()}
    for stage, numbers in changes.items():
        after[stage].flat[: len(numbers)] = numbers
    return Case(name, {"before": before, "after": after, **more}, check=check)


def _in_float32(case: Case) -> Case:
    traces = {
        name: {stage: x.astype(np.float32) for stage, x in trace.items()}
        for name, trace in case.inputs.items()
    }
    return replace(case, inputs=traces)


# Neither a norm nor a mean of the differences is asked for.
_AROUND_THE_DEFAULT = {"Q": (0.9e-9, -0.9e-9) * 3, "V": (1.1e-9,)}


def _all_by(change: float) -> dict[str, float]:
    return dict.fromkeys([*ABLATIONS["W_Q"], "K", "V"], change)


CHANGED_STAGES = Part(
    "changed_stages",
    2,
    plain("projection", changed_stages, "stages"),
    (
        _differ("some stages", {"V": 0.5, "context": -0.25}, "differ", public=True),
        _differ(
            "in another order", {"context": 1.0, "Q": 2.0, "weights": -0.1, "scores": 0.3}, "order"
        ),
        _differ("a small decrease", {"K": -1e-6, "scores": -1e-7}, "differ"),
        _differ("no stage", {}, "differ", public=True),
        _differ("below the default", {"Q": 5e-10, "V": -5e-10, "weights": 5e-9}, "default atol"),
        _differ("a large atol", {"Q": 0.4, "K": 0.6, "context": -0.7}, "atol", atol=0.5),
        _differ_exactly("changes that cancel", "differ", {"weights": (0.25, -0.25)}, atol=1e-9),
        _differ_exactly("exactly atol", "atol", {"K": (0.5,), "V": (-0.5, 0.75)}, atol=0.5),
        _differ_exactly("on both sides of the default", "default atol", _AROUND_THE_DEFAULT),
        # The same traces: who remembers them gives the answer for the default.
        _differ_exactly("an atol of 0", "atol", _AROUND_THE_DEFAULT, atol=0.0),
        _in_float32(_differ_exactly("float32", "differ", {"scores": (0.25,), "V": (-0.5,)})),
        _differ("all of them", _all_by(0.125), "order"),
        _differ("all of them, large and hardly", _all_by(5e-7), "differ", at=(1, 1), size=1e3),
    ),
    misconceptions=wrong.CHANGED,
    small=small.CHANGED,
)

PARTS = (
    Part(
        "attend",
        3,
        TRACE,
        ATTEND_CASES,
        answer="trace",
        behaviour=True,
        misconceptions=wrong.no_later("lesson-03", wrong.CAUSAL_TRACE),
        small=small.ATTEND,
    ),
    ABLATE,
    CHANGED_STAGES,
    Part(
        "ABLATIONS",
        2,
        choices("projection", ABLATIONS),
        (Case("ABLATIONS"),),
        "value",
        "dict",
        misconceptions=wrong.ABLATIONS,
    ),
    Part(
        "CLAIMS",
        1,
        choices("interpretation", CLAIMS),
        (Case("CLAIMS"),),
        "value",
        "dict",
        misconceptions=wrong.PROJECTION_CLAIMS,
    ),
)
EXERCISE = Exercise(
    "lesson-03", "03_projections", "Learned Projections Define Matching and Content", PARTS
)
