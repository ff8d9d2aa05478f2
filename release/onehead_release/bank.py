"""The bank of right and wrong answers, and what the grader says of each.

Every answer is put behind a solved notebook, as its last cell, and graded. A right one should have
full marks, a wrong one should lose some in the parts that it spoils, under the name of the mistake
that it makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from onehead.grade import grade_exercise
from onehead.model import Exercise
from onehead.sandbox import Box, Limits
from onehead.signature import GENERAL
from onehead.source import Cell, Source
from onehead_release.chapter import chapter
from onehead_release.solved import solved_notebook

UNNAMED = "unnamed"  # the folder of wrong answers that no known mistake explains

Kind = Literal["right", "wrong"]


@dataclass(frozen=True)
class Entry:
    """An answer of the bank; of a wrong one, the parts that it spoils and the mistake's name."""

    path: Path
    kind: Kind
    exercise: str
    parts: frozenset[str] = frozenset()
    name: str | None = None

    @property
    def label(self) -> str:
        return f"{self.kind}/{self.path.parent.name}/{self.path.stem}"


@dataclass(frozen=True)
class Verdict:
    """What the grader said of an answer: the parts that lost marks, and the names it gave."""

    entry: Entry
    losing: frozenset[str]
    names: frozenset[str]

    @property
    def is_refused(self) -> bool:
        """A right answer that lost marks."""
        return self.entry.kind == "right" and bool(self.losing)

    @property
    def is_accepted(self) -> bool:
        """A wrong answer that lost no marks in a part that it spoils."""
        return self.entry.kind == "wrong" and not self.entry.parts <= self.losing

    @property
    def is_named(self) -> bool:
        return self.entry.name is not None and self.names == {self.entry.name}

    @property
    def is_misnamed(self) -> bool:
        return bool(self.names - {self.entry.name})


def entries(exercises: Sequence[Exercise], bank: Path | None = None) -> list[Entry]:
    """The answers of the bank, the chapter's own by default, to these exercises, by exercise.

    Those that this numpy cannot tell are left out.
    """
    bank = bank or chapter().bank
    by_stem = {exercise.stem: exercise.id for exercise in exercises}
    found = [
        Entry(path, "right", by_stem[path.stem])
        for path in sorted(bank.glob("right/*/*.py"))
        if path.stem in by_stem and fits_numpy(path)
    ]
    for path in sorted(bank.glob("wrong/*/*.py")):
        exercise = _header(path, "exercise")
        if exercise in by_stem.values() and fits_numpy(path):
            name = None if path.parent.name == UNNAMED else path.parent.name
            found.append(Entry(path, "wrong", exercise, _spoiled(path), name))
    return sorted(found, key=lambda entry: (entry.exercise, entry.label))


def strays(exercises: Sequence[Exercise], bank: Path | None = None) -> Iterator[str]:
    """Answers of the bank that a chapter of these exercises has no use for, and why."""
    bank = bank or chapter().bank
    stems, by_id = {e.stem for e in exercises}, {e.id: e for e in exercises}
    for path in sorted(bank.glob("right/*/*.py")):
        if path.stem not in stems:
            there = ", ".join(sorted(stems))
            yield f"{_label(path)}: no notebook is called {path.stem}; there are: {there}"
    for path in sorted(bank.glob("wrong/*/*.py")):
        exercise = by_id.get(name := _header(path, "exercise"))
        if exercise is None:
            there = ", ".join(by_id)
            yield f"{_label(path)}: '# exercise:' names {name or 'none'}; there are: {there}"
        else:
            yield from (f"{_label(path)}: {why}" for why in _misfits(exercise, path))


def _label(path: Path) -> str:
    return path.relative_to(path.parents[2]).as_posix()


def _misfits(exercise: Exercise, path: Path) -> Iterator[str]:
    parts = {part.name: part for part in exercise.parts}
    for name in _spoiled(path) - parts.keys():
        yield f"'# parts:' names {name or 'none'}; there are: {', '.join(parts)}"
    known = {mistake.name for part in parts.values() for mistake in part.misconceptions}
    if path.parent.name not in {UNNAMED, *known, *GENERAL}:
        unknown = f"{exercise.id} knows no mistake {path.parent.name}"
        yield f"{unknown}: rename the folder, or call it {UNNAMED}"


def _spoiled(path: Path) -> frozenset[str]:
    return frozenset(part.strip() for part in _header(path, "parts").split(","))


def fits_numpy(path: Path) -> bool:
    """Whether an answer means on this numpy what it was written to mean.

    ``# needs: numpy 2`` stands in those that use what came with it, and in mistakes that are none
    before it: dividing float32 by a numpy float64 made float32.
    """
    needed = _header(path, "needs").removeprefix("numpy").strip() or "0"
    return int(np.__version__.split(".")[0]) >= int(needed)


def _header(path: Path, key: str) -> str:
    found = re.search(rf"^# {key}:\s*(.*)$", path.read_text(), re.MULTILINE)
    return found.group(1).strip() if found else ""


# --- grading -----------------------------------------------------------------------------


@cache
def course() -> dict[str, Exercise]:
    """The exercises by id."""
    return {exercise.id: exercise for exercise in chapter().exercises}


@cache
def box() -> Box:
    """This process's own: the answers are ours, so they need no walls."""
    return Box(Limits(), "process")


@cache
def _cells(stem: str) -> tuple[str, ...]:
    return tuple(cell.source for cell in solved_notebook(stem).cells if cell.cell_type == "code")


def grade_entry(entry: Entry) -> Verdict:
    """Grade one answer; ``audit``, a costly part, only where the answer touches it."""
    exercise, text = course()[entry.exercise], entry.path.read_text()
    if "audit" not in text:
        kept = tuple(part for part in exercise.parts if part.name != "audit")
        exercise = replace(exercise, parts=kept)
    sources = enumerate((*_cells(exercise.stem), text), 1)
    cells = tuple(Cell(f"cell {k}", source) for k, source in sources)
    result = grade_exercise(exercise, Source("ok", cells, notebook=True), box())
    losing = (part.name for part in result.parts if part.score < part.max_score)
    names = (f.misconception for part in result.parts for f in part.findings if f.misconception)
    return Verdict(entry, frozenset(losing), frozenset(names))
