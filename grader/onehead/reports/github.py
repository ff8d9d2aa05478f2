"""GitHub Actions: workflow commands that annotate a run, and Markdown for its step summary.

Whatever a learner may have written is encoded: on a line of its own it could be a command to the
runner, in the summary it could be a link, a picture or a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from onehead.model import ExerciseResult, Graded, Result, lesson
from onehead.render.document import printable
from onehead.reports import Report, Wishes
from onehead.reports.junit import why
from onehead.reports.text import STATUS_WORDS

NAME = "github"
MAX_ANNOTATIONS = 10  # that GitHub shows of a step and a kind
MAX_SUMMARY = 900_000  # bytes: over 1 MiB GitHub drops all of a step's summary

_PLAIN = re.compile(r"[A-Za-z0-9 ]")


def report(graded: Graded, wishes: Wishes) -> Report:
    return Report(
        {"github/summary.md": class_summary(graded), "github/annotations.txt": failures(graded)}
    )


# --- encoding ----------------------------------------------------------------------------


def data(text: str) -> str:
    """The text of a workflow command: one line, whatever is in it.

    >>> data("50%\\n::error::x")
    '50%25%0A::error::x'
    """
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def field(text: str) -> str:
    """The value of a workflow command's property.

    >>> field("a,b: c")
    'a%2Cb%3A c'
    """
    return data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(text: str) -> str:
    """A text that Markdown shows as it stands: no tag, link, table cell or mention comes of it.

    >>> markdown("<b>|x_1|")
    '&#60;b&#62;&#124;x&#95;1&#124;'
    """
    return "".join(map(_encoded, " ".join(text.split())))


def _encoded(character: str) -> str:
    if _PLAIN.match(character) or (ord(character) > 127 and character.isprintable()):
        return character
    return f"&#{ord(character)};" if character.isprintable() else "\ufffd"


# --- annotations -------------------------------------------------------------------------


def annotate(result: Result, files: Mapping[str, str]) -> str:
    """The first cause of each exercise that is not right, as commands to the runner.

    ``files`` holds the path of each exercise's file; a line would mean nothing in a notebook.
    """
    lines = [
        f"::error {_place(files.get(exercise.id))}title={field(title)}::{data(message)}"
        for exercise in result.exercises
        for title, message in _first_cause(exercise)
    ]
    return "".join(f"{line}\n" for line in lines[:MAX_ANNOTATIONS])


def _place(path: str | None) -> str:
    return "" if path is None else f"file={field(path)},"


def _first_cause(exercise: ExerciseResult) -> Iterator[tuple[str, str]]:
    for part in exercise.parts:
        if part.status == "unfinished" or (part.status == "graded" and not part.findings):
            continue
        message = part.findings[0].message if part.findings else why(exercise, part)
        yield f"{lesson(exercise.id)} {part.name}", message
        return


def failures(graded: Graded) -> str:
    """An error for each submission that the grader failed on: marks are no error."""
    lines = [
        f"::error title={field('not graded: ' + name)}::{data(reason)}"
        for name, reason in sorted(graded.failed.items())
    ]
    return "".join(f"{line}\n" for line in lines[:MAX_ANNOTATIONS])


# --- the step summary --------------------------------------------------------------------


def class_summary(graded: Graded) -> str:
    """A table of the class: a row a submission; no marks where the grader failed on it."""
    results = {result.submission: result for result in graded.results}
    rows = []
    for name in graded.names:
        shown = markdown(name)
        if name in results:
            result = results[name]
            rows.append(f"| {shown} | {result.score:.2f} | {result.max_score:.2f} |")
        else:
            rows.append(f"| {shown} | not graded: {markdown(graded.failed[name])} | |")
    return _table("Marks", ("Submission", "Points", "Of"), rows)


def check_summary(result: Result) -> str:
    """What the public checks found in a learner's own repository: counts, and no marks."""
    rows = []
    for exercise in result.exercises:
        for part in exercise.parts:
            open_ = part.status == "unfinished"
            right = part.status == "graded" and not part.findings
            told = part.findings and not open_
            first = part.findings[0].message if told else STATUS_WORDS[part.status]
            glyph = "✓" if right else "–" if open_ else "✗"
            rows.append(
                f"| {glyph} | {markdown(lesson(exercise.id))} | {markdown(part.name)} "
                f"| {part.checks_passed} of {len(part.checks)} | {markdown(first)} |"
            )
    heads = ("", "Exercise", "Part", "Public checks", "First thing to look at")
    return _table("Public checks", heads, rows) + (
        "\nThese are the public checks: grading asks more of the same code.\n"
    )


def _table(title: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    lines = [f"## {title}", "", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    kept, size = 0, 0
    for row in rows:
        size += len(row.encode()) + 1
        if size > MAX_SUMMARY:
            break
        kept += 1
    lines += rows[:kept]
    if kept < len(rows):
        lines += ["", f"{len(rows) - kept} more rows do not fit here."]
    return "\n".join(lines) + "\n"
