"""The smallest case that shows a finding: code to paste, the learner's value, the due one.

A part brings small cases along, the smallest first, that feed no check. For a known mistake the
first one that shows it is known before anybody is graded, from what the mistake computes beside the
reference: one call to the learner's code confirms it. For anything else all of a part's small cases
are asked, once for all of its findings, and the first that fails is taken. No hidden case is
ever shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from onehead import families
from onehead.evidence import call, evidence
from onehead.model import (
    BEHAVIOUR,
    Case,
    Finding,
    Misconception,
    Names,
    NotReached,
    Outcome,
    Part,
    PartResult,
    Stage,
)
from onehead.signature import Sight
from onehead.stages import Judged, compare_stage, describe_type, judge
from onehead.wording import NOT_REACHED

Ask = Callable[[Sequence[Case]], Mapping[str, Outcome]]

_DIGITS = range(3, 17)
_ENTRIES = 100  # of a learner's value, at most, that are written out


def with_counterexamples(part: Part, result: PartResult, ask: Ask) -> PartResult:
    """The result with the smallest case beside each finding that one shows.

    ``ask`` puts cases to the learner's code; an outcome may be missing.
    """
    open_ = [f for f in result.findings if not f.message.endswith(NOT_REACHED)]
    if result.status != "graded" or not part.small or not open_:
        return result
    known = [_shown_by(part, finding) for finding in open_]
    needed = {case.name for case in known if case is not None}
    asked = [case for case in part.small if None in known or case.name in needed]
    outcomes = ask(asked)
    with np.errstate(all="ignore"):
        judged = [judge(part, case, outcomes[case.name]) for case in asked if case.name in outcomes]
        found = {j.case.name: tuple(_found(part, j)) for j in judged}
        told = (_shown(part, finding, judged, found) for finding in result.findings)
        return replace(result, findings=tuple(told))


def _found(part: Part, judged: Judged) -> Iterator[Finding]:
    for family in families.load():
        yield from family.check(part, judged, {judged.case.name: judged})


# --- which case --------------------------------------------------------------------------


def _shown_by(part: Part, finding: Finding) -> Case | None:
    """The case that is known to show a finding; None where all have to be tried."""
    if finding.mistake is None or finding.stage not in finding.mistake.wrong:
        return None
    return _showing(part, _Known(finding.mistake), finding.stage)


class _Known:
    """A mistake as a key: by identity, since what it computes has no equality."""

    def __init__(self, mistake: Misconception) -> None:
        self.mistake = mistake

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.mistake is other.mistake

    def __hash__(self) -> int:
        return id(self.mistake)


@lru_cache(maxsize=4096)
def _showing(part: Part, known: _Known, stage: str) -> Case | None:
    """The first small case in which a mistake computes something else than what is due."""
    return next((c for c in part.small if shows(part, known.mistake, stage, c)), None)


def shows(part: Part, mistake: Misconception, stage_name: str, case: Case) -> bool:
    """Whether a mistake is wrong in a stage of one case, all stages before it being right."""
    if case.raises:
        return False
    inputs, earlier = Names(case.inputs), Names()
    for stage in part.stages:
        try:
            with np.errstate(all="ignore"):
                if stage.name == stage_name:
                    value = mistake.wrong[stage_name](inputs, earlier)
                    return compare_stage(stage, inputs, earlier, value).kind != "ok"
                if stage.want is not None:
                    _keep(earlier, stage, stage.want(inputs, earlier))
        except NotReached:
            if stage.name == stage_name:
                return False
        except Exception:
            return True  # sizes clash
    return False


def _keep(earlier: Names, stage: Stage, value: Any) -> None:
    if isinstance(value, np.ndarray):
        earlier[stage.name] = value if value.dtype == bool else value.astype(np.float64)


# --- what it shows -----------------------------------------------------------------------


def _shown(
    part: Part, finding: Finding, judged: Sequence[Judged], found: Mapping[str, Sequence[Finding]]
) -> Finding:
    """The finding as a small case shows it, or as it was."""
    if finding.message.endswith(NOT_REACHED):
        return finding
    for j in judged:
        for here in found[j.case.name]:
            if _same(finding, here) and _confirmed(part, finding, j):
                code = code_of(part, j, here)
                return finding if code is None else _told(part, finding, j, here, code)
    return finding


def _same(finding: Finding, here: Finding) -> bool:
    """Whether a small case fails as the finding says."""
    if finding.check == BEHAVIOUR or finding.stage is None:
        return (finding.check, finding.stage, finding.misconception) == (
            here.check,
            here.stage,
            here.misconception or (finding.misconception if finding.mistake is not None else None),
        )
    return finding.stage == here.stage and here.check != BEHAVIOUR


def _confirmed(part: Part, finding: Finding, judged: Judged) -> bool:
    """Whether the small case shows the mistake that was named, and not another one."""
    if finding.mistake is None or finding.stage not in finding.mistake.wrong:
        return True
    stage = next(stage for stage in part.stages if stage.name == finding.stage)
    sight = Sight.of(stage, judged)
    if sight is None or sight.right:
        return False
    try:
        with np.errstate(all="ignore"):
            value = finding.mistake.wrong[stage.name](sight.inputs, judged.earlier)
    except Exception:
        return False
    return sight.agreeing(value) is not None


def _told(part: Part, finding: Finding, judged: Judged, here: Finding, code: str) -> Finding:
    return replace(
        finding,
        message=here.message,
        at=here.at,
        expected=here.expected,
        got=here.got,
        tolerances=here.tolerances,
        counterexample=code,
        evidence=evidence(part, judged, here, finding.evidence.probe if finding.evidence else ""),
    )


# --- as code -----------------------------------------------------------------------------


def code_of(part: Part, judged: Judged, finding: Finding) -> str | None:
    """A small case as code, the learner's value below it, and the due one where it may be shown."""
    asked = call(part, judged.case)
    if not asked:
        return None
    yours, due = _values(part, judged, finding)
    if yours is None:
        return None
    lines = [_picked(part, finding.stage, asked), f"# yours:    {yours}"]
    return "\n".join([*lines, f"# expected: {due}"] if due else lines)


def _picked(part: Part, stage: str | None, asked: str) -> str:
    """The call with what picks a stage out of its answer."""
    names = [s.name for s in part.stages]
    if stage is None or part.answer in ("single", "whole"):
        return asked
    if part.answer == "tuple":
        return f"{asked}[{names.index(stage)}]"
    if part.probe == "class" and stage in ("call", "num_parameters"):
        made, _, given = asked.rpartition(".trace")
        return f"{made}{given}" if stage == "call" else f"{made}.num_parameters"
    return f"{asked}[{stage!r}]".replace("'", '"')


def _values(part: Part, judged: Judged, finding: Finding) -> tuple[str | None, str | None]:
    """The learner's value and the due one, in words or numbers."""
    case, outcome = judged.case, judged.outcome
    if case.raises:
        return _ended(outcome), f"a ValueError that names {' and '.join(case.raises)}"
    if judged.lost and finding.stage is None:
        return _ended(outcome), None
    comparison = judged.stage(finding.stage) if finding.stage else None
    if comparison is None or finding.check == BEHAVIOUR or comparison.kind == "ok":
        return _behaviour(judged, finding)
    stage = next(stage for stage in part.stages if stage.name == finding.stage)
    if stage.secret or not isinstance(comparison.want, np.ndarray):
        return _short(comparison.got), None
    got = judged.values.get(stage.name) if comparison.got is None else comparison.got
    return written(got, comparison.want)


def _behaviour(judged: Judged, finding: Finding) -> tuple[str | None, str | None]:
    notes = judged.outcome.notes
    if finding.misconception == "input-mutated":
        return f"{', '.join(notes.changed)} changed in place", "left as before the call"
    if finding.misconception == "memory-shared" and notes.shares_input:
        shared = ", ".join(notes.shares_input)
        return f"who writes into it changes {shared}", "memory of its own"
    if finding.stage is not None and isinstance(finding.got, str):
        return f"of dtype {finding.got}", f"of dtype {finding.expected}"
    return (judged.form, None) if judged.form else (None, None)


def _ended(outcome: Outcome) -> str | None:
    error = outcome.error
    if error is not None:
        return f"{error.type}: {' '.join(error.message.split())[:200]}"
    return _short(outcome.value) if outcome.status == "returned" else None


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray | list | tuple | dict) and _size(value) > _ENTRIES:
        return describe_type(value)
    text = " ".join(repr(value.tolist() if isinstance(value, np.ndarray) else value).split())
    return text if len(text) <= 200 else f"{text[:200]} ..."


def _size(value: Any) -> int:
    return int(value.size) if isinstance(value, np.ndarray) else len(value)


def written(got: Any, want: np.ndarray) -> tuple[str, str]:
    """Two values with as many digits as it takes to see that they differ.

    >>> written(np.array([0.5, 1 / 3]), np.array([0.5, 0.25]))
    ('[0.5, 0.333]', '[0.5, 0.25]')
    >>> written(np.array([1.00000001]), np.array([1.0]))
    ('[1.00000001]', '[1]')
    """
    odd = not isinstance(got, np.ndarray) or got.dtype.kind not in "biuf"
    if odd or got.size > _ENTRIES:
        return _short(got), _numbers(want, 4)
    for digits in _DIGITS:
        texts = _numbers(got, digits), _numbers(want, digits)
        if texts[0] != texts[1]:
            return texts
    return _short(got), _short(want)


def _numbers(x: np.ndarray, digits: int) -> str:
    def entry(value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(entry, value))}]"
        return str(value) if isinstance(value, bool) else f"{value:.{digits}g}"

    return entry(x.tolist())
