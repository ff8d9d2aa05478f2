"""Moodle: a table for its grade import, or the instructor's own grading worksheet, filled.

Moodle maps columns at import, so a table of one's own needs no special head. ``-`` is how Moodle
writes that there is no grade.
"""

from __future__ import annotations

import re

from onehead.errors import OneheadError
from onehead.model import Graded
from onehead.reports import Report, Wishes, filling
from onehead.reports.csv import line, no_formula

NAME = "moodle"
NO_GRADE = "-"

_GRADE = "Grade"
_MAXIMUM = "Maximum grade"
_PARTICIPANT = re.compile(r"\D*\b(\d+)")


def report(graded: Graded, wishes: Wishes) -> Report:
    """
    Raises:
        OneheadError: the file to fill has no column for the grades.
    """
    if wishes.fill is None:
        return Report({"moodle.csv": _table(graded)})
    table = filling.read(wishes.fill)
    column = table.column(wishes.column or _GRADE)
    if column is None:
        names = ", ".join(repr(head) for head in table.head)
        raise OneheadError(
            f"the file to fill has no column {wishes.column or _GRADE!r}: name the one that takes "
            f"the grades with --column; it has: {names}"
        )
    maximum = table.column(_MAXIMUM)
    maxima = {row[maximum].strip() for row in table.rows} - {""} if maximum is not None else set()
    for cell in sorted(maxima):
        if re.fullmatch(r"\d+([.,]\d+)?", cell):
            filling.same_maximum(graded, float(cell.replace(",", ".")), table.head[column])
    comma = any(re.fullmatch(r"\d+,\d+", cell) for cell in maxima)
    rows = {place: _keys(row) for place, row in enumerate(table.rows)}
    text, notes = filling.fill(graded, table, column, rows, comma)
    return Report({"moodle.csv": text}, notes)


def _keys(row: tuple[str, ...]) -> filling.Keys:
    """Of a worksheet or a gradebook's export, in any language: the first column may number the
    participant; a login, an address or a name may stand in any."""
    numbered = _PARTICIPANT.fullmatch(row[0].strip())
    names = set().union(*map(filling.either_order, row)) | filling.either_order(" ".join(row[:2]))
    return (
        {numbered[1]} if numbered else set(),
        {cell.strip().casefold() for cell in row},
        names,
    )


def _table(graded: Graded) -> str:
    lines = [line(["Submission", "Identifier", _GRADE, _MAXIMUM])]
    results = {result.submission: result for result in graded.results}
    for name in graded.names:
        number = filling.number(name)
        identifier = f"Participant {number}" if number else ""
        marks: list[str | float] = [NO_GRADE, ""]
        if name in results:
            marks = [results[name].score, float(results[name].max_score)]
        lines.append(line([no_formula(name), identifier, *marks]))
    return "".join(lines)
