"""Every right answer of the bank gets full marks, every wrong one loses marks where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import onehead_solutions
from onehead.grade import grade_exercise
from onehead.model import Exercise, ExerciseResult
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source
from onehead_release.bank import fits_numpy
from onehead_release.solved import solved_notebook

BANK = Path(onehead_solutions.__file__).parent / "bank"
COURSE = {exercise.stem: exercise for exercise in onehead_solutions.load()}
BY_ID = {exercise.id: exercise for exercise in COURSE.values()}
RIGHT = sorted(filter(fits_numpy, BANK.glob("right/*/*.py")))
WRONG = sorted(filter(fits_numpy, BANK.glob("wrong/*/*.py")))


@pytest.fixture(scope="session")
def box() -> Iterator[Box]:
    with Box(Limits(), "process") as box:
        yield box


def answer(exercise: Exercise, entry: Path, box: Box) -> ExerciseResult:
    """Grade a solved notebook whose last cell is the bank's entry."""
    notebook = solved_notebook(exercise.stem)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    sources = [*cells, entry.read_text()]
    named = tuple(Cell(f"cell {k}", source) for k, source in enumerate(sources, 1))
    return grade_exercise(asked_of(exercise, entry), Source("ok", named, notebook=True), box)


def asked_of(exercise: Exercise, entry: Path) -> Exercise:
    """The exercise without the one costly part, where the entry has nothing to do with it."""
    if "audit" in entry.read_text():
        return exercise
    return replace(exercise, parts=tuple(part for part in exercise.parts if part.name != "audit"))


def label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("entry", RIGHT, ids=label)
def test_a_right_answer_gets_full_marks(entry: Path, box: Box) -> None:
    result = answer(COURSE[entry.stem], entry, box)
    assert [finding for part in result.parts for finding in part.findings] == []
    assert result.score == result.max_score


def header(entry: Path, key: str) -> str | None:
    found = re.search(rf"^# {key}:\s*(.*)$", entry.read_text(), re.MULTILINE)
    return found.group(1).strip() if found else None


@pytest.mark.parametrize("entry", WRONG, ids=label)
def test_a_wrong_answer_loses_marks_where_it_is_wrong_and_is_rightly_named(
    entry: Path, box: Box
) -> None:
    exercise = BY_ID[header(entry, "exercise") or ""]
    result = answer(exercise, entry, box)
    losing = {part.name for part in result.parts if part.score < part.max_score}
    assert losing == {name.strip() for name in (header(entry, "parts") or "").split(",")}
    names = {finding.misconception for part in result.parts for finding in part.findings}
    name = entry.parent.name
    assert names - {None} == ({name} if name != "unnamed" else set())
