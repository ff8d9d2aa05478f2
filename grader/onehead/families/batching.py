"""Items of a batch stay apart: an item alone gives what it gives in the batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.compare import allowed_error
from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Names, NotReached, Part, Stage
from onehead.stages import Judged
from onehead.wording import moved, number, sizes, stage_findings

FAMILY: Family = "batching"
_ALONE = "item 1 alone"


def plan(part: Part) -> tuple[Case, ...]:
    """A twin of the first batch with masks of its own, in which item 1 stands alone."""
    if part.answer != "trace":
        return ()
    for case in part.cases:
        X = case.inputs.get("X")
        if case.public and isinstance(X, np.ndarray) and X.ndim == 3 and len(X) > 1:
            inputs = {name: _item(name, value, len(X)) for name, value in case.inputs.items()}
            return (replace(case, name=f"{case.name}, {_ALONE}", inputs=inputs, twin=case.name),)
    return ()


def _item(name: str, value: Any, batch: int) -> Any:
    if name in ("X", "visible") and np.ndim(value) == 3 and len(value) == batch:
        return value[1:2].copy()
    return value


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)
    batch = answers.get(judged.case.twin or "")  # a case may be asked on its own
    if batch is not None and judged.case.name.endswith(_ALONE):
        yield from _mixed(part, batch, judged)


def _mixed(part: Part, batch: Judged, alone: Judged) -> Iterator[Finding]:
    """The first stage in which item 1 of the batch is not what it is alone."""
    for stage in part.stages:
        a, b = batch.value(stage.name), alone.value(stage.name)
        if a is None or b is None or a.ndim != 3 or a[1:2].shape != b.shape:
            continue
        try:
            allowed = allowed_error(stage, Names(alone.case.inputs), alone.earlier)
        except NotReached:
            continue
        difference = np.abs(a[1:2].astype(float) - b.astype(float))
        if not np.all(difference <= 2 * np.asarray(allowed)):
            text = (
                f"item 1 alone differs in {stage.name} from item 1 in the batch by "
                f"{number(moved(a[1:2] * 1.0, b * 1.0))}, must be 0"
            )
            yield Finding(
                stage.name, FAMILY, stage.name, "wrong", text + sizes(batch.case), at={"item": 1}
            )
            return


_DOUBLE = Part(
    "double",
    1,
    (
        Stage(
            "output",
            "projection",
            want=lambda i, e: 2.0 * i.X,
            allow=lambda i, e, r: r.of(1) * np.abs(i.X),
            axes=("token", "feature"),
        ),
    ),
    (Case("two items", {"X": np.ones((2, 1, 1))}, public=True),),
    answer="trace",
)
EXAMPLES = (
    Example(
        _DOUBLE,
        {
            "two items": returned({"output": np.full((2, 1, 1), 2.0)}),
            f"two items, {_ALONE}": returned({"output": np.full((1, 1, 1), 2.0)}),
        },
    ),
    Example(
        _DOUBLE,
        {
            "two items": returned({"output": np.full((2, 1, 1), 4.0)}),
            f"two items, {_ALONE}": returned({"output": np.full((1, 1, 1), 2.0)}),
        },
        (
            "item 1 alone differs in output from item 1 in the batch by 2, must be 0 [B=2, T=1, "
            "d_model=1]",
        ),
    ),
)
