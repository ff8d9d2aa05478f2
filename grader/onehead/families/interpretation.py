"""What may be concluded: choices, claims and examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import stage_findings

FAMILY: Family = "interpretation"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)


_CLAIM = Part(
    "CLAIMS",
    1,
    (Stage("a claim", "interpretation", want=lambda i, e: "supported", secret=True),),
    (Case("CLAIMS"),),
    probe="value",
    answer="dict",
)
EXAMPLES = (
    Example(_CLAIM, {"CLAIMS": returned({"a claim": "supported"})}),
    Example(
        _CLAIM,
        {"CLAIMS": returned({"a claim": "not supported"})},
        ("'a claim' is 'not supported', which is not right",),
    ),
    Example(_CLAIM, {"CLAIMS": returned({"a claim": ...})}, ("'a claim' is not answered",)),
)
