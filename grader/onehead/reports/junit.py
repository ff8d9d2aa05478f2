"""JUnit XML: a suite a submission, a case a part, points as properties.

The format has no field for points: a part with less than all of its points is a failure, and a
submission that the grader failed on is an error and has no points.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from onehead.model import ExerciseResult, Graded, PartResult, Result
from onehead.render.document import printable
from onehead.reports import Report, Wishes
from onehead.reports.text import STATUS_WORDS

NAME = "junit"


def report(graded: Graded, wishes: Wishes) -> Report:
    return Report({"junit.xml": render(graded)})


def render(graded: Graded) -> str:
    """The document; a class without a learner is an empty one."""
    root = ET.Element("testsuites", name="onehead")
    by_name = {result.submission: result for result in graded.results}
    for name in graded.names:
        if name in by_name:
            _suite(root, by_name[name])
        else:
            _failed(root, name, graded.failed[name])
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _suite(root: ET.Element, result: Result) -> None:
    cases = [(exercise, part) for exercise in result.exercises for part in exercise.parts]
    failures = sum(part.score < part.max_score for _, part in cases)
    suite = _element(
        root,
        "testsuite",
        name=result.submission,
        tests=str(len(cases)),
        failures=str(failures),
        errors="0",
        skipped="0",
    )
    _points(suite, result.score, result.max_score)
    for exercise, part in cases:
        _case(suite, exercise, part)


def _case(suite: ET.Element, exercise: ExerciseResult, part: PartResult) -> None:
    case = _element(suite, "testcase", classname=exercise.id, name=part.name)
    _points(case, part.score, part.max_score)
    if part.score < part.max_score:
        told = [finding.message for finding in part.findings] or [why(exercise, part)]
        failure = _element(case, "failure", message=told[0], type=kind(exercise, part))
        failure.text = printable("\n".join(told))


def kind(exercise: ExerciseResult, part: PartResult) -> str:
    """What a part that is not right is called: its known mistake, its verdict, or its status."""
    if exercise.status != "graded":
        return exercise.status
    if part.status != "graded" or not part.findings:
        return part.status
    return part.findings[0].misconception or part.findings[0].verdict


def why(exercise: ExerciseResult, part: PartResult) -> str:
    """One line for a part that has no finding to tell."""
    if exercise.status != "graded":
        return exercise.message or f"the exercise's file is {exercise.status}"
    return STATUS_WORDS[part.status] or "not all of its points"


def _failed(root: ET.Element, name: str, reason: str) -> None:
    suite = _element(root, "testsuite", name=name, tests="1", failures="0", errors="1", skipped="0")
    case = _element(suite, "testcase", classname="onehead", name="graded")
    _element(case, "error", message=f"the grader failed on it: {reason}", type="not-graded")


def _points(element: ET.Element, score: float, max_score: float) -> None:
    properties = _element(element, "properties")
    _element(properties, "property", name="score", value=str(score))
    _element(properties, "property", name="max_score", value=str(float(max_score)))


def _element(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    # What is printable is legal in XML 1.0, too.
    shown = {key: printable(value) for key, value in attributes.items()}
    return ET.SubElement(parent, tag, shown)
