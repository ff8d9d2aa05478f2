"""One learner, top to bottom: read, plan, ask, judge, name, mark."""

from __future__ import annotations

import copy
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from onehead import families
from onehead.compare import as_array
from onehead.marks import mark, ungraded
from onehead.model import (
    BEHAVIOUR,
    Case,
    Error,
    Exercise,
    ExerciseResult,
    Finding,
    Outcome,
    Part,
    PartResult,
    PartStatus,
    Result,
)
from onehead.sandbox import Box, Budget, Child, Dead, Death, Missing, Question, Step
from onehead.shrink import with_counterexamples
from onehead.stages import Judged, judge
from onehead.submission import Cell, Source, Submission
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


def grade_exercise(exercise: Exercise, source: Source, box: Box) -> ExerciseResult:
    """One exercise of one submission, within one budget of time."""
    if source.status != "ok":
        parts = tuple(ungraded(part, "missing") for part in exercise.parts)
        return ExerciseResult(exercise.id, source.status, exercise.points, parts, source.message)
    with Session(source, box) as session:
        learner = session.learner() if exercise.draws else None
        asked = [drawn(part, learner) for part in exercise.parts]
        results = tuple(grade_part(part, session) for part in asked)
    status = _status(session, results)
    return ExerciseResult(exercise.id, status, exercise.points, results, source.message, learner)


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
        answers = session.answers(part, _KNOWN)
    except Dead as dead:
        return ungraded(part, dead.status, _DEATHS[dead.status])
    result = _KNOWN.result(part, answers)
    if not explain or not result.findings:
        return result
    return with_counterexamples(part, result, lambda cases: session.asked(part, cases))


class Known:
    """Results of the latest answers: many learners of a class answer the same, bit for bit.

    A result is a function of the part and the answers, so one that is known is not made again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[tuple[Part, bytes], PartResult] = OrderedDict()

    def __contains__(self, key: tuple[Part, bytes]) -> bool:
        return key in self._results

    def result(self, part: Part, answers: PartAnswers) -> PartResult:
        if answers.seal is None:
            return _result(part, answers.outcomes)
        key = part, answers.seal
        result = self._results.pop(key, None) or _result(part, answers.outcomes)
        self._results[key] = result
        if len(self._results) > self._most:
            self._results.popitem(last=False)
        return result


_KNOWN = Known(10_000)
_REPEATED = 6  # cases of a part, of all sorts, and a few more


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


# --- the learner's process ---------------------------------------------------------------


@dataclass(frozen=True)
class PartAnswers:
    """Outcomes by case name; ``seal`` is the same for the same outcomes, None for unlike any."""

    outcomes: Mapping[str, Outcome]
    seal: bytes | None = None


class Session:
    """A learner's cells in a process of their own, opened again without the cells that end it."""

    can_start_again = True  # with a fresh process, where asking in bulk ended the old one

    def __init__(self, source: Source, box: Box) -> None:
        self._source, self._box = source, box
        self._budget = Budget(box.limits)
        self._child: Child | None = None
        self._asked = False  # whether calls have been made in the child
        self._one_by_one = False  # whether a cell has ended the process
        self._errors: list[tuple[Cell, Error]] = []
        self.dead_cells: list[tuple[Cell, Death]] = []
        self.gave_up: Death | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None
        self._asked = False

    def _open(self) -> Child:
        """The process with every cell run that does not end it.

        Raises:
            Dead: the budget ran out first.
        """
        while self._child is None:
            if len(self.dead_cells) > _MOST_DEAD_CELLS:
                self.gave_up = self.dead_cells[-1][1]
                raise Dead(self.gave_up)
            if self._budget.spent:
                self.gave_up = self.gave_up or "timed-out"
                raise Dead("timed-out")
            child = self._box.child(
                "__main__" if self._source.notebook else "submission", self._budget
            )
            self._child = child if self._run_cells(child) else None
        return self._child

    def _run_cells(self, child: Child) -> bool:
        """Run the cells in order; where one ends the process, leave it out from now on.

        All go at once first. Which of them ends the process shows when they go one by one.
        """
        self._errors = []
        dead = [cell for cell, _ in self.dead_cells]
        cells = [cell for cell in self._source.cells if cell not in dead]
        groups = [[cell] for cell in cells] if self._one_by_one else [cells]
        for group in groups:
            try:
                errors = child.run_cells([(c.name, c.source) for c in group], self._source.notebook)
            except Dead as end:
                child.close()
                if self._one_by_one:
                    self.dead_cells.append((group[0], end.status))
                self._one_by_one = True
                return False
            self._errors += [
                (c, error) for c, error in zip(group, errors, strict=True) if error is not None
            ]
        return True

    def defines(self, name: str) -> bool:
        """Whether the cells define it; in a fresh process, if another part's calls ended this."""
        used = self._asked
        try:
            return name in self._open().defined([name])
        except Dead:
            self._close()
        return self.defines(name) if used else False

    def why_missing(self, name: str) -> tuple[PartStatus, str]:
        """What became of a name that is not there: the status of the cell that held it."""
        definition = re.compile(
            rf"^[^\S\n]*(?:(?:async\s+)?(?:def|class)\s+{name}\b|{name}\s*[:=])", re.MULTILINE
        )
        for cell, status in self.dead_cells:
            if definition.search(cell.source):
                return status, f"{cell.name} {_ENDINGS[status]} and is left out, and {name} with it"
        for cell, error in self._errors:
            if definition.search(cell.source):
                return (
                    "missing",
                    f"{name} is not defined: {cell.name} ends early with {error_text(error)}",
                )
        if len(self.dead_cells) > _MOST_DEAD_CELLS:
            return self.dead_cells[-1][1], f"more than {_MOST_DEAD_CELLS} cells end the process"
        if self.gave_up is not None:
            return self.gave_up, "the time for this exercise was used up before"
        return "missing", f"{name} is not defined"

    def learner(self) -> str:
        """Whom the file names as its learner; "" where it names nobody."""
        try:
            (name,) = self._open().ask([Step("value", "LEARNER")], again=False).results
        except Dead:
            self._close()
            return ""
        return name if isinstance(name, str) else ""

    def answers(self, part: Part, known: Known) -> PartAnswers:
        """The outcome of every case; of answers whose result is known, their seal alone.

        All are asked at once first. Where that fails, a fresh process is asked one by one, so that
        no call takes another's time and a death is that of one call.

        Raises:
            Dead: a call ended the process.
        """
        if self.can_start_again and (at_once := self._at_once(part, known)) is not None:
            return at_once
        used = self._asked
        try:
            cases = families.planned(part)
            return PartAnswers({case.name: self.ask(part, case) for case in cases})
        except Dead as dead:
            # What other parts' calls left behind, such as an alarm, may have ended it.
            if not used or dead.status != "crashed":
                raise
        return self.answers(part, known)

    def _at_once(self, part: Part, known: Known) -> PartAnswers | None:
        """The outcomes of all cases, asked in bulk; None where they have to be asked one by one."""
        if (questions := _questions(part)) is None:
            return None
        try:
            child = self._open()
            self._asked = True
            answers = child.ask_all(questions)
            if answers is None:
                return None
            if (part, answers.seal) in known:
                return PartAnswers({}, answers.seal)
            replies = answers.replies()
        except Dead:
            self._close()
            return None
        outcomes = (_outcome(part, reply) for reply in replies)
        names = (case.name for case in families.planned(part))
        return PartAnswers(dict(zip(names, outcomes, strict=True)), answers.seal)

    def asked(self, part: Part, cases: Sequence[Case]) -> Mapping[str, Outcome]:
        """The outcomes of more cases of a part that is marked; {} where one ends the process."""
        layers = any(callable(value) for case in cases for value in case.inputs.values())
        try:
            if layers or not self.can_start_again:
                return {case.name: self.ask(part, case) for case in cases}
            questions = tuple(_question(part, case) for case in cases)
            answers = self._open().ask_all(questions)
            if answers is None:
                return {}
            outcomes = (_outcome(part, reply) for reply in answers.replies())
            return dict(zip((case.name for case in cases), outcomes, strict=True))
        except Dead:
            self._close()
            return {}

    def ask(self, part: Part, case: Case) -> Outcome:
        """The outcome of one case.

        Raises:
            Dead: the call ended the process; the next part gets a fresh one.
        """
        try:
            child = self._open()
            self._asked = True
            question = _question(part, case)
            return _outcome(part, child.ask(question.steps, question.again))
        except Dead:
            self._close()
            raise


_MOST_DEAD_CELLS = 20  # after each of them all other cells are run again
_ENDINGS: Mapping[str, str] = {
    "timed-out": "does not come to an end",
    "crashed": "ends the process",
    "out-of-memory": "asks for more memory than it may have",
}


@lru_cache(maxsize=1024)
def _questions(part: Part) -> tuple[Question, ...] | None:
    """All questions of a part; None where a layer comes along, which may be called so often."""
    cases = families.planned(part)
    if any(callable(value) for case in cases for value in case.inputs.values()):
        return None
    return tuple(_question(part, case) for case in cases)


def _question(part: Part, case: Case) -> Question:
    return Question(steps(part, case), again=case.name in _repeated(part))


@lru_cache(maxsize=1024)
def _repeated(part: Part) -> frozenset[str]:
    """The cases that are asked twice, to look at memory and state: some of each sort."""
    if not part.behaviour:
        return frozenset()
    names = [case.name for case in families.planned(part) if not case.raises]
    return frozenset(names[:: max(1, len(names) // _REPEATED)])


def steps(part: Part, case: Case) -> tuple[Step, ...]:
    """How a case is put to the learner's process."""
    name = part.defined_as
    inputs = [(key, value) for key, value in case.inputs.items() if key != "LEARNER"]
    if part.probe == "value":
        return (Step("value", name),)
    if part.probe == "call":
        return (Step("call", name, tuple(inputs)),)
    made = tuple((key, value) for key, value in inputs if key in part.init)
    args = tuple((key, value) for key, value in inputs if key not in part.init)
    if not args:
        return (Step("new", name, made),)
    uncaused, shorter, other_tokens, other_mask = _other_questions(dict(args))
    return (
        Step("new", name, made),
        Step("method", "trace", uncaused),
        Step("method", "trace", shorter),
        Step("method", "trace", other_tokens),
        Step("method", "__call__", args),
        Step("method", "__call__", other_mask),
        Step("method", "trace", args),
        Step("attr", "num_parameters"),
    )


def _other_questions(args: Mapping[str, Any]) -> tuple[tuple[tuple[str, Any], ...], ...]:
    """Asked in between, since an object may keep nothing of them.

    One token, with the other causality and with this; other tokens, all else the same; the same
    tokens, with a mask where none is due and the other causality.
    """
    X, causal = args["X"], args.get("causal", True)
    mask = None
    if args.get("visible") is None:
        mask = np.tri(X.shape[-2], k=1, dtype=bool)[::-1].copy()
    return (
        (("X", X[..., :1, :].copy()), ("visible", None), ("causal", not causal)),
        (("X", X[..., :1, :].copy()), ("visible", None), ("causal", causal)),
        tuple({**args, "X": X[..., ::-1, :].copy()}.items()),
        (("X", X), ("visible", mask), ("causal", not causal)),
    )


def _outcome(part: Part, reply: Any) -> Outcome:
    outcome = _one_outcome(part, reply.results)
    again = tuple(
        later.value
        for results in reply.again
        if (later := _one_outcome(part, results)).status == "returned"
    )
    return replace(outcome, notes=reply.notes, again=again)


def _one_outcome(part: Part, results: Sequence[Any]) -> Outcome:
    """One run's results as one outcome; an object's trace, call and count make one dict."""
    if part.probe != "class" or len(results) == 1:
        result = results[0]
        if isinstance(result, Error):
            return Outcome("raised", error=result)
        return Outcome("missing") if isinstance(result, Missing) else Outcome("returned", result)
    errors = [result for result in results if isinstance(result, Error)]
    new, *_, call, _, trace, count = results
    if isinstance(new, Error) or all(isinstance(r, Error) for r in (trace, call, count)):
        return Outcome("raised", error=errors[0])
    entries = dict(trace) if isinstance(trace, dict) else {}
    for name, value in (("call", call), ("num_parameters", count)):
        if name in entries:  # a trace does not answer for the call
            entries[f"{name} (in the trace)"] = entries.pop(name)
        if not isinstance(value, Error | Missing):
            entries[name] = value
    return Outcome("returned", entries, error=errors[0] if errors else None)
