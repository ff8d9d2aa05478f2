"""Whether an answer is wrong only after other calls: asked alone, in a new process, it is right."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead import families
from onehead.marks import named
from onehead.model import BEHAVIOUR, Array, Case, Finding, Outcome, Part, PartResult
from onehead.other_contents import changed, is_changeable
from onehead.signature import GENERAL
from onehead.stages import judge

Ask = Callable[[Case], Outcome | None]
_STATE = "hidden-state"
_BEHAVIOUR = ("input-mutated", "memory-shared", _STATE)


def doubted(part: Part, result: PartResult, outcomes: Mapping[str, Outcome]) -> Finding | None:
    """The first finding that state may be the cause of, whatever it looks like."""
    cases = {case.name: case for case in families.planned(part)}
    if len(cases) == 1:
        return None
    # What raises may be one of the calls that go along with a case: alone it has none of them.
    found = [
        f for f in result.findings if f.case in cases and (f.check, f.stage) != (BEHAVIOUR, None)
    ]
    if found and found[0].misconception not in (None, *_BEHAVIOUR):
        first, case = found[0], cases[found[0].case]
        drifts = any(f.misconception == _STATE for f in result.findings)
        if drifts or _answers_another(part, case, outcomes[case.name], first):
            return first
    return next((f for f in found if f.misconception is None), None)


def with_state_named(
    part: Part, result: PartResult, finding: Finding | None, ask: Ask
) -> PartResult:
    """The result, with findings named where only state can be their cause.

    One that is doubted is looked at, and only where that is so the others are. ``ask`` puts a case
    to the learner's code as its first; None where that can't be done.
    """
    cases = {case.name: case for case in families.planned(part)}

    def is_state(f: Finding) -> bool:
        outcome = ask(cases[f.case]) if f.case in cases else None
        return outcome is not None and _is_right(part, cases[f.case], outcome, f)

    if finding is None or not is_state(finding):
        return result
    return replace(
        result,
        findings=tuple(
            named(f, GENERAL[_STATE], part.rereads)
            if f is finding or (f.misconception not in _BEHAVIOUR and is_state(f))
            else f
            for f in result.findings
        ),
    )


def _answers_another(part: Part, case: Case, outcome: Outcome, finding: Finding) -> bool:
    """Whether a value is right for other contents that the call was made with first.

    Nobody knows what a layer that comes along was asked: there it may be.
    """
    if any(callable(value) for value in case.inputs.values()):
        return True
    values = copy.deepcopy(list(case.inputs.values()))
    return any(
        _is_right_with(part, case, outcome, finding.stage, values, k)
        for k, value in enumerate(values)
        if is_changeable(value, _leaves)
    )


def _leaves(value: Any) -> list[Array]:
    return [value] if isinstance(value, np.ndarray) else []


def _is_right_with(
    part: Part, case: Case, outcome: Outcome, stage: str | None, values: list[Any], k: int
) -> bool:
    """Whether a stage is what is due for the case's ``values`` with the k-th one changed."""
    with changed(values, [k], _leaves) as others:
        inputs = dict(zip(case.inputs, others, strict=True))
        try:
            judged = judge(part, replace(case, inputs=inputs), outcome)
        except (ValueError, IndexError, TypeError, KeyError):  # the reference refuses them
            return False
    return any(c.stage == stage and c.kind == "ok" for c in judged.comparisons)


def _is_right(part: Part, case: Case, outcome: Outcome, finding: Finding) -> bool:
    """Whether nothing is found that costs the finding's check."""
    with np.errstate(all="ignore"):
        judged = judge(part, case, outcome)
        answers = {case.name: judged}
        found = [f for family in families.load() for f in family.check(part, judged, answers)]
    return all(f.check != finding.check for f in found)
