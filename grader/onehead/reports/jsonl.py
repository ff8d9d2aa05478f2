"""``results.jsonl``: one line a submission, the form that every other report is made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from onehead.model import ExerciseResult, Finding, PartResult, Result

SCHEMA = "onehead/result/1"
SCHEMA_FILE = Path(__file__).with_name("result.schema.json")


def to_line(result: Result) -> str:
    """A result as one line of JSON, without the newline; the same bytes for the same result."""
    return json.dumps(to_dict(result), ensure_ascii=True, allow_nan=False, separators=(", ", ": "))


def to_dict(result: Result) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "submission": result.submission,
        "score": result.score,
        "max_score": float(result.max_score),
        "exercises": [_exercise(exercise) for exercise in result.exercises],
    }


def _exercise(exercise: ExerciseResult) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": exercise.id,
        "status": exercise.status,
        "score": exercise.score,
        "max_score": float(exercise.max_score),
        "parts": [_part(part) for part in exercise.parts],
    }
    if exercise.message:
        entry["message"] = exercise.message
    if exercise.learner is not None:
        entry["learner"] = exercise.learner
    return entry


def _part(part: PartResult) -> dict[str, Any]:
    return {
        "name": part.name,
        "status": part.status,
        "score": part.score,
        "max_score": float(part.max_score),
        "checks": list(part.checks),
        "checks_passed": part.checks_passed,
        "findings": [_finding(finding) for finding in part.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "family": finding.family,
        "stage": finding.stage,
        "verdict": finding.verdict,
        "misconception": finding.misconception,
        "message": finding.message,
        "at": None if finding.at is None else dict(finding.at),
        "expected": finding.expected,
        "got": finding.got,
        "tolerances": finding.tolerances,
        "counterexample": finding.counterexample,
        "says": finding.says,
        "reread": finding.reread,
    }


def from_line(line: str) -> Result:
    """The result that a line was made from.

    Raises:
        ValueError: the line is torn or of another schema.
    """
    entry = json.loads(line)
    if not isinstance(entry, dict) or entry.get("schema") != SCHEMA:
        raise ValueError(f"a line of schema {SCHEMA} is due")
    return Result(entry["submission"], tuple(map(_read_exercise, entry["exercises"])))


def _read_exercise(entry: dict[str, Any]) -> ExerciseResult:
    return ExerciseResult(
        entry["id"],
        entry["status"],
        entry["max_score"],
        tuple(map(_read_part, entry["parts"])),
        entry.get("message", ""),
        entry.get("learner"),
    )


def _read_part(entry: dict[str, Any]) -> PartResult:
    findings = tuple(Finding(**finding) for finding in entry["findings"])
    return PartResult(
        entry["name"],
        entry["status"],
        entry["score"],
        entry["max_score"],
        tuple(entry["checks"]),
        findings,
    )
