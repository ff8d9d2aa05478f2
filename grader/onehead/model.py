"""The data that flows through the grader, all of it frozen.

``Exercise`` -> ``Part`` -> ``Case`` -> ``Outcome`` -> ``Comparison`` -> ``Finding`` ->
``PartResult`` -> ``ExerciseResult`` -> ``Result``. An exercise says what is asked and how it is
judged; an outcome is what the learner's process answered; a result is what every report is made
from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from numpy.typing import NDArray

Array = NDArray[Any]

Family = Literal[
    "shape",
    "masking",
    "projection",
    "parameter-count",
    "batching",
    "numerical",
    "purity",
    "cost",
    "audit",
    "interpretation",
]
BEHAVIOUR = "behaviour"  # the check of keys, dtype, untouched inputs and memory
Verdict = Literal["wrong", "near-miss", "unstable"]
PartStatus = Literal[
    "graded", "missing", "unfinished", "raised", "timed-out", "crashed", "out-of-memory"
]
ExerciseStatus = Literal["graded", "missing", "unreadable", "crashed", "timed-out", "out-of-memory"]


class Names(dict[str, Any]):
    """A dict whose entries can be read as attributes, so that a stage reads like its equation.

    >>> Names(X=1).X
    1
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise NotReached(name) from None


class NotReached(AttributeError):
    """A stage that a formula needs has no usable value in this trace."""


@dataclass(frozen=True)
class Rounding:
    """The rounding errors of one dtype: unit roundoff ``unit``, smallest normal number ``tiny``.

    >>> Rounding(unit=2.0**-53, tiny=0.0).of(4) == 4 * 2.0**-53
    True
    """

    unit: float
    tiny: float
    likely: bool = False  # a sum's usual error, of the order of sqrt(n), instead of its bound

    def of(self, operations: int) -> float:
        """Relative error after so many dependent operations."""
        return (2 + 2 * math.sqrt(operations) if self.likely else operations) * self.unit


# --- what is asked -----------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """One named piece of an answer: a trace's Q, a dict's "total", a function's only result.

    ``want(inputs, earlier)`` is the value due, given the case's inputs and the learner's own
    earlier stages. ``allow(inputs, earlier, rounding)`` is the error allowed, entry by entry, in
    the arithmetic of ``rounding``; without it the value must be equal. ``judge(inputs, value)``,
    where present, replaces both: it returns what is wrong with the value in one sentence, or None.
    """

    name: str
    family: Family
    want: Callable[[Names, Names], Any] | None = None
    allow: Callable[[Names, Names, Rounding], Array] | None = None
    judge: Callable[[Names, Any], str | None] | None = None
    axes: tuple[str, ...] = ()  # names of the last axes: ("query", "key")
    secret: bool = False  # the expected value is the answer itself: never shown
    by_hand: bool = False  # worked by hand: ``allow`` is all that any answer may differ by


@dataclass(frozen=True)
class Case:
    """One question to the learner's code.

    ``check`` names the check that the case feeds; without it the case feeds the check of each
    stage. ``raises`` holds the sizes or names that the message of the due ``ValueError`` must hold,
    ``ranks`` what it may hold in their place: the given rank and those that are expected, where
    the rank is what is wrong. ``family`` says what such a case is about. ``extreme`` says that its
    numbers are so large that a formula which is right on paper can break. ``twin`` names the case
    that this one varies: a family planned it.
    """

    name: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    public: bool = False
    check: str | None = None
    raises: tuple[str, ...] = ()
    ranks: tuple[str, ...] = ()
    family: Family = "shape"
    extreme: bool = False
    twin: str | None = None


@dataclass(frozen=True)
class Misconception:
    """A known mistake: what it computes in the stages that it distorts, and a sentence on it.

    ``wrong`` maps a stage's name to ``wrong(inputs, earlier)``, as ``Stage.want``; it raises
    ``NotReached`` where the mistake has nothing to say, and what numpy raises where sizes clash.
    ``instead(inputs)`` is what it answers where a call is to be refused. A mistake that only a
    judge can see ``fits`` the answers by case name and the names of the cases that failed.
    ``verdict``, where present, is the mistake's own, whatever the size of its errors, and ``hints``
    are a question, where to look, and the idea.
    """

    name: str
    wrong: Mapping[str, Callable[[Names, Names], Any]]
    says: str
    reread: str = ""
    instead: Callable[[Names], Any] | None = None
    fits: Callable[[Mapping[str, Any], frozenset[str]], bool] | None = None
    verdict: Verdict | None = None
    hints: tuple[str, str, str] | None = None


Probe = Literal["call", "value", "class"]
Answer = Literal["trace", "dict", "tuple", "single", "whole"]


def lesson(exercise: str) -> str:
    """How texts call an exercise that has an id.

    >>> lesson("lesson-04"), lesson("review")
    ('lesson 4', 'review')
    """
    kind, _, number = exercise.partition("-")
    return f"{kind} {int(number)}" if number.isdecimal() else exercise


@dataclass(frozen=True)
class Pointer:
    """The lesson that explains some questions, of which a public check says if all are right.

    Of questions with two answers to choose from there are two: else "not right" is the answer.
    """

    questions: tuple[str, ...]
    lesson: str

    @property
    def name(self) -> str:
        return " and ".join(self.questions)

    @property
    def missed(self) -> str:
        how = "is not right" if len(self.questions) == 1 else "are not both right"
        return f"{self.name} {how}: see {lesson(self.lesson)}"


@dataclass(frozen=True, eq=False)  # by identity, so that what is made from one can be kept
class Part:
    """What one function, class or constant must do, and how it is asked.

    ``answer`` says how stages are found in what comes back: by key (in dependency order for a
    trace), by place, as its only one, or each looks at the whole. ``init`` names the inputs that
    a class is made with; the rest go to its methods. What a "value" (a constant) holds is the
    answer itself: its stages are secret. ``small`` cases, the smallest first, feed no
    check: what is wrong is shown on them. ``reasons(value)`` says of right answers why they are
    right, and ``pointers`` where to read again.
    """

    name: str
    points: float
    stages: tuple[Stage, ...]
    cases: tuple[Case, ...]
    probe: Probe = "call"
    answer: Answer = "single"
    behaviour: bool = False  # a check of keys, dtype, untouched inputs and memory
    init: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    target: str = ""
    handed_over: Callable[..., Any] | None = None
    small: tuple[Case, ...] = ()
    reasons: Callable[[Any], Mapping[str, str]] | None = None
    pointers: tuple[Pointer, ...] = ()
    rereads: Mapping[str, str] = field(default_factory=dict)  # by mistakes that any part can show
    turns: bool = True  # arrays of a question, turned round along their first axis, make another

    def __post_init__(self) -> None:
        if self.probe == "value" and not all(stage.secret for stage in self.stages):
            stages = tuple(replace(stage, secret=True) for stage in self.stages)
            object.__setattr__(self, "stages", stages)

    @property
    def defined_as(self) -> str:
        return self.target or self.name

    @property
    def lessons(self) -> tuple[str, ...]:
        """Where to read again, of all that the part asks."""
        return tuple(sorted({pointer.lesson for pointer in self.pointers}))


@dataclass(frozen=True)
class Exercise:
    """One notebook: its id, its file's stem, its title and its parts in teaching order.

    Where ``draws``, the file names its learner in ``LEARNER``, and what is due depends on it: every
    case has that name among its inputs.
    """

    id: str
    stem: str
    title: str
    parts: tuple[Part, ...]
    draws: bool = False

    @property
    def points(self) -> float:
        return sum(part.points for part in self.parts)


# --- what was answered -------------------------------------------------------------------


@dataclass(frozen=True)
class Opaque:
    """A value that is no plain data.

    A function, an object, an array of a dtype that can't travel.
    """

    type: str  # "generator", "ndarray of complex128"


@dataclass(frozen=True)
class Error:
    """An exception in the learner's code. ``type`` and ``message`` are theirs: never trusted."""

    type: str
    bases: tuple[str, ...]  # names of the exception's classes, itself first
    message: str
    cell: str = ""
    line: int = 0


@dataclass(frozen=True)
class Notes:
    """What the learner's process saw of a call. It could lie, and would gain purity marks only."""

    changed: tuple[str, ...] = ()  # inputs that the call changed in place
    shares_input: tuple[str, ...] = ()  # inputs whose memory the result shares, writable
    shares_earlier: bool = False  # an earlier result changed, or a spoiled one came back
    warnings: tuple[str, ...] = ()


OutcomeStatus = Literal["returned", "raised", "missing", "timed-out", "crashed", "out-of-memory"]


@dataclass(frozen=True)
class Outcome:
    """What came back for one case.

    ``value`` is plain data: None, bool, int, float, str, list, tuple, dict, array, numpy scalar,
    ``...`` or ``Opaque``. ``again`` holds the answers to the same question asked again, where
    they differ from the first in any bit.
    """

    status: OutcomeStatus
    value: Any = None
    error: Error | None = None
    notes: Notes = Notes()
    again: tuple[Any, ...] = ()


# --- what is wrong with it ---------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """One stage of one case held against what was due.

    ``kind`` is "ok" or the first thing that differs. ``tolerances`` is the largest error in units
    of what was allowed; ``at`` the index of the first entry that differs, by axis name.
    """

    stage: str
    kind: Literal["ok", "missing", "type", "shape", "dtype", "non-finite", "hidden", "value"]
    got: Any = None
    want: Any = None
    at: Mapping[str, int] = field(default_factory=dict)
    got_at: float | bool | None = None
    want_at: float | bool | None = None
    tolerances: float = 0.0
    differing: int = 0
    size: int = 0
    non_finite: int = 0
    verdict: Verdict = "wrong"
    text: str = ""
    wrong: Array | None = None  # which entries differ, of values of one shape


@dataclass(frozen=True)
class Evidence:
    """What a public case shows of a finding: for its learner's report, not for results.jsonl.

    ``got``, ``want``, ``wrong`` and ``visible`` are matrices or vectors of one shape; of a batch,
    those of the item ``item``.
    """

    case: str
    call: str = ""  # code that asks the case again
    probe: str = ""  # what moved when something else was changed; it ends the finding's message
    axes: tuple[str, ...] = ()
    item: int | None = None
    got: Array | None = None
    want: Array | None = None
    wrong: Array | None = None
    visible: Array | None = None  # what may be read, where the values are weights


@dataclass(frozen=True)
class Finding:
    """One check that failed. ``reports/result.schema.json`` says how a line of results holds it."""

    check: str
    family: Family
    stage: str | None
    verdict: Verdict
    message: str
    misconception: str | None = None
    at: Mapping[str, int] | None = None
    expected: Any = None
    got: Any = None
    tolerances: float | None = None
    counterexample: str | None = None  # code to paste; message, at, expected and got describe it
    says: str | None = None  # the misconception in one sentence, for the learner
    reread: str | None = None  # the id of the lesson that teaches it: "lesson-04"
    case: str = field(default="", compare=False, repr=False)  # the name of the one it tells of
    evidence: Evidence | None = field(default=None, compare=False, repr=False)
    mistake: Misconception | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Override:
    """An instructor's own decision on a part: ``graded`` is the grader's score, which gave way."""

    graded: float
    reason: str


FORM = "form"  # the only check of numbers that are asked for, where nobody knows the right ones


@dataclass(frozen=True)
class PartResult:
    name: str
    status: PartStatus
    score: float
    max_score: float
    checks: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    override: Override | None = None  # never in results.jsonl: that is the grader's

    @property
    def form_only(self) -> bool:
        """Whether all that was looked at is the form of numbers."""
        return self.checks == (FORM,)

    @property
    def checks_passed(self) -> int:
        failed = {finding.check for finding in self.findings}
        return sum(check not in failed for check in self.checks) if self.status == "graded" else 0


@dataclass(frozen=True)
class ExerciseResult:
    id: str
    status: ExerciseStatus
    max_score: float
    parts: tuple[PartResult, ...] = ()
    message: str = ""
    learner: str | None = None  # whom a file with drawn numbers names

    @property
    def score(self) -> float:
        return round(sum(part.score for part in self.parts), 2)


@dataclass(frozen=True)
class Result:
    submission: str
    exercises: tuple[ExerciseResult, ...]

    @property
    def score(self) -> float:
        return round(sum(exercise.score for exercise in self.exercises), 2)

    @property
    def max_score(self) -> float:
        return sum(exercise.max_score for exercise in self.exercises)


@dataclass(frozen=True)
class Graded:
    """A class as it was graded. ``failed`` holds the submissions that the grader itself failed on,
    with the reason: they have no marks, which is not the same as 0.
    """

    results: tuple[Result, ...]  # sorted by name
    failed: Mapping[str, str] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()  # ids, in order
    warning: str = ""  # how weakly the run was isolated
    titles: Mapping[str, str] = field(default_factory=dict)  # the exercises', by id

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted({*(result.submission for result in self.results), *self.failed}))
