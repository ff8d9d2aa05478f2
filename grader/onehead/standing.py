"""How a learner stands: which parts are right, near, wrong, open, and what comes next."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from onehead import explain, record
from onehead.errors import OneheadError
from onehead.model import Exercise, Part, PartResult, lesson
from onehead.notebooks import GIVEN
from onehead.record import DONE, STATES, Record, State
from onehead.render import html
from onehead.render.document import (
    Block,
    Document,
    Heading,
    Items,
    Name,
    Panel,
    Paragraph,
    Piece,
    Strong,
    Words,
)
from onehead.render.page import page

PAGE = "progress.html"
_WORDS: Mapping[State, str] = {
    "right": "✓ right",
    "answered": "○ answered",
    "near": "≈ near",
    "wrong": "✗ not right yet",
    "open": "– open",
}
_LEGEND = (
    "Near: more than half of its checks are right. Answered: numbers that are looked at when you "
    "hand in. What was right once stays so here."
)


def here(exercises: Sequence[Exercise], folder: Path) -> bool:
    """Whether the folder is one that a learner works in: it holds an exercise's file."""
    return any((folder / f"{e.stem}{end}").exists() for e in exercises for end in (".ipynb", ".py"))


def is_kept(folder: Path) -> bool:
    """Whether a learner's progress is kept in the folder, or is to be: ``onehead init`` made it."""
    return any((folder / name).exists() for name in (record.FILE, GIVEN))


def note(
    folder: Path,
    exercises: Sequence[Exercise],
    results: Sequence[tuple[Exercise, Sequence[PartResult]]],
) -> Record:
    """Keep what is news in the results, and write the page anew; the record now.

    Raises:
        OneheadError: the folder can't be written to.
    """
    try:
        for exercise, parts in results:
            record.note(folder, exercise, parts)
        known = record.read(folder)
        said = (Heading("Your progress", 1), *document(exercises, known))
        _replace(folder / PAGE, page("Your progress", html.render(said)))
    except OSError as error:
        raise OneheadError(
            f"progress can't be kept in {str(folder)!r} ({error.strerror}): "
            f"work in a folder that you may write to"
        ) from None
    return known


def _replace(path: Path, text: str) -> None:
    """All of the page or nothing of it, whoever else writes it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


# --- what is shown -----------------------------------------------------------------------


def document(exercises: Sequence[Exercise], known: Record, today: date | None = None) -> Document:
    """The whole chapter: how much is done, what comes next, what comes back, each part."""
    states = {
        (exercise.id, part.name): known.best(exercise.id, part.name)
        for exercise in exercises
        for part in exercise.parts
    }
    done = sum(state in DONE for state in states.values())
    return (
        Paragraph(f"{explain.bar(done, len(states))} {done} of {len(states)} parts are done"),
        Paragraph(_rest(states)),
        Paragraph(_next(exercises, states)),
        *_coming_back(exercises, known, (today or date.today()).isoformat()),
        Items(tuple(_standing(exercise, states) for exercise in exercises)),
        Paragraph(_LEGEND, "quiet"),
        Paragraph(explain.PUBLIC, "quiet"),
    )


States = Mapping[tuple[str, str], State]


def _rest(states: States) -> str:
    """What is not done, in numbers."""
    counts = Counter(states.values())
    return f"{counts['near']} near, {counts['wrong']} not right yet, {counts['open']} open"


def _standing(exercise: Exercise, states: States) -> Words:
    """One exercise: how many of its parts are done, and which of them stand how."""
    by_state: dict[State, list[str]] = {state: [] for state in reversed(STATES)}
    for part in exercise.parts:
        by_state[states[exercise.id, part.name]].append(part.name)
    count, done = len(exercise.parts), sum(len(by_state[state]) for state in DONE)
    title = Strong(explain.heading(exercise.id, exercise.title))
    if len(by_state["open"]) == count:
        return (title, f", {count} parts, not begun")
    said: list[Piece] = [title, f", {done} of {count}"]
    for state, names in by_state.items():
        if names:
            said.append(f" · {_WORDS[state]} ")
            said += [piece for name in names for piece in (Name(name), ", ")][:-1]
    return tuple(said)


def _next(exercises: Sequence[Exercise], states: States) -> Words:
    for exercise in exercises:
        for part in exercise.parts:
            if states[exercise.id, part.name] not in DONE:
                place = f" in {exercise.stem}.ipynb ({lesson(exercise.id)}, {exercise.title})."
                return (Strong("Next: "), Name(part.name), place)
    return (Strong("All parts are done."), " Hand in your notebooks.")


def _coming_back(exercises: Sequence[Exercise], known: Record, today: str) -> Iterator[Block]:
    """What was missed on an earlier day, to be answered again from memory."""
    missed = [
        (exercise, part, day)
        for exercise in exercises
        for part in exercise.parts
        if record.comes_back(part) and (day := known.missed(exercise.id, part.name)) is not None
    ]
    due = tuple(_again(*each) for each in missed if each[2] < today)
    later = [part.name for _, part, day in missed if day >= today]
    if due:
        how = "Put ... in place of the old answers, answer from memory, and run the check."
        yield Panel((Paragraph((Strong("Once more: "), how)), Items(due)), "open")
    if later:
        yield Paragraph(f"Missed today, so it comes back another day: {', '.join(later)}.")


def _again(exercise: Exercise, part: Part, day: str) -> Words:
    lessons = f"missed on {day}; explained in {', '.join(map(lesson, part.lessons))}"
    return (Name(part.name), f" in {exercise.stem}.ipynb, {lessons}")
