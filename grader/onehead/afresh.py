"""Whether an answer is wrong only after other calls: asked alone, in a new process, it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from onehead import families
from onehead.marks import named
from onehead.model import BEHAVIOUR, Case, Finding, Outcome, Part, PartResult
from onehead.signature import GENERAL
from onehead.stages import judge

Ask = Callable[[Case], Outcome | None]


def with_state_named(part: Part, result: PartResult, ask: Ask) -> PartResult:
    """The result, with its first unnamed finding named where only state can be its cause.

    ``ask`` puts a case to the learner's code as its first; None where that can't be done.
    """
    cases = {case.name: case for case in families.planned(part)}
    unnamed = (f for f in result.findings if f.misconception is None and f.case in cases)
    # What raises may be one of the calls that go along with a case: alone it has none of them.
    finding = next((f for f in unnamed if (f.check, f.stage) != (BEHAVIOUR, None)), None)
    if finding is None or len(cases) == 1:
        return result
    outcome = ask(cases[finding.case])
    if outcome is None or not _is_right(part, cases[finding.case], outcome, finding):
        return result
    told = named(finding, GENERAL["hidden-state"], part.rereads)
    return replace(result, findings=tuple(told if f is finding else f for f in result.findings))


def _is_right(part: Part, case: Case, outcome: Outcome, finding: Finding) -> bool:
    """Whether nothing is found that costs the finding's check."""
    with np.errstate(all="ignore"):
        judged = judge(part, case, outcome)
        answers = {case.name: judged}
        found = [f for family in families.load() for f in family.check(part, judged, answers)]
    return all(f.check != finding.check for f in found)
