"""``grades.csv``: a row a submission, a column an exercise."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from onehead.model import Graded, Result
from onehead.render.text import printable
from onehead.reports import Report, Wishes

NAME = "csv"
# At the start, and where a spreadsheet may take a separator of its own for the start of a cell.
_FORMULA = re.compile(r"(?:^|(?<=[;|]))(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def report(graded: Graded, wishes: Wishes) -> Report:
    return Report({"grades.csv": render(graded.results, graded.exercises, graded.failed)})


def render(results: Iterable[Result], exercises: Sequence[str], failed: Iterable[str] = ()) -> str:
    """The table, sorted by name; a submission that the grader failed on is there and blank."""
    lines = [line(["submission", *exercises, "total", "max"])]
    rows: dict[str, list[float | str]] = {
        r.submission: [*(e.score for e in r.exercises), r.score, float(r.max_score)]
        for r in results
    }
    rows |= {name: [""] * (len(exercises) + 2) for name in failed}
    lines += [line([no_formula(name), *rows[name]]) for name in sorted(rows)]
    return "".join(lines)


def line(cells: Sequence[object], delimiter: str = ",", end: str = "\n") -> str:
    r"""One row. A cell with a line break of any kind is quoted, whatever ends the rows.

    >>> line(["a\rb", 1.0])
    '"a\rb",1.0\n'
    """
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n") + end


def no_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula, no terminal or runner for a command.

    >>> no_formula("=1+1"), no_formula("ada;=1+1"), no_formula("ada")
    ("'=1+1", "ada;'=1+1", 'ada')
    """
    return _FORMULA.sub("'", printable(text))
