"""Gradescope's side of grading: one submission, one ``results.json``.

``run_autograder`` in the bundle puts down a file without a score before this starts. It is replaced
when everything is done, so that whatever ends this early leaves no mark.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from onehead import checking, course, intake
from onehead.errors import OneheadError
from onehead.grade import grade, grade_exercise
from onehead.isolation import choose
from onehead.ledger import write_atomically
from onehead.model import Exercise, ExerciseResult, Result
from onehead.render.text import printable
from onehead.reports import gradescope
from onehead.sandbox import Box, Limits
from onehead.submission import Submission, read


def run(submission: Path, out: Path, isolation: str, visibility: str) -> None:
    """Grade the files of one learner and write Gradescope's file.

    Raises:
        OneheadError: it can't be graded as asked.
        SandboxError: the grader itself failed.
    """
    exercises = course.load()
    level = choose(isolation).level
    with intake.opened(submission, exercises, alone=True) as taken, Box(Limits(), level) as box:
        for match in taken.asking:
            print(printable(f"{match.file} {match.told}"), file=sys.stderr)
        files = read(taken.learners[0], [exercise.stem for exercise in exercises])
        result = grade(exercises, files, box)
        public = Result(
            files.name, tuple(_public(e, files, box) for e in _handed_in(exercises, files))
        )
    write_atomically(out, gradescope.results_json(result, public, visibility))


def _handed_in(exercises: Sequence[Exercise], files: Submission) -> list[Exercise]:
    return [exercise for exercise in exercises if files.sources[exercise.stem].status != "missing"]


def _public(exercise: Exercise, files: Submission, box: Box) -> ExerciseResult:
    """What the public checks alone say, as they would on a learner's own machine."""
    result = grade_exercise(checking.public(exercise), files.sources[exercise.stem], box)
    parts = {part.name: part for part in exercise.parts}
    told = (checking.without_answers(parts[part.name], part) for part in result.parts)
    return replace(result, parts=tuple(told))


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade as ``run_autograder`` asks; 1 where there are no marks, and why on stderr."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submission", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--visibility", default=gradescope.WHEN_PUBLISHED)
    given = parser.parse_args(arguments)
    try:
        run(given.submission, given.results, given.isolation, given.visibility)
    except OneheadError as error:
        print(f"onehead: {error}", file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
