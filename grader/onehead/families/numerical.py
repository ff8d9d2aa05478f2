"""Numbers: scores, weights and context within their tolerance and finite. Rows sum to 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from onehead.compare import FLOAT32, FLOAT64, is_float32, name_axes, product_bound
from onehead.families import Example, returned
from onehead.model import Case, Comparison, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import differing, finding, place, plain, sizes, tell_apart, two_digits

FAMILY: Family = "numerical"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    for stage, comparison in differing(part, judged, FAMILY):
        found = finding(judged.case, stage, comparison, FAMILY)
        yield _with_row_sum(judged, stage, comparison, found)


def _with_row_sum(judged: Judged, stage: Stage, c: Comparison, found: Finding) -> Finding:
    """Say that a row of the weights does not sum to 1, where one does not.

    That needs no reference.
    """
    weights = judged.value("weights")
    if (
        stage.name != "weights"
        or stage.axes[-1:] != ("key",)
        or weights is None
        or c.kind != "value"
    ):
        return found
    rounding = FLOAT32 if is_float32(judged.case.inputs) else FLOAT64
    ones = np.ones((weights.shape[-1], 1))
    sums = weights.sum(axis=-1)
    off = (np.abs(sums - 1) > 2 * product_bound(np.abs(weights), ones, rounding, 16)[..., 0]) & (
        np.asarray(c.want).sum(axis=-1) > 0.5
    )
    if not off.any():
        return found
    from_one = np.where(off, np.abs(sums - 1), 0.0)
    index = tuple(int(i) for i in np.unravel_index(np.argmax(from_one), from_one.shape))
    at = name_axes(index, stage.axes[:-1])
    row = place(at).replace("query", "row") + " of the weights sums" if at else "the weights sum"
    text = f"{row} to {tell_apart(float(sums[index]), 1.0)[0]}, not 1"
    worst = float(np.max(np.abs(sums - 1)) / (FLOAT64.unit * (weights.shape[-1] + 16)))
    return replace(
        found,
        message=text + sizes(judged.case),
        at=at or None,
        expected=1.0,
        got=plain(float(sums[index])),
        tolerances=two_digits(worst),
    )


_HALF = Part(
    "halve",
    1,
    (
        Stage(
            "weights",
            "numerical",
            want=lambda i, e: i.x / 2,
            allow=lambda i, e, r: r.of(1) * np.abs(i.x),
            axes=("key",),
        ),
    ),
    (Case("two", {"x": np.array([1.0, 1.0])}, public=True),),
    behaviour=True,
)
EXAMPLES = (
    Example(_HALF, {"two": returned(np.array([0.5, 0.5]))}),
    Example(_HALF, {"two": returned(np.array([0.25, 0.5]))}, ("the weights sum to 0.75, not 1",)),
    Example(
        _HALF,
        {"two": returned(np.array([0.25, 0.75]))},
        ("weights[key 0] is 0.25, should be 0.5; 2 of 2 entries differ",),
    ),
    Example(
        replace(_HALF, cases=(Case("hidden", {"x": np.array([1.0, 1.0])}),)),
        {"hidden": returned(np.array([0.25, 0.75]))},
        ("weights[key 0] is 0.25, which is not right; 2 of 2 entries differ",),
    ),
    Example(
        _HALF,
        {"two": returned(np.array([np.nan, 0.5]))},
        ("weights has 1 of 2 entries that are NaN or infinite, the first at [key 0]",),
    ),
    Example(
        _HALF,
        {"two": returned(np.array([0.5, 0.5 + 3e-5]))},
        ("the weights sum to 1.00003, not 1",),
    ),
)
