"""Whether an answer is wrong only after other calls: asked alone, in a new process, it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from onehead import families
from onehead.marks import named
from onehead.model import BEHAVIOUR, Case, Outcome, Part, PartResult
from onehead.signature import GENERAL
from onehead.stages import judge

Ask = Callable[[Case], Outcome | None]
_STATE = "hidden-state"
_BEHAVIOUR = ("input-mutated", "memory-shared", _STATE)


def with_state_named(part: Part, result: PartResult, ask: Ask) -> PartResult:
    """The result, with findings named where only state can be their cause.

    The first one is looked at, whatever it looks like, and the first that has no name; only where
    one of them is so the others are. ``ask`` puts a case to the learner's code as its first; None
    where that can't be done.
    """
    cases = {case.name: case for case in families.planned(part)}
    # What raises may be one of the calls that go along with a case: alone it has none of them.
    found = [
        f
        for f in result.findings
        if f.case in cases
        and (f.check, f.stage) != (BEHAVIOUR, None)
        and f.misconception not in _BEHAVIOUR
    ]

    @cache
    def is_state(case: str, check: str) -> bool:
        outcome = ask(cases[case])
        return outcome is not None and _is_right(part, cases[case], outcome, check)

    unnamed = next((f for f in found if f.misconception is None), None)
    doubted = [f for f in (*found[:1], unnamed) if f is not None]
    if len(cases) == 1 or not any(is_state(f.case, f.check) for f in doubted):
        return result
    state = {id(f) for f in found if is_state(f.case, f.check)}
    return replace(
        result,
        findings=tuple(
            named(f, GENERAL[_STATE], part.rereads) if id(f) in state else f
            for f in result.findings
        ),
    )


def _is_right(part: Part, case: Case, outcome: Outcome, check: str) -> bool:
    """Whether nothing is found that costs a check."""
    with np.errstate(all="ignore"):
        judged = judge(part, case, outcome)
        answers = {case.name: judged}
        found = [f for family in families.load() for f in family.check(part, judged, answers)]
    return all(f.check != check for f in found)
