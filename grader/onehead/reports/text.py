"""Plain text for a terminal or a field of text: a part, and a class in a table."""

from __future__ import annotations

from collections.abc import Sequence

from onehead.explain import STATUS_WORDS, part_document
from onehead.model import PartResult, Result
from onehead.render.text import printable, render

__all__ = ["STATUS_WORDS", "class_table", "part_text", "printable"]


def part_text(part: PartResult) -> str:
    """The report on a part, without hints."""
    return render(part_document(part, opened=None))


def class_table(results: Sequence[Result]) -> str:
    """A row a submission: total and what was named."""
    width = max([10, *(len(printable(r.submission)) for r in results)])
    lines = [f"{'submission':<{width}}  {'marks':>7}  of  {'max':>5}  named or stopped by"]
    for r in results:
        told = ", ".join(_told(r)) or "-"
        lines.append(
            f"{printable(r.submission):<{width}}  {r.score:>7.2f}      {r.max_score:>5.0f}  {told}"
        )
    return "\n".join(lines)


def _told(result: Result) -> list[str]:
    names: list[str] = [e.status for e in result.exercises if e.status not in ("graded", "missing")]
    for exercise in result.exercises:
        for part in exercise.parts:
            names += [f.misconception for f in part.findings if f.misconception]
            if part.status not in ("graded", "missing", "unfinished"):
                names.append(part.status)
    return list(dict.fromkeys(names))
