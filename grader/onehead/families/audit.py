"""Audits: what a learner's audit finds in layers that the grader keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import stage_findings

FAMILY: Family = "audit"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)


_AUDIT = Part(
    "audit",
    1,
    (
        Stage(
            "findings",
            "audit",
            judge=lambda i, value: (
                None if value == ["mask"] else "a layer that breaks mask is not named so"
            ),
            secret=True,
        ),
    ),
    (Case("a leaking layer", check="mask"),),
)
EXAMPLES = (
    Example(_AUDIT, {"a leaking layer": returned(["mask"])}),
    Example(
        _AUDIT, {"a leaking layer": returned([])}, ("a layer that breaks mask is not named so",)
    ),
)
