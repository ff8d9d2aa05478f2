"""One learner, top to bottom: read, plan, ask, judge, name, mark."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from onehead import families
from onehead.afresh import with_state_named
from onehead.compare import as_array
from onehead.known import Known
from onehead.marks import mark, ungraded
from onehead.model import (
    BEHAVIOUR,
    Case,
    Exercise,
    ExerciseResult,
    Finding,
    Outcome,
    Part,
    PartResult,
    PartStatus,
    Result,
)
from onehead.sandbox import Box, Dead, Limits
from onehead.session import PartAnswers, Session
from onehead.shrink import with_counterexamples
from onehead.source import Source
from onehead.stages import Judged, judge
from onehead.submission import Submission
from onehead.wording import error_text, sizes


def grade(course: Sequence[Exercise], submission: Submission, box: Box) -> Result:
    """Every exercise of the course, whatever the submission holds.

    Raises:
        SandboxError: the grader itself failed; that is no mark.
    """
    exercises = (
        grade_exercise(exercise, submission.sources[exercise.stem], box) for exercise in course
    )
    return Result(submission.name, tuple(exercises))


# By the part and its answers' bytes; by the exercise, a digest of the code and how it was run.
_BY_ANSWERS: Known[tuple[Part, bytes], PartResult] = Known(most=10_000)
_BY_CODE: Known[tuple[Exercise, str, str, Limits], ExerciseResult] = Known(most=1_000)


def grade_exercise(exercise: Exercise, source: Source, box: Box) -> ExerciseResult:
    """One exercise of one submission, within one budget of time; the same code is run once."""
    if source.status != "ok":
        parts = tuple(ungraded(part, "missing") for part in exercise.parts)
        return ExerciseResult(exercise.id, source.status, exercise.points, parts, source.message)
    key = exercise, source.code, box.level, box.limits
    if (known := _BY_CODE.get(key)) is not None:
        return replace(known, message=source.message)
    with Session(source, box) as session:
        learner = session.learner() if exercise.draws else None
        asked = [drawn(part, learner) for part in exercise.parts]
        results = tuple(grade_part(part, session) for part in asked)
    status = _status(session, results)
    result = ExerciseResult(exercise.id, status, exercise.points, results, source.message, learner)
    if not session.died:  # that may have been the machine's doing, and comes again or not
        _BY_CODE[key] = result
    return result


@lru_cache(maxsize=1024)
def drawn(part: Part, learner: str | None) -> Part:
    """A part whose cases know for whom their numbers were drawn."""
    if learner is None:
        return part
    cases = (replace(case, inputs={**case.inputs, "LEARNER": learner}) for case in part.cases)
    return replace(part, cases=tuple(cases))


def _status(session: Session, results: Sequence[PartResult]) -> Any:
    """An exercise is graded unless nothing of it could be loaded."""
    dead = [status for _, status in session.dead_cells]
    if session.gave_up is not None:
        dead.append(session.gave_up)
    asked = any(result.status not in ("missing", *dead) for result in results)
    return dead[0] if dead and not asked else "graded"


# --- a part ------------------------------------------------------------------------------


def grade_part(part: Part, session: Session, explain: bool = True) -> PartResult:
    """The marks of one part, asked in a session; ``explain`` adds the smallest counterexamples."""
    if not session.defines(part.defined_as):
        status, why = session.why_missing(part.defined_as)
        return ungraded(part, status, why)
    try:
        answers = session.answers(part, _BY_ANSWERS)
    except Dead as dead:
        return ungraded(part, dead.status, _DEATHS[dead.status])
    result = _known_result(part, answers)
    if not explain or not result.findings:
        return result
    result = with_state_named(part, result, lambda case: session.asked_first(part, case))
    return with_counterexamples(part, result, lambda cases: session.asked(part, cases))


def _known_result(part: Part, answers: PartAnswers) -> PartResult:
    """A result; of known answers it is not made again."""
    if answers.seal is None:
        return _result(part, answers.outcomes)
    key = part, answers.seal
    result = _BY_ANSWERS.get(key) or _result(part, answers.outcomes)
    _BY_ANSWERS[key] = result
    return result


def _result(part: Part, outcomes: Mapping[str, Outcome]) -> PartResult:
    return _not_graded(part, list(outcomes.values())) or mark_outcomes(part, outcomes)


_DEATHS: Mapping[str, str] = {
    "timed-out": "a call took longer than it may",
    "crashed": "the process ended during a call",
    "out-of-memory": "a call asked for more memory than it may have",
}


def mark_outcomes(part: Part, outcomes: Mapping[str, Outcome]) -> PartResult:
    """Judge and mark a part's outcomes, by case name."""
    with np.errstate(all="ignore"):  # a learner's numbers may be as large as they come
        answers = {
            case.name: judge(part, case, outcomes[case.name])
            for case in families.planned(part)
            if case.name in outcomes
        }
        return mark(part, tuple(answers.values()), _found(part, answers))


def _found(part: Part, answers: Mapping[str, Judged]) -> Iterator[tuple[Judged, Finding]]:
    for judged in answers.values():
        for family in families.load():
            # A twin that feeds the behaviour check is compared with its first answer, not judged
            # again: what was wrong the first time has cost its own check.
            if judged.case.check == BEHAVIOUR and family.FAMILY != "purity":
                continue
            for finding in family.check(part, judged, answers):
                yield judged, finding


def _not_graded(part: Part, outcomes: Sequence[Outcome]) -> PartResult | None:
    """The result of a part that has not been started, or fails whatever it is asked."""
    if part.probe == "value" and is_unfilled(outcomes[0].value):
        return ungraded(part, "unfinished")
    pairs = list(zip(outcomes, families.planned(part), strict=True))
    if part.handed_over is not None and all(
        _as_handed_over(part, case, outcome) for outcome, case in pairs
    ):
        return ungraded(
            part,
            "unfinished",
            f"{part.defined_as} still does what the code that was handed over does",
        )
    asked = [(outcome, case) for outcome, case in pairs if not case.raises]
    if not all(outcome.status == "raised" for outcome, _ in asked):
        return None
    errors = [(o.error, case) for o, case in asked if o.error is not None]
    if all("NotImplementedError" in error.bases for error, _ in errors):
        return ungraded(part, "unfinished")
    first, case = next((pair for pair in errors if pair[1].public), errors[0])
    status: PartStatus = "out-of-memory" if "MemoryError" in first.bases else "raised"
    if part.probe == "value":
        return ungraded(part, status, error_text(first))
    on = f"{case.name}{sizes(case)}: " if case.public else ""
    return ungraded(part, status, f"{on}{error_text(first, case.public)}")


def _as_handed_over(part: Part, case: Case, outcome: Outcome) -> bool:
    """Whether a case came out as the code that the learner was to repair makes it."""
    assert part.handed_over is not None
    arguments = [copy.deepcopy(value) for key, value in case.inputs.items() if key != "LEARNER"]
    try:
        with np.errstate(all="ignore"):
            broken = part.handed_over(*arguments)
    except Exception as error:
        return outcome.error is not None and type(error).__name__ in outcome.error.bases
    return outcome.status == "returned" and _alike(outcome.value, broken)


def _alike(a: Any, b: Any) -> bool:
    """Equality of two answers, up to rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_alike(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    x, y = as_array(a), as_array(b)
    if x is None or y is None:
        return type(a) is type(b) and bool(a == b)
    return x.shape == y.shape and bool(
        np.all((np.abs(x * 1.0 - y * 1.0) <= 1e-9) | ((x != x) & (y != y)))
    )


def is_unfilled(value: Any) -> bool:
    """Whether a constant is the stub as released: nothing but ``...`` in it.

    >>> is_unfilled({"a": ..., "b": [..., ...]}), is_unfilled({"a": "inside", "b": ...})
    (True, False)
    """
    if isinstance(value, dict):
        return bool(value) and all(map(is_unfilled, value.values()))
    if isinstance(value, list | tuple):
        return bool(value) and all(map(is_unfilled, value))
    return value is ...
