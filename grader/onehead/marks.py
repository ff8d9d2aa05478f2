"""Findings to points: a part's points are shared equally by its checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeGuard

import numpy as np

from onehead.evidence import evidence
from onehead.families import planned
from onehead.model import (
    BEHAVIOUR,
    Array,
    Case,
    Finding,
    Misconception,
    Part,
    PartResult,
    PartStatus,
    Verdict,
)
from onehead.recognise import GENERAL, recognise
from onehead.stages import Judged
from onehead.wording import NOT_REACHED


@lru_cache(maxsize=4096)
def checks(part: Part) -> tuple[str, ...]:
    """The names of a part's checks in dependency order.

    What must be refused and behaviour come last.
    """
    cases = part.cases
    names = [stage.name for stage in part.stages] if any(not case.check for case in cases) else []
    names += [case.check for case in cases if case.check and not case.raises]
    names += [case.check for case in cases if case.check and case.raises]
    if part.behaviour:
        names.append(BEHAVIOUR)
    return tuple(dict.fromkeys(names))


def unjudged(part: Part, judged: Sequence[Judged]) -> tuple[str, ...]:
    """The checks that nobody saw work.

    Of what is asked in earnest, no more than half reaches the stage, or shows how it behaves; or
    more than half is refused, and so is what has to be.
    """
    asked = [j for j in judged if not j.case.raises]
    half = len(asked) / 2
    # A trace's stages are judged on the cases that reach them; else a later one may lack a former.
    stages = part.stages if part.answer == "trace" else part.stages[1:]
    unseen = {s.name for s in stages if sum(_reaches(j, s.name) for j in asked) <= half}
    if sum(map(_behaves, asked)) <= half:
        unseen.add(BEHAVIOUR)
    if sum(j.outcome.status == "raised" for j in asked) > half:
        unseen |= {j.case.check for j in judged if j.case.raises and j.case.check}
    return tuple(check for check in checks(part) if check in unseen)


def _reaches(judged: Judged, stage: str) -> bool:
    """Whether a stage was judged, and not right for want of anything to compute.

    Zeros that are made from wrong zeros say nothing of how they were made.
    """
    wrong_before = False
    for comparison in judged.comparisons:
        if comparison.stage == stage:
            return not (comparison.kind == "ok" and wrong_before and _is_flat(comparison.want))
        wrong_before = wrong_before or comparison.kind != "ok"
    return False


def _is_flat(want: object) -> bool:
    return _is_array(want) and want.dtype.kind == "f" and bool((want == want.flat[0]).all())


def _behaves(judged: Judged) -> bool:
    """Whether an answer holds something of the kind that is due: an array where one is due."""
    return any(
        comparison.kind not in ("missing", "type")
        and (not _is_array(comparison.want) or _is_array(comparison.got))
        for comparison in judged.comparisons
    )


def _is_array(value: object) -> TypeGuard[Array]:
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.size > 0


def score(part: Part, failed: Iterable[str]) -> float:
    """Points for the checks that did not fail, with two decimals."""
    names = checks(part)
    right = len(set(names) - set(failed))
    return float(round(Fraction(part.points) * right / len(names), 2))


def mark(
    part: Part, judged: Sequence[Judged], findings: Iterable[tuple[Judged, Finding]]
) -> PartResult:
    """The result of a part that could be asked.

    One finding a failed check, of behaviour one for each thing that is wrong. The first cause comes
    first; what was not reached has no cause of its own.
    """
    groups: dict[tuple[str, str | None], list[tuple[Judged, Finding]]] = {}
    for found in findings:
        if not _follows(*found, judged):
            groups.setdefault(_group(found[1]), []).append(found)
    order = {check: k for k, check in enumerate(checks(part))}
    stray = {check for check, _ in groups} - order.keys()
    assert not stray, f"{part.name} has no check {stray}"
    told = [
        _one(part, key[0], judged, groups[key]) for key in sorted(groups, key=lambda k: order[k[0]])
    ]
    by_check = {check for check, _ in groups}
    told += [_not_reached(part, name) for name in unjudged(part, judged) if name not in by_check]
    failed = [finding.check for finding in told]
    return PartResult(
        part.name, "graded", score(part, failed), part.points, checks(part), tuple(told)
    )


def _group(finding: Finding) -> tuple[str, str | None]:
    """What is told as one: the findings of a check, of behaviour those of one kind."""
    if finding.check != BEHAVIOUR:
        return finding.check, None
    return finding.check, finding.misconception or finding.family


def _follows(where: Judged, finding: Finding, judged: Sequence[Judged]) -> bool:
    """Whether a property fails in a stage that is right given the stages before it: their fault."""
    if not _is_probe(where, finding):
        return False
    stages = (j.stage(finding.stage) for j in judged if finding.stage is not None)
    return all(comparison is None or comparison.kind == "ok" for comparison in stages)


def _is_probe(where: Judged, finding: Finding) -> bool:
    return where.case.twin is not None and "must be 0" in finding.message


def _not_reached(part: Part, check: str) -> Finding:
    stage = check if any(stage.name == check for stage in part.stages) else None
    return Finding(check, "shape", stage, "wrong", f"{check} {NOT_REACHED}")


def _one(
    part: Part, check: str, judged: Sequence[Judged], found: Sequence[tuple[Judged, Finding]]
) -> Finding:
    """The finding that tells most of a failed check, and the known mistake that it shows."""
    verdict = _verdict(found)
    best_judged, best = _telling(found, verdict)
    mistake = _mistake(part, best, judged)
    if (best.stage, best.misconception) == (None, None) and (
        mistake is None or check not in mistake.wrong
    ):
        # Where most calls end in an error, the others may show a mistake of this stage's own.
        in_stage = [(j, f) for j, f in found if f.stage == check]
        own_judged, own = _telling(in_stage, verdict) if in_stage else (best_judged, best)
        if own is not best and (known := _mistake(part, own, judged)):
            best_judged, best, mistake = own_judged, own, known
    moved = next((f.message for j, f in found if _is_probe(j, f) and f is not best), "")
    told = replace(
        best,
        verdict=verdict,
        message=f"{best.message}; {moved}" if moved else best.message,
        case=best_judged.case.name,
        evidence=evidence(part, best_judged, best, moved),
    )
    return told if mistake is None else named(told, mistake, part.rereads)


def _telling(found: Sequence[tuple[Judged, Finding]], verdict: Verdict) -> tuple[Judged, Finding]:
    """The one that tells most: named before unnamed, wrong before near, public before hidden."""
    on_cases = [(j, f) for j, f in found if j.case.twin is None or f.misconception] or found
    return min(
        on_cases,
        key=lambda jf: (
            jf[1].misconception is None,
            jf[1].verdict == "near-miss" and verdict != "near-miss",
            not jf[0].case.public,
        ),
    )


def named(finding: Finding, mistake: Misconception, rereads: Mapping[str, str]) -> Finding:
    """A finding that says which known mistake it shows."""
    return replace(
        finding,
        misconception=mistake.name,
        says=mistake.says or None,
        reread=mistake.reread or rereads.get(mistake.name),
        verdict=mistake.verdict or finding.verdict,
        mistake=mistake,
    )


def _mistake(part: Part, finding: Finding, judged: Sequence[Judged]) -> Misconception | None:
    if finding.misconception is not None:
        return GENERAL.get(finding.misconception)
    if finding.check == BEHAVIOUR and finding.stage is not None:
        return None  # a dtype, or a value that is not there: no formula made it
    return recognise(part, finding, judged)


def _verdict(found: Sequence[tuple[Judged, Finding]]) -> Verdict:
    """Unstable where only huge numbers break it, near-miss where precision is lost, else wrong."""
    if all(j.case.extreme for j, _ in found):
        return "unstable"
    return "near-miss" if all(f.verdict == "near-miss" for _, f in found) else "wrong"


def ungraded(part: Part, status: PartStatus, message: str = "") -> PartResult:
    """The result of a part that could not be judged: no points, and one finding that says why."""
    family = part.stages[0].family
    findings = (Finding(checks(part)[0], family, None, "wrong", message),) if message else ()
    return PartResult(part.name, status, 0.0, part.points, checks(part), findings)


def cases(part: Part) -> tuple[Case, ...]:
    """What a part is asked: its own cases, then the families'."""
    return planned(part)
