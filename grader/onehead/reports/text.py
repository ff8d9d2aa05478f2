"""Plain text for a terminal: what is right, the first thing that is wrong, where."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from onehead.model import ExerciseResult, Finding, PartResult, Result

WIDTH = 80
STATUS_WORDS = {
    "graded": "",
    "missing": "not defined",
    "unfinished": "not started",
    "raised": "raises an error",
    "timed-out": "takes too long",
    "crashed": "ends the process",
    "out-of-memory": "takes too much memory",
}


_WORKFLOW_COMMAND = re.compile(r"::(?=\w)|##(?=\[)")


def printable(text: str) -> str:
    """A learner's text without what could steer a terminal or the runner of a workflow.

    >>> printable("a\\x1b[31mb"), printable("::error::x")
    ('a\\ufffd[31mb', ': :error: :x')
    """
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return _WORKFLOW_COMMAND.sub(lambda found: " ".join(found[0]), text)


def exercise_lines(exercise: ExerciseResult) -> Iterator[str]:
    """An exercise: a line a part, and what is wrong with the first part that is not right."""
    yield f"{exercise.id}"
    if exercise.message:
        yield from _wrapped(exercise.message, "  ")
    opened = False
    for part in exercise.parts:
        yield f"  {part_line(part)}"
        if part.findings and not opened:
            opened = True
            yield from _first_cause(part.findings)


def part_lines(part: PartResult) -> Iterator[str]:
    """A part alone: its line, and the first cause of what is not right."""
    yield part_line(part)
    if part.findings:
        yield from _first_cause(part.findings)


def part_line(part: PartResult) -> str:
    """``ok`` or what is not right, the name, and how many checks passed."""
    right = part.status == "graded" and not part.findings
    mark = "ok  " if right else "-   " if part.status in ("unfinished", "missing") else "FAIL"
    words = STATUS_WORDS[part.status]
    count = (
        f"{part.checks_passed} of {len(part.checks)} checks" if part.status == "graded" else words
    )
    return f"{mark} {part.name}  {count}"


def _first_cause(findings: Sequence[Finding]) -> Iterator[str]:
    first, *rest = findings
    name = f"{first.misconception}: " if first.misconception else ""
    yield from _wrapped(name + first.message, "       ")
    if rest:
        yield f"       then: {', '.join(printable(finding.check) for finding in rest)}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(printable(text), WIDTH, initial_indent=indent, subsequent_indent=indent)


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
