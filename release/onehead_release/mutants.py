"""Mutants of the references, graded: those that lose no marks and are not right are holes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Literal

import numpy as np

from onehead import families
from onehead.grade import drawn, grade_part
from onehead.model import Case, Exercise, Outcome, Part
from onehead.sandbox import Box, Limits
from onehead.session import Session
from onehead.source import Cell, Source
from onehead.stages import judge
from onehead_release import equivalents
from onehead_release.bank import course
from onehead_release.mutate import Mutant, mutants
from onehead_release.solved import answers, solved_notebook

Fate = Literal["killed", "same code", "interchangeable", "listed", "accepted", "refused"]


@dataclass(frozen=True)
class Asked:
    """The ``k``-th mutant of a part's reference."""

    exercise: str
    part: str
    k: int

    @property
    def where(self) -> str:
        return f"{self.exercise}/{self.part}"

    @property
    def mutant(self) -> Mutant:
        return _mutants(self.exercise, self.part)[self.k]


@dataclass(frozen=True)
class Graded:
    """What became of a mutant: killed by a check, known to be right, or a fault of the checks.

    ``accepted`` lost no marks and is not known to be right; ``refused`` did, and is.
    """

    asked: Asked
    fate: Fate
    names: frozenset[str] = frozenset()


def asked(exercises: Sequence[Exercise], every: int = 1) -> list[Asked]:
    """All mutants of the exercises' references, or every so manieth."""
    found = [
        Asked(exercise.id, part.name, k)
        for exercise in exercises
        for part in exercise.parts
        for k in range(len(_mutants(exercise.id, part.name)))
    ]
    return found[::every]


def stale(exercises: Sequence[Exercise]) -> list[str]:
    """Changes that are listed as right for these exercises and that no mutant makes any more."""
    made = {
        (f"{exercise.id}/{part.name}", mutant.change)
        for exercise in exercises
        for part in exercise.parts
        for mutant in _mutants(exercise.id, part.name)
    }
    ids = {exercise.id for exercise in exercises}
    return [
        f"{part}: {entry.change}"
        for entry in equivalents.of_chapter().listed
        for part in entry.parts
        if part.split("/")[0] in ids and (part, entry.change) not in made
    ]


@cache
def _mutants(exercise: str, part: str) -> tuple[Mutant, ...]:
    free = equivalents.of_chapter().free.get(f"{exercise}/{part}", frozenset())
    return tuple(m for m in mutants(_answer(exercise, part)) if m.function not in free)


def _answer(exercise: str, part: str) -> str:
    return _answers(course()[exercise].stem)[f"{part}-stub"]


@cache
def _answers(stem: str) -> dict[str, str]:
    return answers(stem)


@cache
def _cells(stem: str) -> tuple[tuple[str, str], ...]:
    """The solved notebook's cells that define what is asked for; its demonstrations take time."""
    cells = [(c.id, c.source) for c in solved_notebook(stem).cells if c.cell_type == "code"]
    kept = (cell for cell in cells if cell[0].endswith("-stub") or "LEARNER = " in cell[1])
    return ("numpy", "import numpy as np"), *kept


@cache
def _box() -> Box:
    return Box(Limits(seconds=10), "process")


def grade_mutant(asked: Asked) -> Graded:
    """Grade one mutant's own part, behind the cells that come before it."""
    exercise, mutant = course()[asked.exercise], asked.mutant
    part = next(part for part in exercise.parts if part.name == asked.part)
    is_right, names = _is_right(exercise, part, mutant)
    proof = equivalents.of_chapter().proof(asked.where, _answer(asked.exercise, asked.part), mutant)
    if is_right:
        return Graded(asked, proof or "accepted")
    return Graded(asked, "refused" if proof else "killed", names)


def _is_right(exercise: Exercise, part: Part, mutant: Mutant) -> tuple[bool, frozenset[str]]:
    sources = []
    for name, source in _cells(exercise.stem):
        if name == f"{part.name}-stub":
            sources.append(mutant.source)
            break
        sources.append(source)
    if _is_asked_with_layers(part) and _fails_early(part, sources):
        return False, frozenset()
    cells = tuple(Cell(f"cell {k}", source) for k, source in enumerate(sources, 1))
    with Session(Source("ok", cells, notebook=True), _box()) as session:
        learner = session.learner() if exercise.draws else None
        result = grade_part(drawn(part, learner), session, explain=False)
    names = (f.misconception for f in result.findings if f.misconception)
    return result.score == result.max_score, frozenset(names)


def _is_asked_with_layers(part: Part) -> bool:
    return any(callable(value) for case in part.cases for value in case.inputs.values())


def _fails_early(part: Part, sources: Sequence[str]) -> bool:
    """Whether some case comes out wrong here and now: a worker's calls for layers take long.

    A mutant is our own code, so it needs no walls.
    """
    module = ModuleType("__main__")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for source in sources:
                exec(compile(source, "mutant", "exec"), module.__dict__)
            return any(_is_wrong(part, case, module) for case in families.planned(part))
        except Exception:
            return True


def _is_wrong(part: Part, case: Case, module: ModuleType) -> bool:
    inputs = [value for name, value in case.inputs.items() if name != "LEARNER"]
    outcome = Outcome("returned", getattr(module, part.defined_as)(*inputs))
    return any(c.kind != "ok" for c in judge(part, case, outcome).comparisons)
