"""Public cases with what is due in them, as a learner's package may hold it.

What is due is computed from right earlier stages. A learner's own may be off by what is allowed in
them, so what that makes of a later stage is allowed there on top of the stage's own bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from onehead import families, frozen
from onehead.compare import (
    FLOAT32,
    FLOAT64,
    LIKELY_FLOAT16,
    LIKELY_FLOAT32,
    allowed_error,
    is_float32,
)
from onehead.model import Array, Case, Names, Part, Stage


def with_due_values(
    part: Part, answer: Any, asked: Sequence[Array]
) -> tuple[Part, dict[str, dict[str, Any]]]:
    """The part with the cases that may be public, and what is due in them and their twins."""
    kept, small = (
        tuple(case for case in cases if not _tells_answers(part, case, answer, asked))
        for cases in (part.cases, part.small)
    )
    part = replace(part, cases=kept, small=small)
    due = {frozen.asked(case.inputs): due_values(part, case, answer) for case in shown(part)}
    return part, due


def _tells_answers(part: Part, case: Case, answer: Any, asked: Sequence[Array]) -> bool:
    """Whether numbers that are asked for elsewhere stand in what this case would show."""
    due = due_values(part, case, answer)
    return any(holds_numbers_asked_for(entry["want"], asked) for entry in due.values())


def holds_numbers_asked_for(value: Any, asked: Sequence[Array]) -> bool:
    """Whether an array holds a list of numbers that is itself an answer, be it by chance."""
    if not isinstance(value, np.ndarray):
        return False
    array = np.asarray(value, dtype=np.float64)
    # Anywhere, not along the last axis alone: a search through the bytes looks at no axes.
    flat = array.ravel()
    return any(
        bool(np.any(np.all(np.abs(runs - row) < 1e-6, axis=-1)))
        for row in asked
        if flat.size >= row.size
        for runs in [np.lib.stride_tricks.sliding_window_view(flat, row.size)]
    )


def planned(part: Part) -> tuple[Case, ...]:
    """A part's cases and the families', which need one to start from."""
    return families.planned(part) if part.cases else ()


def shown(part: Part) -> tuple[Case, ...]:
    """Every case whose due values a learner may see."""
    return (*planned(part), *part.small)


class _Watched(Names):
    """Earlier stages, and which of them a formula has read."""

    def __init__(self, entries: Names) -> None:
        super().__init__(entries)
        vars(self)["read"] = set()

    def __getitem__(self, name: str) -> Any:
        vars(self)["read"].add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self:
            vars(self)["read"].add(name)
        return super().get(name, default)


def due_values(part: Part, case: Case, answer: Any) -> dict[str, Any]:
    """By stage: what is due, the errors that are allowed, the earlier stages that it needs."""
    if case.raises:
        return {}
    if answer is not None:
        entry = {"want": answer, "allow": None, "likely": None, "needs": []}
        return {part.stages[0].name: entry}
    inputs, earlier = Names(case.inputs), Names()
    due: dict[str, Any] = {}
    for stage in part.stages:
        if stage.want is None:
            continue
        watched = _Watched(earlier)
        want = stage.want(inputs, watched)
        needs = sorted(vars(watched)["read"])
        allow, likely = _allowed(stage, inputs, earlier, needs, due)
        due[stage.name] = {"want": want, "allow": allow, "likely": likely, "needs": needs}
        if isinstance(want, np.ndarray):
            earlier[stage.name] = want if want.dtype == bool else want.astype(np.float64)
    return due


def _allowed(
    stage: Stage, inputs: Names, earlier: Names, needs: Sequence[str], due: dict[str, Any]
) -> tuple[Any, Any]:
    """The stage's own bound, and what the errors allowed in the stages before it make of it."""
    if stage.allow is None:
        return None, None
    single = is_float32(inputs)
    slack = _carried(stage, inputs, earlier, needs, due)
    exact = stage.allow(inputs, earlier, FLOAT32 if single else FLOAT64)
    likely = stage.allow(inputs, earlier, LIKELY_FLOAT16 if single else LIKELY_FLOAT32)
    return np.asarray(exact) + slack, np.asarray(likely) + slack


def _carried(
    stage: Stage, inputs: Names, earlier: Names, needs: Sequence[str], due: dict[str, Any]
) -> Array | float:
    assert stage.want is not None
    want, carried = stage.want(inputs, earlier), np.zeros(())
    for needed in needs:
        if due[needed]["allow"] is None:
            continue
        before = Stage(needed, "numerical", allow=lambda i, e, r, n=needed: due[n]["allow"])  # type: ignore[misc]
        error = np.broadcast_to(allowed_error(before, inputs, earlier), earlier[needed].shape)
        for signs in _patterns(earlier[needed].shape):
            moved = Names({**earlier, needed: earlier[needed] + signs * error})
            with np.errstate(all="ignore"):
                change = np.abs(stage.want(inputs, moved) - want)
            carried = np.maximum(carried, 4 * np.where(np.isfinite(change), change, 0.0))
    return carried


def _patterns(shape: tuple[int, ...]) -> Iterator[Array]:
    """Signs of errors: all the same, and in turn along the last axes."""
    index = np.indices(shape)
    yield np.ones(shape)
    for axes in (index[-1:], index[-2:].sum(axis=0, keepdims=True)):
        yield 1.0 - 2.0 * (axes[0] % 2)
