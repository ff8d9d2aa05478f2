"""Answers composed of known mistakes: each stage by the mistake that distorts it, else right.

They are computed from the definitions, stage by stage, each stage from the answer's own earlier
ones, and are judged and marked like any learner's. One mistake alone shows whether the checks can
see it; two show whether one hides the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from onehead import families
from onehead.compare import is_float32
from onehead.grade import mark_outcomes
from onehead.model import (
    BEHAVIOUR,
    Case,
    Error,
    Exercise,
    Misconception,
    Names,
    NotReached,
    Outcome,
    Part,
)
from onehead.wording import NOT_REACHED
from onehead_release.bank import course

MOST_PAIRS = 300  # of a part, evenly spread; a layer has some thousands


@dataclass(frozen=True)
class Composition:
    """Which of a part's known mistakes, by their places in it."""

    exercise: str
    part: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class Composed:
    """What the grader said of a composition.

    ``visible`` says that each mistake changes something that a check looks at. ``made`` holds the
    mistakes' names, that of the first stage first, ``names`` what the grader called them.
    """

    asked: Composition
    made: tuple[str, ...]
    visible: bool
    names: frozenset[str]

    @property
    def has_first(self) -> bool:
        return self.made[0] in self.names

    @property
    def has_all(self) -> bool:
        return set(self.made) <= self.names

    @property
    def is_misnamed(self) -> bool:
        return bool(self.names - set(self.made))


def singles(exercises: Sequence[Exercise]) -> list[Composition]:
    """Each known mistake alone, where its definition says what the whole answer is."""
    return [
        Composition(exercise.id, part.name, (k,))
        for exercise in exercises
        for part in exercise.parts
        if can_be_composed(part)
        for k, mistake in enumerate(part.misconceptions)
        if mistake.wrong
    ]


def pairs(exercises: Sequence[Exercise]) -> list[Composition]:
    """Two mistakes with different names in different stages of one answer, the earlier one first.

    A name that some stages know in several ways stands for itself in the first of them.
    """
    found = []
    for exercise in exercises:
        for part in filter(can_be_composed, exercise.parts):
            own = [*_pairs(part)]
            stride = -(-len(own) // MOST_PAIRS) or 1
            found += [Composition(exercise.id, part.name, two) for two in own[::stride]]
    return found


def _pairs(part: Part) -> Iterator[tuple[int, int]]:
    order = {stage.name: k for k, stage in enumerate(part.stages)}
    ways: dict[tuple[str, frozenset[str]], int] = {}
    for k, mistake in enumerate(part.misconceptions):
        if mistake.wrong and mistake.wrong.keys() <= order.keys():
            ways.setdefault((mistake.name, frozenset(mistake.wrong)), k)
    by_place = sorted(ways.items(), key=lambda way: min(order[stage] for stage in way[0][1]))
    for n, ((name, stages), k) in enumerate(by_place):
        for (other, later), m in by_place[n + 1 :]:
            if name != other and not stages & later:
                yield k, m


def can_be_composed(part: Part) -> bool:
    """Whether a value is due in every stage: a judge's stage has none to put another for."""
    return all(stage.want is not None for stage in part.stages) and part.answer != "whole"


def grade_composition(asked: Composition) -> Composed:
    """What the grader says of it."""
    part = _part(asked.exercise, asked.part)
    mistakes = [part.misconceptions[k] for k in asked.places]
    outcomes = dict(_outcomes(part, mistakes))
    result = mark_outcomes(part, outcomes)
    reached = [f for f in result.findings if not f.message.endswith(NOT_REACHED)]
    failed = {f.stage for f in reached if f.check != BEHAVIOUR}
    visible = _answers_some(part, outcomes) and all(
        failed & mistake.wrong.keys() or (None in failed and _raises(part, mistake))
        for mistake in mistakes
    )
    names = frozenset(f.misconception for f in result.findings if f.misconception)
    return Composed(asked, tuple(m.name for m in mistakes), visible, names)


def _answers_some(part: Part, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether there is a trace to look at: sizes that clash in every case leave none."""
    asked = [case.name for case in families.planned(part) if not case.raises]
    return any(outcomes[name].status == "returned" for name in asked)


def _raises(part: Part, mistake: Misconception) -> bool:
    """Whether a mistake alone makes calls end in an error."""
    outcomes = dict(_outcomes(part, [mistake]))
    asked = [case.name for case in families.planned(part) if not case.raises]
    return any(outcomes[name].status == "raised" for name in asked)


@cache
def _part(exercise: str, name: str) -> Part:
    return next(part for part in course()[exercise].parts if part.name == name)


def _outcomes(part: Part, mistakes: Sequence[Misconception]) -> Iterator[tuple[str, Outcome]]:
    for case in families.planned(part):
        if case.raises:
            yield case.name, _refusal(case, mistakes)
        else:
            yield case.name, _outcome(part, case, mistakes)


def _refusal(case: Case, mistakes: Sequence[Misconception]) -> Outcome:
    """A call that is due to be refused is, unless a mistake is to answer it."""
    for mistake in mistakes:
        if mistake.instead is not None:
            try:
                return Outcome("returned", mistake.instead(Names(case.inputs)))
            except (NotReached, ValueError, IndexError):
                continue
    refusal = Error("ValueError", ("ValueError", "Exception"), " ".join(case.raises))
    return Outcome("raised", error=refusal)


def _outcome(part: Part, case: Case, mistakes: Sequence[Misconception]) -> Outcome:
    values = Names()
    try:
        with np.errstate(all="ignore"):
            # The mask first: a mistake may use it in stages that are shown before it.
            for stage in sorted(part.stages, key=lambda stage: stage.name != "visible"):
                values[stage.name] = _value(stage.name, Names(case.inputs), values, part, mistakes)
    except (ValueError, IndexError) as clash:  # as it would be in the learner's own code
        bases = tuple(kind.__name__ for kind in type(clash).__mro__[:-2])
        return Outcome("raised", error=Error(bases[0], bases, str(clash)))
    dtype = np.float32 if is_float32(case.inputs) else np.float64
    answered = {stage.name: _as(values[stage.name], dtype) for stage in part.stages}
    if part.answer == "single":
        return Outcome("returned", next(iter(answered.values())))
    return Outcome("returned", tuple(answered.values()) if part.answer == "tuple" else answered)


def _value(name: str, i: Names, e: Names, part: Part, mistakes: Sequence[Misconception]) -> Any:
    for mistake in mistakes:
        if name in mistake.wrong:
            try:
                return mistake.wrong[name](i, e)
            except NotReached:
                break  # the mistake has nothing to say here
    want = next(stage.want for stage in part.stages if stage.name == name)
    assert want is not None
    return want(i, e)


def _as(value: Any, dtype: type[np.floating[Any]]) -> Any:
    """In the dtype that the case asks for."""
    is_real = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.astype(dtype) if is_real else value
