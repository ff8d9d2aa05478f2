"""The grader against its bank of right and wrong answers: what it accepts, refuses and names.

Every answer of the bank is put behind a solved notebook, as its last cell, and graded. A right one
should have full marks, a wrong one should lose some in the parts that it spoils, under the name of
the mistake that it makes.
"""

from __future__ import annotations

import math
import multiprocessing as mp
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from onehead.errors import OneheadError
from onehead.grade import grade_exercise
from onehead.model import Exercise
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source
from onehead_release.chapter import chapter
from onehead_release.solved import solved_notebook

UNNAMED = "unnamed"  # the folder of wrong answers that no known mistake explains
CONFIDENCE = 0.95

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
    """The answers of the bank, the chapter's own by default, to these exercises, by exercise."""
    bank = bank or chapter().bank
    by_stem = {exercise.stem: exercise.id for exercise in exercises}
    found = [
        Entry(path, "right", by_stem[path.stem])
        for path in sorted(bank.glob("right/*/*.py"))
        if path.stem in by_stem
    ]
    for path in sorted(bank.glob("wrong/*/*.py")):
        exercise, parts = _header(path, "exercise"), _header(path, "parts")
        if exercise in by_stem.values():
            spoiled = frozenset(part.strip() for part in parts.split(","))
            name = None if path.parent.name == UNNAMED else path.parent.name
            found.append(Entry(path, "wrong", exercise, spoiled, name))
    return sorted(found, key=lambda entry: (entry.exercise, entry.label))


def _header(path: Path, key: str) -> str:
    found = re.search(rf"^# {key}:\s*(.*)$", path.read_text(), re.MULTILINE)
    return found.group(1).strip() if found else ""


# --- grading -----------------------------------------------------------------------------


@cache
def _course() -> dict[str, Exercise]:
    return {exercise.id: exercise for exercise in chapter().exercises}


@cache
def _box() -> Box:
    """This process's own: the answers are ours, so they need no walls."""
    return Box(Limits(), "process")


@cache
def _cells(stem: str) -> tuple[str, ...]:
    return tuple(cell.source for cell in solved_notebook(stem).cells if cell.cell_type == "code")


def grade_entry(entry: Entry) -> Verdict:
    """Grade one answer; ``audit``, a costly part, only where the answer touches it."""
    exercise, text = _course()[entry.exercise], entry.path.read_text()
    if "audit" not in text:
        kept = tuple(part for part in exercise.parts if part.name != "audit")
        exercise = replace(exercise, parts=kept)
    sources = enumerate((*_cells(exercise.stem), text), 1)
    cells = tuple(Cell(f"cell {k}", source) for k, source in sources)
    result = grade_exercise(exercise, Source("ok", cells, notebook=True), _box())
    losing = (part.name for part in result.parts if part.score < part.max_score)
    names = (f.misconception for part in result.parts for f in part.findings if f.misconception)
    return Verdict(entry, frozenset(losing), frozenset(names))


def verdicts(
    asked: Sequence[Entry], jobs: int, tell: Callable[[int, int], None]
) -> Iterator[Verdict]:
    """Each answer's verdict, from several processes."""
    tell(0, len(asked))
    with ProcessPoolExecutor(jobs, mp_context=mp.get_context("spawn")) as pool:
        for done, verdict in enumerate(pool.map(grade_entry, asked, chunksize=4), 1):
            tell(done, len(asked))
            yield verdict


# --- the report --------------------------------------------------------------------------


def run(only: Sequence[str], jobs: int, tell: Callable[[int, int], None]) -> tuple[str, bool]:
    """What the bank showed of the exercises with these ids, or of all; and whether all is well.

    Raises:
        OneheadError: no exercise has such an id.
    """
    unknown = [name for name in only if name not in _course()]
    if unknown:
        raise OneheadError(f"no exercise {unknown[0]!r}: there are {', '.join(_course())}")
    exercises = [e for e in _course().values() if not only or e.id in only]
    found = list(verdicts(entries(exercises), jobs, tell))
    faults = [*_faults(found)]
    lines = [*_table(found), "", *_bounds(found), *_untried(exercises, found)]
    return "\n".join([*lines, *([""] if faults else []), *faults]), not faults


def _faults(found: Iterable[Verdict]) -> Iterator[str]:
    for verdict in found:
        label, names = verdict.entry.label, ", ".join(sorted(verdict.names))
        if verdict.is_refused:
            yield f"refused: {label} lost marks in {', '.join(sorted(verdict.losing))}"
        if verdict.is_accepted:
            missed = verdict.entry.parts - verdict.losing
            yield f"accepted: {label} lost no marks in {', '.join(sorted(missed))}"
        if verdict.is_misnamed:
            yield f"misnamed: {label} was called {names}"


_COLUMNS = ("right", "refused", "wrong", "accepted", "named", "misnamed", "unnamed")


def _counts(found: Sequence[Verdict]) -> tuple[int, ...]:
    wrong = [v for v in found if v.entry.kind == "wrong"]
    known = [v for v in wrong if v.entry.name is not None]
    return (
        len(found) - len(wrong),
        sum(v.is_refused for v in found),
        len(wrong),
        sum(v.is_accepted for v in found),
        sum(v.is_named for v in known),
        sum(v.is_misnamed for v in found),
        sum(not v.names for v in known),
    )


def _table(found: Sequence[Verdict]) -> Iterator[str]:
    yield f"{'exercise':10}" + "".join(f"{name:>10}" for name in _COLUMNS)
    for exercise in [*dict.fromkeys(v.entry.exercise for v in found), "all"]:
        own = [v for v in found if exercise in (v.entry.exercise, "all")]
        yield f"{exercise:10}" + "".join(f"{count:>10}" for count in _counts(own))


def _bounds(found: Sequence[Verdict]) -> Iterator[str]:
    right, refused, wrong, accepted, named, misnamed, unnamed = _counts(found)
    known = sum(v.entry.name is not None for v in found)
    for what, count, total in (
        ("wrong answers accepted", accepted, wrong),
        ("right answers refused", refused, right),
        ("known mistakes rightly named", named, known),
        ("known mistakes not named", unnamed, known),
        ("answers wrongly named", misnamed, right + wrong),
    ):
        if total:
            low, high = interval(count, total)
            yield f"{what}: {count} of {total} (95 %: {low:.1%} to {high:.1%})"


def interval(count: int, total: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share, from the binomial distribution itself.

    >>> [round(bound, 3) for bound in interval(0, 300)], [round(b, 3) for b in interval(9, 10)]
    ([0.0, 0.012], [0.555, 0.997])
    """
    tail = (1 - confidence) / 2

    def at_most(k: int, p: float) -> float:
        return math.fsum(math.comb(total, j) * p**j * (1 - p) ** (total - j) for j in range(k + 1))

    low = 0.0 if count == 0 else _bisected(lambda p: 1 - at_most(count - 1, p) < tail)
    high = 1.0 if count == total else _bisected(lambda p: at_most(count, p) > tail)
    return low, high


def _bisected(is_below: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return low


def _untried(exercises: Sequence[Exercise], found: Sequence[Verdict]) -> Iterator[str]:
    """What this bank says nothing of: known mistakes that none of its answers makes."""
    for exercise in exercises:
        made = {v.entry.name for v in found if v.entry.exercise == exercise.id}
        known = {m.name for part in exercise.parts for m in part.misconceptions}
        if missing := sorted(known - made):
            yield f"{exercise.id}: no answer of the bank makes {', '.join(missing)}"
