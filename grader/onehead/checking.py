"""A learner's own check: the public cases of one exercise, asked and judged as grading does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from onehead.errors import OneheadError
from onehead.grade import grade_exercise
from onehead.model import Exercise, ExerciseResult, Finding, Part, PartResult
from onehead.sandbox import Box
from onehead.submission import read_file


def public(exercise: Exercise) -> Exercise:
    """An exercise with its public cases alone; parts without any are kept out."""
    parts = map(public_part, exercise.parts)
    return replace(exercise, parts=tuple(part for part in parts if part.cases))


def public_part(part: Part) -> Part:
    """A part with its public cases; a constant's one question is public, its answer is not."""
    cases = (case for case in part.cases if case.public or part.probe == "value")
    return replace(part, cases=tuple(cases))


def find_files(
    paths: tuple[Path, ...], course: tuple[Exercise, ...]
) -> list[tuple[Exercise, Path]]:
    """The exercises' files among ``paths``, and in those that are folders.

    Raises:
        OneheadError: a path does not exist or holds no exercise.
    """
    by_stem = {exercise.stem: exercise for exercise in course}
    found = []
    for path in paths:
        files = (
            [path]
            if path.is_file()
            else [path / f"{stem}{end}" for stem in by_stem for end in (".ipynb", ".py")]
        )
        known = [
            file
            for file in files
            if file.stem in by_stem and file.suffix in (".ipynb", ".py") and file.is_file()
        ]
        if not known:
            names = f"{next(iter(by_stem))}.ipynb"
            raise OneheadError(
                f"no exercise in {str(path)!r}: give a folder or a file with a name such as {names}"
            )
        found += [(by_stem[file.stem], file) for file in known if not _is_second(file, known)]
    return found


def _is_second(file: Path, files: list[Path]) -> bool:
    """Where a notebook and a script of one exercise stand side by side, the notebook counts."""
    return file.suffix == ".py" and file.with_suffix(".ipynb") in files


def check_file(exercise: Exercise, path: Path, box: Box) -> ExerciseResult:
    """Run a learner's file and ask its public checks."""
    result = grade_exercise(public(exercise), read_file(path), box)
    by_name = {part.name: part for part in exercise.parts}
    parts = (without_answers(by_name[part.name], part) for part in result.parts)
    return replace(result, parts=tuple(parts))


def without_answers(part: Part, result: PartResult) -> PartResult:
    """Of a dict of answers, say whether all are right, never which are.

    Else a check is an oracle. Where the part has pointers, say it for each of them.
    """
    if part.probe != "value" or result.status != "graded" or not result.findings:
        return result
    if result.form_only or part.answer == "whole":
        # A learner's bundle knows no more than that, and has no case to show.
        return replace(result, findings=tuple(replace(f, evidence=None) for f in result.findings))
    if part.pointers:
        return _by_pointer(part, result)
    open_ = [finding.stage for finding in result.findings if "is not answered" in finding.message]
    text = (
        f"not answered yet: {', '.join(map(str, open_))}"
        if open_
        else "not all of the answers are right"
    )
    finding = Finding("answers", result.findings[0].family, None, "wrong", text)
    return replace(result, checks=("answers",), findings=(finding,))


def _by_pointer(part: Part, result: PartResult) -> PartResult:
    """The result with a check for each pointer."""
    missed = {finding.stage: finding for finding in result.findings}
    findings = []
    for pointer in part.pointers:
        found = [missed[question] for question in pointer.questions if question in missed]
        if found:
            open_ = [str(f.stage) for f in found if "is not answered" in f.message]
            text = f"not answered yet: {', '.join(open_)}" if open_ else pointer.missed
            findings.append(Finding(pointer.name, found[0].family, None, "wrong", text))
    checks = tuple(pointer.name for pointer in part.pointers)
    return replace(result, checks=checks, findings=tuple(findings))
