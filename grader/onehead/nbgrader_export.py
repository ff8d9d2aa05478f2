"""nbgrader's export as CSV, in which somebody without marks is blank and no 0.

nbgrader's own writes 0.0 for a submission that nobody and nothing has marked yet, and does not
quote. The course's ``nbgrader_config.py`` names this one instead; ``nbgrader export`` is used as
ever, with the same columns.
"""

from __future__ import annotations

import contextlib
import csv
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
DECIMALS = 6  # the database adds up thirds of points: 114.00000000000001


class CsvExport(ExportPlugin):  # type: ignore[misc]
    """A row for each assignment and student. Who handed in nothing has 0, as in nbgrader's own."""

    def export(self, gradebook: Gradebook) -> None:
        with open(self.to or "grades.csv", "w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(COLUMNS)
            for assignment in gradebook.assignments:
                for student in gradebook.students:
                    if _wanted(self.assignment, assignment.name) and _wanted(
                        self.student, student.id
                    ):
                        writer.writerow(_row(gradebook, assignment, student))


def _wanted(asked: list[Any], name: str) -> bool:
    return not asked or name in map(str, asked)


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> list[Any]:
    when: Any = None
    marks: list[float | None] = [0.0, 0.0, 0.0]
    with contextlib.suppress(MissingEntry):
        submission = gradebook.find_submission(assignment.name, student.id)
        when, marks = submission.timestamp, _marks(submission)
    who = [student.id, student.last_name, student.first_name, student.email]
    points = ["" if mark is None else round(mark, DECIMALS) for mark in marks]
    most = round(assignment.max_score, DECIMALS)
    cells = [assignment.name, assignment.duedate, when, *who, *points, most]
    return ["" if cell is None else cell for cell in cells]


def _marks(submission: Any) -> list[float | None]:
    """Raw score, penalty, score; none of them where a cell still has no mark."""
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    if any(grade.auto_score is None and grade.manual_score is None for grade in grades):
        return [None, None, None]
    penalty = submission.late_submission_penalty
    return [submission.score, penalty, max(0.0, submission.score - penalty)]
