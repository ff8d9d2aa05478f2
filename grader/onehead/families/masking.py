"""Who sees whom: the mask, weights of exactly 0, nothing that depends on a hidden token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from onehead.compare import allowed_error
from onehead.families import Example, returned
from onehead.model import Array, Case, Family, Finding, Names, NotReached, Part, Stage
from onehead.stages import Judged
from onehead.wording import moved, number, sizes, stage_findings

FAMILY: Family = "masking"
_CHANGED = "the last token changed"
_READ = ("weights", "context", "output")  # the first of them that moves is the cause


def plan(part: Part) -> tuple[Case, ...]:
    """A twin of the first case with three tokens or more, in which the last token is another."""
    if part.answer != "trace" or "weights" not in {stage.name for stage in part.stages}:
        return ()
    for case in part.cases:
        X = case.inputs.get("X")
        if case.public and isinstance(X, np.ndarray) and X.shape[-2] >= 3 and not case.extreme:
            other = X.copy()
            other[..., -1, :] = 1 - other[..., -1, :]
            inputs = {**case.inputs, "X": other}
            return (replace(case, name=f"{case.name}, {_CHANGED}", inputs=inputs, twin=case.name),)
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)
    before = answers.get(judged.case.twin or "")  # a case may be asked on its own
    if before is not None and judged.case.name.endswith(_CHANGED):
        yield from _leak(part, before, judged)


def _leak(part: Part, before: Judged, after: Judged) -> Iterator[Finding]:
    """A row that may not see the last token must not move when that token changes."""
    blind = _blind_rows(before)
    if blind is None:
        return
    for stage in part.stages:
        a, b = before.value(stage.name), after.value(stage.name)
        if stage.name not in _READ or a is None or b is None or a.shape != b.shape:
            continue
        if blind.shape != a.shape[:-1]:
            continue
        allowed = _allowed(stage, before) + _allowed(stage, after)
        rows = blind & np.any(np.abs(a - b) > allowed, axis=-1)
        if rows.any():
            index = tuple(int(i) for i in np.argwhere(rows)[0])
            last = np.shape(before.case.inputs["X"])[-2] - 1
            text = (
                f"changed token {last}: {stage.name} {index[-1]} moved by "
                f"{number(moved(a[index], b[index]))}, must be 0"
            )
            yield Finding(
                stage.name,
                FAMILY,
                stage.name,
                "wrong",
                text + sizes(before.case),
                at={"query": index[-1]},
            )
            return


def _blind_rows(judged: Judged) -> Array | None:
    """The queries that do not see the last token, by the trace's own mask or by cause."""
    weights, visible = judged.value("weights"), judged.value("visible")
    if weights is None:
        return None
    if visible is None:
        visible = np.broadcast_to(np.tri(weights.shape[-1], dtype=bool), weights.shape)
    blind: Array = ~visible[..., -1].astype(bool)
    blind = blind.copy()
    blind[..., -1] = False
    return blind


def _allowed(stage: Stage, judged: Judged) -> Array | float:
    try:
        return allowed_error(stage, Names(judged.case.inputs), judged.earlier)
    except NotReached:
        return np.inf


_SEE = Part(
    "see",
    1,
    (
        Stage("visible", "masking", want=lambda i, e: np.tri(2, dtype=bool), axes=("query", "key")),
        Stage(
            "weights",
            "numerical",
            want=lambda i, e: np.tri(2) / [[1.0], [2.0]],
            allow=lambda i, e, r: np.tri(2) * r.of(4),
            axes=("query", "key"),
        ),
    ),
    (Case("two tokens", {"X": np.ones((2, 1))}, public=True),),
    answer="trace",
)
_RIGHT = {"visible": np.tri(2, dtype=bool), "weights": np.array([[1.0, 0.0], [0.5, 0.5]])}
EXAMPLES = (
    Example(_SEE, {"two tokens": returned(_RIGHT)}),
    Example(
        _SEE,
        {"two tokens": returned({**_RIGHT, "visible": np.ones((2, 2), dtype=bool)})},
        (
            "visible[query 0, key 1] is True, should be False; 1 of 4 entries differ [T=2, "
            "d_model=1]",
        ),
    ),
    Example(
        _SEE,
        {"two tokens": returned({**_RIGHT, "weights": np.array([[0.9, 0.1], [0.5, 0.5]])})},
        (
            "weights[query 0, key 1] is 0.1, must be exactly 0: that key is hidden; 2 of 4 "
            "entries differ [T=2, d_model=1]",
        ),
    ),
)
