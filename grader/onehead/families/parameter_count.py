"""Counts of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import stage_findings

FAMILY: Family = "parameter-count"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)


_COUNT = Part(
    "count",
    1,
    (Stage("total", "parameter-count", want=lambda i, e: 6, secret=True),),
    (Case("2 by 3"),),
    answer="dict",
)
EXAMPLES = (
    Example(_COUNT, {"2 by 3": returned({"total": 6})}),
    Example(_COUNT, {"2 by 3": returned({"total": 5})}, ("'total' is 5, which is not right",)),
    Example(
        _COUNT,
        {"2 by 3": returned({"total": 6.0})},
        ("'total' is 6.0, a float: a count is an int",),
    ),
    Example(_COUNT, {"2 by 3": returned({})}, ("'total' is not answered",)),
)
