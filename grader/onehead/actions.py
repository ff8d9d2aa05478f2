"""A learner's checks in GitHub Actions: the report, annotations, and the step's summary.

Only what is public is asked here. While a report is printed the runner takes no commands, since
it holds what a learner has written.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from onehead import terminal
from onehead.model import Exercise, ExerciseResult, Result
from onehead.reports import github


def check(
    exercises: Sequence[Exercise], paths: Sequence[Path], stream: TextIO, summary: str | None
) -> bool:
    """Check as in a terminal, and tell GitHub; whether all is right.

    ``summary`` is the file that GitHub shows of a step, as ``GITHUB_STEP_SUMMARY`` names it.

    Raises:
        OneheadError: a path does not exist or holds no exercise.
    """
    found: list[tuple[ExerciseResult, Path]] = []
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", file=stream)
    try:
        right = terminal.check(exercises, paths, stream, lambda *seen: found.append(seen))
    finally:
        print(f"::{word}::", file=stream)
    result = Result("", tuple(exercise for exercise, _ in found))
    stream.write(github.annotate(result, {e.id: str(path) for e, path in found}))
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(github.check_summary(result))
    return right
