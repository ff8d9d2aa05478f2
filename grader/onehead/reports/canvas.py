"""Canvas: the instructor's own gradebook export, with the marks in the assignment's column.

Canvas makes a new assignment of a column that it does not know, so the file starts from its
export. The rows before the first learner ("Points Possible") and all other columns stay.
"""

from __future__ import annotations

import re

from onehead.errors import OneheadError
from onehead.model import Graded
from onehead.reports import Report, Wishes, filling

NAME = "canvas"

_ASSIGNMENT = re.compile(r".*\(\d+\)\s*$")
_LOGINS = ("SIS Login ID", "SIS User ID", "Integration ID")


def report(graded: Graded, wishes: Wishes) -> Report:
    """
    Raises:
        OneheadError: no export is given, it is none of Canvas's, or its column is not clear.
    """
    if wishes.fill is None:
        raise OneheadError(
            "Canvas takes its own export, filled: in Canvas, Grades > Export, then give the file "
            "with --fill FILE"
        )
    table = filling.read(wishes.fill)
    student = table.column("Student")
    if student is None:
        raise OneheadError(
            "the file to fill has no column 'Student': give what Canvas exports under Grades"
        )
    column = _column(table, wishes.column)
    possible = [row for row in table.rows if row[student].strip() == "Points Possible"]
    if possible and possible[0][column].strip():
        filling.same_maximum(graded, _points(possible[0][column]), table.head[column])
    rows = {
        place: _keys(table, row, student)
        for place, row in enumerate(table.rows)
        if row[student].strip() not in ("", "Points Possible")
    }
    text, notes = filling.fill(graded, table, column, rows)
    return Report({"canvas.csv": text}, notes)


def _column(table: filling.Table, asked: str | None) -> int:
    """The assignment's column: the one that is named, or the only one of an assignment."""
    assignments = {k: head for k, head in enumerate(table.head) if _ASSIGNMENT.fullmatch(head)}
    if asked is not None:
        wanted = asked.strip().casefold()
        fitting = [
            k
            for k, head in assignments.items()
            if wanted in (head.strip().casefold(), head.rsplit("(", 1)[0].strip().casefold())
        ]
    else:
        fitting = list(assignments)
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(repr(head) for head in assignments.values()) or "none"
    raise OneheadError(
        f"which assignment takes the marks? Name one with --column; the file to fill has: {names}"
    )


def _keys(table: filling.Table, row: tuple[str, ...], student: int) -> filling.Keys:
    logins = [table.column(name) for name in _LOGINS]
    number = table.column("ID")
    return (
        set() if number is None else {row[number].strip()},
        {row[k].strip().casefold() for k in logins if k is not None},
        filling.either_order(row[student]),
    )


def _points(cell: str) -> float:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        raise OneheadError(
            f"the file to fill says {cell!r} for the points possible: export it again"
        ) from None
