"""Gradescope's ``results.json``: a test a part, with who may see it when.

A learner may hand in as often as they like and look at once, so what hidden checks found is held
back until the instructor publishes the grades; with it Gradescope holds back the total. What the
public checks say, where they were run, is there at once.

A submission that the grader failed on gets a file without any score: Gradescope then says that
the autograder failed, and nobody has a 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from onehead.folder_names import safe_names
from onehead.model import ExerciseResult, Graded, PartResult, Result, lesson
from onehead.reports import Report, Wishes
from onehead.reports.junit import why
from onehead.reports.text import part_text

NAME = "gradescope"
WHEN_PUBLISHED = "after_published"


def report(graded: Graded, wishes: Wishes) -> Report:
    folders = safe_names(graded.names)
    texts = {r.submission: results_json(r) for r in graded.results}
    texts |= {name: failure_json() for name in graded.failed}
    return Report(
        {f"gradescope/{folders[name]}/results.json": texts[name] for name in sorted(texts)}
    )


def results_json(
    result: Result, public: Result | None = None, visibility: str = WHEN_PUBLISHED
) -> str:
    """The file of one submission. ``public`` is what the public checks alone found in it."""
    at_once = [] if public is None else list(_public_tests(public))
    tests = [*at_once, *_tests(result, visibility)]
    return _dump(
        {
            "score": result.score,
            "output": "The public checks are shown. The marks follow when grades are published.",
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": tests,
        }
    )


def failure_json() -> str:
    """The file of a submission that could not be graded: words for its learner, and no score.

    What failed is for the instructor: it stands on stderr, which learners are not shown.
    """
    return _dump(
        {
            "output": (
                "The grader itself failed, which says nothing about your work: there are no marks "
                "yet, and this is no 0. Please tell your instructor."
            ),
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
        }
    )


def _dump(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"


def _parts(result: Result) -> Iterator[tuple[str, ExerciseResult, PartResult]]:
    """Each part with its number: exercise, then part."""
    for row, exercise in enumerate(result.exercises, 1):
        for column, part in enumerate(exercise.parts, 1):
            yield f"{row}.{column}", exercise, part


def _tests(result: Result, visibility: str) -> Iterator[dict[str, Any]]:
    for number, exercise, part in _parts(result):
        names = dict.fromkeys(f.misconception for f in part.findings if f.misconception)
        yield {
            **_test(number, exercise, part),
            "score": part.score,
            "max_score": float(part.max_score),
            "tags": list(names),
            "visibility": visibility,
        }


def _public_tests(result: Result) -> Iterator[dict[str, Any]]:
    for number, exercise, part in _parts(result):
        test = _test(number, exercise, part)
        yield {**test, "name": f"{test['name']} (public checks)", "visibility": "visible"}


def _test(number: str, exercise: ExerciseResult, part: PartResult) -> dict[str, Any]:
    right = part.status == "graded" and not part.findings
    told = part.findings or exercise.status == "graded"
    return {
        "number": number,
        "name": f"{lesson(exercise.id)} {part.name}",
        "status": "passed" if right else "failed",
        "output": part_text(part) if told else why(exercise, part),
        "output_format": "text",
    }
