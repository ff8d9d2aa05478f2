"""A learner's feedback page: one self-contained file, nothing fetched, nothing that runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onehead import explain
from onehead.folder_names import safe_names
from onehead.model import ExerciseResult, ExerciseStatus, Graded, PartResult, Result
from onehead.render import html
from onehead.render.document import (
    Block,
    Document,
    Fold,
    Heading,
    Link,
    Paragraph,
    Strong,
    Table,
    Words,
)
from onehead.render.page import page as standalone
from onehead.reports import Report, Wishes

NAME = "html"

_NOT_GRADED: Mapping[ExerciseStatus, str] = {
    "missing": "No file of this exercise was handed in.",
    "unreadable": "The file could not be read.",
    "crashed": "The code ended the process before anything could be asked.",
    "timed-out": "The code did not come to an end.",
    "out-of-memory": "The code asked for more memory than it may have.",
}
_IN_SHORT: Mapping[ExerciseStatus, str] = {
    "missing": "not handed in",
    "unreadable": "could not be read",
    "crashed": "ends the process",
    "timed-out": "takes too long",
    "out-of-memory": "takes too much memory",
}


def report(graded: Graded, wishes: Wishes) -> Report:
    """A page each, in the folders that feedback has. Who could not be graded has none."""
    folders = safe_names(result.submission for result in graded.results)
    return Report(
        {
            f"html/{folders[result.submission]}/index.html": page(
                result, graded.warning, graded.titles
            )
            for result in graded.results
        }
    )


def page(result: Result, warning: str = "", titles: Mapping[str, str] | None = None) -> str:
    """The page of one learner.

    ``warning`` stands at its head: how weakly the run was isolated. ``titles`` has the exercises'
    titles by their ids.
    """
    return standalone(
        f"Feedback for {result.submission}",
        html.render(tuple(_head(result, warning, titles or {}))),
        *(
            f"<section>{html.render(tuple(_exercise(exercise, titles or {})))}</section>"
            for exercise in result.exercises
        ),
    )


def _head(result: Result, warning: str, titles: Mapping[str, str]) -> Iterator[Block]:
    yield Heading(f"Feedback for {result.submission}", 1)
    if warning:
        yield Paragraph((Strong(warning),))
    yield Paragraph((Strong(f"{result.score:g} of {result.max_score:g} points."),))
    rows: tuple[tuple[Words, ...], ...] = tuple(
        (
            (Link(_title(exercise, titles), exercise.id),),
            f"{exercise.score:g}",
            f"{exercise.max_score:g}",
            _standing(exercise),
        )
        for exercise in result.exercises
    )
    head = ("Exercise", "Points", "Of", "How it stands")
    yield Table("Points by exercise", head, rows, numbers=(1, 2))


def _title(exercise: ExerciseResult, titles: Mapping[str, str]) -> str:
    return explain.heading(exercise.id, titles.get(exercise.id, ""))


def _standing(exercise: ExerciseResult) -> str:
    """An exercise in a few words: how many parts are right, and what is the first that is not."""
    if exercise.status != "graded":
        return _IN_SHORT[exercise.status]
    count = len(exercise.parts)
    wrong = [part for part in exercise.parts if not explain.is_right(part)]
    if not wrong:
        return f"✓ all {count} parts are right"
    if all(part.status in ("unfinished", "missing") for part in exercise.parts):
        # A damaged file may have lost what was there.
        return (
            "– nothing to grade: see the note on its file" if exercise.message else "– not started"
        )
    return f"✗ {count - len(wrong)} of {count} parts are right; first: {wrong[0].name}"


def _exercise(exercise: ExerciseResult, titles: Mapping[str, str]) -> Iterator[Block]:
    points = f"{exercise.score:g} of {exercise.max_score:g} points"
    yield Heading(f"{_title(exercise, titles)}: {points}", 2, anchor=exercise.id)
    if exercise.status != "graded":
        yield Paragraph(_NOT_GRADED[exercise.status])
    if exercise.message:
        yield Paragraph(exercise.message)
    first = explain.first_tried(exercise)
    for part in exercise.parts:
        if exercise.status == "graded" or part.override is not None:
            yield from _part(part, folded=part is not first)


def _part(part: PartResult, folded: bool) -> Document:
    """A part under a heading; of those that are not right, the first is open."""
    line = explain.part_line(part, points=True)
    details = tuple(explain.part_details(part))
    if folded and details and not explain.is_right(part):
        details = (Fold("The report", details),)
    return (Heading(line.words, 3), *explain.decision(part), *details)
