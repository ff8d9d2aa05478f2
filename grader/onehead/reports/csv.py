"""``grades.csv``: a row a submission, a column an exercise."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from onehead.model import Result

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(results: Iterable[Result], exercises: Sequence[str], failed: Iterable[str] = ()) -> str:
    """The table, sorted by name; a submission that the grader failed on is there and blank."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["submission", *exercises, "total", "max"])
    rows: dict[str, list[float | str]] = {
        r.submission: [*(e.score for e in r.exercises), r.score, float(r.max_score)]
        for r in results
    }
    rows |= {name: [""] * (len(exercises) + 2) for name in failed}
    for name in sorted(rows):
        writer.writerow([no_formula(name), *rows[name]])
    return out.getvalue()


def no_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> no_formula("=1+1"), no_formula("ada")
    ("'=1+1", 'ada')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
