"""A learner's commands in a terminal: check, hint, progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from onehead import checking, explain, standing
from onehead.errors import OneheadError
from onehead.model import Exercise, ExerciseResult
from onehead.render import text
from onehead.render.document import Document, Paragraph
from onehead.sandbox import Box, Limits

LEVEL = "process"  # a learner's own code, on a learner's own machine


def check(
    exercises: Sequence[Exercise],
    paths: Sequence[Path],
    stream: TextIO,
    seen: Callable[[ExerciseResult, Path], object] = lambda result, path: None,
) -> bool:
    """Check the exercises' files among ``paths`` and say how they stand; whether all is right.

    ``seen`` is called with each result.

    Raises:
        OneheadError: a path does not exist or holds no exercise.
    """
    right = True
    with Box(Limits(), LEVEL) as box:
        for exercise, path in checking.find_files(tuple(paths), tuple(exercises)):
            result = checking.check_file(exercise, path, box)
            seen(result, path)
            right = right and all(map(explain.is_right, result.parts))
            text.write(report(exercise, result, path), stream)
            text.write(keep(exercises, path, result), stream)
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
    """Check what is in a folder, keep how it stands, and say how much of the chapter is done.

    Raises:
        OneheadError: the folder holds no exercise, or can't be written to.
    """
    with Box(Limits(), LEVEL) as box:
        results = [
            (exercise, checking.check_file(exercise, path, box).parts)
            for exercise, path in checking.find_files((folder,), tuple(exercises))
        ]
    folder = folder if folder.is_dir() else folder.parent
    known = standing.note(folder, exercises, results)
    text.write(standing.document(exercises, known), stream)


def keep(exercises: Sequence[Exercise], path: Path, result: ExerciseResult) -> Document:
    """Keep how a file stands where progress is kept; what is to be said of it, mostly nothing."""
    if not standing.is_kept(path.parent):
        return ()
    (exercise,) = (exercise for exercise in exercises if exercise.id == result.id)
    try:
        standing.note(path.parent, exercises, [(exercise, result.parts)])
    except OneheadError as error:
        return (Paragraph(str(error)),)
    return ()
