"""Costs: multiply-adds, path lengths, passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import stage_findings

FAMILY: Family = "cost"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)


_PATH = Part(
    "path", 1, (Stage("length", "cost", want=lambda i, e: 2, secret=True),), (Case("two apart"),)
)
EXAMPLES = (
    Example(_PATH, {"two apart": returned(2)}),
    Example(_PATH, {"two apart": returned(3)}, ("'length' is 3, which is not right",)),
    Example(_PATH, {"two apart": returned(None)}, ("'length' is not answered",)),
)
