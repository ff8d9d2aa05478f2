"""A learner's commands in a terminal: check, hint, progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from onehead import checking, explain
from onehead.errors import OneheadError
from onehead.model import Exercise, ExerciseResult
from onehead.render import text
from onehead.render.document import Document, Paragraph
from onehead.sandbox import Box, Limits

LEVEL = "process"  # a learner's own code, on a learner's own machine


def check(exercises: Sequence[Exercise], paths: Sequence[Path], stream: TextIO) -> bool:
    """Check the exercises' files among ``paths`` and say how they stand; whether all is right.

    Raises:
        OneheadError: a path does not exist or holds no exercise.
    """
    right = True
    with Box(Limits(), LEVEL) as box:
        for exercise, path in checking.find_files(tuple(paths), tuple(exercises)):
            result = checking.check_file(exercise, path, box)
            right = right and all(map(explain.is_right, result.parts))
            text.write(report(exercise, result, path), stream)
            print(file=stream)
    text.write((Paragraph(explain.PUBLIC),), stream)
    return right


def report(
    exercise: Exercise, result: ExerciseResult, path: Path, opened: int = 0, how: str = ""
) -> Document:
    """What a terminal shows of one exercise."""
    first = explain.first_tried(result)
    how = how or f"onehead hint {first.name if first else ''} {path}"
    return explain.exercise_document(result, exercise.title, opened=opened, how=how)


def hint(
    exercises: Sequence[Exercise], name: str, paths: Sequence[Path], opened: int, stream: TextIO
) -> None:
    """Say so many of the hints for the first cause in the part of that name.

    Raises:
        OneheadError: no file among ``paths`` has such a part.
    """
    found = [
        (exercise, path)
        for exercise, path in checking.find_files(tuple(paths), tuple(exercises))
        if any(part.name == name for part in exercise.parts)
    ]
    if not found:
        raise OneheadError(
            f"no part is called {name!r} in what is here: give the name that stands over the stub, "
            f"and the file or folder that it is in"
        )
    with Box(Limits(), LEVEL) as box:
        for exercise, path in found:
            alone = replace(exercise, parts=tuple(p for p in exercise.parts if p.name == name))
            for part in checking.check_file(alone, path, box).parts:
                again = f"onehead hint {name} {path} --open {opened + 1}"
                text.write(explain.hint_document(part, opened, again), stream)


# --- progress ----------------------------------------------------------------------------


def progress(exercises: Sequence[Exercise], folder: Path, stream: TextIO) -> None:
    """Say how much of the chapter is done: by exercise, the parts that are right."""
    files = checking.find_files((folder,), tuple(exercises))
    there = {exercise.id: path for exercise, path in files}
    with Box(Limits(), LEVEL) as box:
        results = [
            checking.check_file(exercise, there[exercise.id], box)
            for exercise in exercises
            if exercise.id in there
        ]
    titles = {exercise.id: exercise.title for exercise in exercises}
    text.write(explain.progress_document(results, titles), stream)
