"""Audits: what a learner's audit finds in layers that the grader keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import stage_findings

FAMILY: Family = "audit"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    for finding in stage_findings(part, judged, FAMILY):
        if judged.case.check:
            yield replace(finding, message=_got_through(finding.check, answers))
        else:  # a question about audits, to which no layer was fed
            yield finding


def _got_through(check: str, answers: Mapping[str, Judged]) -> str:
    """How many layers of a check were judged wrongly, and of which kinds; not which ones."""
    fed = [judged for judged in answers.values() if judged.case.check == check]
    told = [c.text for judged in fed for c in judged.comparisons if c.text]
    return f"{len(told)} of {len(fed)}: {'; '.join(dict.fromkeys(told))}"


_AUDIT = Part(
    "audit",
    1,
    (
        Stage(
            "findings",
            "audit",
            judge=lambda i, value: (
                None if value == ["mask"] else "a layer that leaks was not found to break `mask`"
            ),
            secret=True,
        ),
    ),
    (Case("leaks a little", check="mask"), Case("leaks much", check="mask")),
)
EXAMPLES = (
    Example(_AUDIT, {"leaks a little": returned(["mask"]), "leaks much": returned(["mask"])}),
    Example(
        _AUDIT,
        {"leaks a little": returned([]), "leaks much": returned(["mask"])},
        ("1 of 2: a layer that leaks was not found to break `mask`",),
    ),
)
