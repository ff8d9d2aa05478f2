"""A gradebook that an LMS exported, with one column filled and every other cell as it was.

Rows and submissions are matched by what an LMS calls its learners: the number that stands in the
names of the files it hands out, a login, an address, at last the name. What does not match in one
way alone is left as it was and told, never guessed.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from onehead.errors import OneheadError
from onehead.model import Graded
from onehead.reports.csv import line

_BOM = "\ufeff"
_NUMBER = re.compile(r"_(\d+)$")


@dataclass(frozen=True)
class Table:
    """A file of comma-separated values, and how it was written."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    delimiter: str = ","
    bom: bool = False
    newline: str = "\n"

    def column(self, name: str) -> int | None:
        """The place of a column, whatever the case of its name; None where there is none."""
        wanted = name.strip().casefold()
        places = [k for k, head in enumerate(self.head) if head.strip().casefold() == wanted]
        return places[0] if places else None

    def with_cells(self, column: int, cells: Mapping[int, str]) -> str:
        """The text of the table with these cells of one column, by row."""
        filled = (
            (*row[:column], cells.get(place, row[column]), *row[column + 1 :])
            for place, row in enumerate(self.rows)
        )
        lines = (line(row, self.delimiter, self.newline) for row in (self.head, *filled))
        return (_BOM if self.bom else "") + "".join(lines)


def read(text: str) -> Table:
    """The table in a text.

    Raises:
        OneheadError: there is no table in it, or a row has more cells than there are columns.
    """
    bare = text.removeprefix(_BOM)
    first = bare.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(io.StringIO(bare, newline=""), delimiter=delimiter) if row]
    if not rows or len(rows[0]) < 2:
        raise OneheadError(
            "the file to fill is no table: give the gradebook that your LMS exported as CSV"
        )
    head, *body = rows
    for place, row in enumerate(body, 2):
        if len(row) > len(head):
            raise OneheadError(
                f"row {place} of the file to fill has {len(row)} cells, and there are {len(head)} "
                "columns: export it again"
            )
    padded = [tuple(row + [""] * (len(head) - len(row))) for row in body]
    newline = "\r\n" if first.endswith("\r") else "\n"
    return Table(tuple(head), tuple(padded), delimiter, text.startswith(_BOM), newline)


# --- who is who --------------------------------------------------------------------------


def number(submission: str) -> str | None:
    """The LMS's number for a learner, where a submission's name ends in one.

    >>> number("Jane Doe_1234"), number("jane")
    ('1234', None)
    """
    found = _NUMBER.search(submission)
    return found[1] if found else None


def letters(name: str) -> str:
    """A name without what its spelling varies in: case, accents, order of the marks in it.

    >>> letters("Doë, Jane"), letters("doejane_1234")
    ('doejane', 'doejane')
    """
    plain = unicodedata.normalize("NFKD", _NUMBER.sub("", name).casefold())
    return "".join(character for character in plain if character.isalnum())


def either_order(name: str) -> set[str]:
    """A full name as ``letters``, with its first or its last word in front.

    >>> sorted(either_order("Doe, Jane")), sorted(either_order("Jane Doe"))
    (['doejane', 'janedoe'], ['doejane', 'janedoe'])
    """
    words = name.replace(",", " ").split()
    turns = [words[k:] + words[:k] for k in range(max(len(words), 1))]
    return {letters("".join(turn)) for turn in turns} - {""}


Keys = Sequence[set[str]]  # of a row: a number, then logins and addresses, then names


def pairs(submissions: Iterable[str], rows: Mapping[int, Keys]) -> tuple[dict[str, int], list[str]]:
    """The row of each submission, and a line for each that has none or more than one.

    The surest key decides: a number before a login, a login before a name.
    """
    found: dict[str, int] = {}
    notes = []
    for name in submissions:
        asked: Keys = ({number(name) or name}, {name.casefold()}, {letters(name)})
        for level, keys in enumerate(asked):
            fitting = [row for row, theirs in rows.items() if keys & theirs[level] - {""}]
            if fitting:
                break
        if len(fitting) == 1:
            found[name] = fitting[0]
        else:
            what = f"fits {len(fitting)} rows" if fitting else "has no row"
            notes.append(f"{name} {what} of the file to fill: enter its marks by hand")
    for name in [n for n, row in found.items() if list(found.values()).count(row) > 1]:
        notes.append(f"{name} shares its row with another submission: enter its marks by hand")
        del found[name]
    return found, sorted(notes)


def fill(
    graded: Graded, table: Table, column: int, rows: Mapping[int, Keys], comma: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The table with the marks of every submission that has a row, and what has to be told.

    A submission that the grader failed on leaves its cell as it was.
    """
    found, notes = pairs([result.submission for result in graded.results], rows)
    cells = {
        found[result.submission]: _mark(result.score, comma)
        for result in graded.results
        if result.submission in found
    }
    for name in sorted(graded.failed):
        notes.append(f"the grader failed on {name}: its cell is left as it was")
    if idle := len(rows.keys() - cells.keys()):
        rest = "1 row has" if idle == 1 else f"{idle} rows have"
        notes.append(f"{rest} no submission here, and nothing is entered there")
    return table.with_cells(column, cells), tuple(notes)


def _mark(score: float, comma: bool) -> str:
    text = f"{score:.2f}"
    return text.replace(".", ",") if comma else text


def same_maximum(graded: Graded, given: float, where: str) -> None:
    """Refuse a column whose marks are out of something else.

    Raises:
        OneheadError: its maximum is not the results'.
    """
    due = {result.max_score for result in graded.results}
    if due and given not in due:
        raise OneheadError(
            f"the column {where!r} is out of {given:g} and the marks are out of {max(due):g}: set "
            f"the points of that assignment to {max(due):g} in the LMS and export again"
        )
