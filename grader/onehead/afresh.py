"""Whether an answer is wrong only after other calls: asked alone, in a new process, it is right."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
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


def with_state_named(
    part: Part, result: PartResult, outcomes: Mapping[str, Outcome], ask: Ask
) -> PartResult:
    """The result, with the first finding that state may cause named so where nothing else can.

    ``ask`` puts a case to the learner's code as its first; None where that can't be done.
    """
    cases = {case.name: case for case in families.planned(part)}
    # What raises may be one of the calls that go along with a case: alone it has none of them.
    found = [
        f for f in result.findings if f.case in cases and (f.check, f.stage) != (BEHAVIOUR, None)
    ]
    drifts = any(f.misconception == _STATE for f in result.findings)
    suspects = (
        f
        for f in found
        if f.misconception is None
        or (
            (f is found[0] and f.misconception not in _BEHAVIOUR)
            and (drifts or _answers_another(part, cases[f.case], outcomes[f.case], f))
        )
    )
    finding = next(suspects, None)
    if finding is None or len(cases) == 1:
        return result
    outcome = ask(cases[finding.case])
    if outcome is None or not _is_right(part, cases[finding.case], outcome, finding):
        return result
    told = named(finding, GENERAL[_STATE], part.rereads)
    return replace(result, findings=tuple(told if f is finding else f for f in result.findings))


def _answers_another(part: Part, case: Case, outcome: Outcome, finding: Finding) -> bool:
    """Whether a value is right for other contents that the call was made with first."""
    if any(callable(value) for value in case.inputs.values()):
        return False
    values = copy.deepcopy(list(case.inputs.values()))
    return any(
        _is_right_for(part, case, outcome, finding.stage, others)
        for k, value in enumerate(values)
        if is_changeable(value, _leaves)
        for others in _changed(values, k)
    )


def _changed(values: list[Any], k: int) -> Iterator[list[Any]]:
    with changed(values, [k], _leaves) as others:
        yield others


def _leaves(value: Any) -> list[Array]:
    return [value] if isinstance(value, np.ndarray) else []


def _is_right_for(
    part: Part, case: Case, outcome: Outcome, stage: str | None, values: list[Any]
) -> bool:
    inputs = dict(zip(case.inputs, values, strict=True))
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
