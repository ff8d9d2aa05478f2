"""``overrides.csv``: an instructor's own decisions on parts, in place of the grader's scores.

It lies beside the results and is read by every command and written by none, so that no re-grade
touches it. ``results.jsonl`` stays what the grader found; everything else shows the decision.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onehead.errors import OneheadError
from onehead.model import ExerciseResult, Override, PartResult, Result

FILE = "overrides.csv"
COLUMNS = ("submission", "exercise", "part", "score", "reason")

Parts = dict[str, dict[str, float]]  # points by exercise and part


@dataclass(frozen=True)
class Decision:
    """One row: whose part has which score, and why."""

    submission: str
    exercise: str
    part: str
    score: float
    reason: str
    line: int


def read(folder: Path) -> tuple[Decision, ...]:
    """The decisions that lie in a folder; none where there is no such file.

    Raises:
        OneheadError: the file can't be read as what it is, with everything that is wrong in it.
    """
    path = folder / FILE
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise OneheadError(f"can't read {str(path)!r} ({error}): save it as CSV in UTF-8") from None
    head = text.split("\n", 1)[0]
    table = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval=""
    )
    if set(table.fieldnames or ()) != set(COLUMNS):
        raise OneheadError(f"the first line of {str(path)!r} has to be: {','.join(COLUMNS)}")
    faults: list[str] = []
    found = []
    for row in table:
        if any(row[column].strip() for column in COLUMNS):
            cells = {column: row[column].strip() for column in COLUMNS}
            score = _score(cells["score"])
            if score is None:
                faults.append(f"line {table.line_num}: {cells['score']!r} is no score")
            else:
                who, exercise, part = (cells[column] for column in COLUMNS[:3])
                place = table.line_num
                found.append(Decision(who, exercise, part, score, cells["reason"], place))
    _refuse(path, faults)
    return tuple(found)


def _score(text: str) -> float | None:
    try:
        score = float(text.replace(",", "."))
    except ValueError:
        return None
    return round(score, 2) if math.isfinite(score) else None


def check(
    folder: Path, decisions: Iterable[Decision], submissions: Collection[str], parts: Parts
) -> None:
    """Refuse decisions on what is not there, or with a score that can't be.

    Raises:
        OneheadError: with every line that is wrong.
    """
    faults = []
    seen: dict[tuple[str, str, str], int] = {}
    for decision in decisions:
        if told := _fault(decision, submissions, parts):
            faults.append(f"line {decision.line}: {told}")
        key = decision.submission, decision.exercise, decision.part
        if key in seen:
            faults.append(f"line {decision.line}: line {seen[key]} decides the same part")
        seen[key] = decision.line
    _refuse(folder / FILE, faults)


def _fault(decision: Decision, submissions: Collection[str], parts: Parts) -> str:
    if decision.submission not in submissions:
        return f"no submission {decision.submission!r}"
    if decision.exercise not in parts:
        return f"no exercise {decision.exercise!r} ({', '.join(parts)})"
    points = parts[decision.exercise]
    if decision.part not in points:
        return f"no part {decision.part!r} in {decision.exercise} ({', '.join(points)})"
    most = points[decision.part]
    if not 0 <= decision.score <= most:
        return f"{decision.score:g} is not between 0 and the {most:g} points of {decision.part}"
    return ""


def _refuse(path: Path, faults: Sequence[str]) -> None:
    if faults:
        raise OneheadError(f"{str(path)!r}: {'; '.join(faults)}. Mend it and run this again")


def points(exercises: Iterable[ExerciseResult]) -> Parts:
    """The points of each part, as they stand in a result."""
    return {e.id: {part.name: float(part.max_score) for part in e.parts} for e in exercises}


def applied(result: Result, decisions: Iterable[Decision]) -> Result:
    """The result with the decisions on it, which ``check`` has passed."""
    scores = {(d.exercise, d.part): d for d in decisions if d.submission == result.submission}
    if not scores:
        return result
    exercises = (
        replace(e, parts=tuple(_decided(part, scores.get((e.id, part.name))) for part in e.parts))
        for e in result.exercises
    )
    return replace(result, exercises=tuple(exercises))


def _decided(part: PartResult, decision: Decision | None) -> PartResult:
    if decision is None:
        return part
    return replace(part, score=decision.score, override=Override(part.score, decision.reason))
