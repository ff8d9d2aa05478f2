"""Reports of a class that is graded: its results are read back, checked, and written in a format.

``results.jsonl`` is where every report comes from. What is read is held against the schema and
against itself, so that a torn or edited file is refused in one line and makes no wrong mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from onehead import course, isolation, overrides
from onehead.errors import OneheadError
from onehead.ledger import PART, RECORD, RESULTS, write_atomically
from onehead.model import Graded, Result
from onehead.reports import Report, Wishes, formats, jsonl

REPORTS = "reports"


def write(
    folder: Path, name: str, wishes: Wishes, out: Path | None = None
) -> tuple[list[Path], tuple[str, ...]]:
    """Write a class's report in the named format below ``out``; the files, and what to tell.

    Raises:
        OneheadError: the results can't be read, or the format can't be made of them as asked.
    """
    report = make(folder, name, wishes)
    place = folder / REPORTS if out is None else out
    written = []
    for file, text in sorted(report.files.items()):
        path = place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
        written.append(path)
    return written, report.notes


def exported(path: Path) -> str:
    """The text of a file that an LMS exported.

    Raises:
        OneheadError: it can't be read, or is no UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OneheadError(
            f"can't read {str(path)!r} ({error}): export it as CSV in UTF-8"
        ) from None


def summary(written: list[Path]) -> str:
    """Where a report is, in one line."""
    if not written:
        return "nothing to report: no submission has marks"
    if len(written) <= 3:
        return "written: " + ", ".join(map(str, written))
    return f"written: {len(written)} files, from {written[0]} to {written[-1]}"


def make(folder: Path, name: str, wishes: Wishes) -> Report:
    """The report of a graded class in the named format."""
    if name not in formats():
        raise OneheadError(f"no format {name!r}: there are {', '.join(formats())}")
    return formats()[name].report(load(folder), wishes)


def load(folder: Path) -> Graded:
    """What ``onehead grade`` left in a folder, with the instructor's own decisions on it.

    Raises:
        OneheadError: there is no finished run, its lines are not what was written, or a decision
            is on something that is not there.
    """
    if (folder / PART).exists():
        raise OneheadError(
            f"the run in {str(folder)!r} is not finished: start the same onehead grade again, it "
            "goes on where it stopped"
        )
    graded = as_graded(folder)
    decisions = overrides.read(folder)
    parts = overrides.points(e for result in graded.results for e in result.exercises)
    overrides.check(folder, decisions, graded.names, parts)
    results = (overrides.applied(result, decisions) for result in graded.results)
    return replace(graded, results=tuple(results))


def stored(folder: Path) -> Iterator[Result]:
    """The results that the grader itself found, one by one as they stand there.

    Raises:
        OneheadError: there are none, or their lines are not what was written.
    """
    names = set()
    try:
        with open(folder / RESULTS, encoding="utf-8") as lines:
            for place, line in enumerate(lines, 1):
                result = _result(line.rstrip("\n"), place)
                if result.submission in names:
                    raise OneheadError(
                        f"{RESULTS} has two lines for {result.submission!r}: keep one, or grade "
                        "again"
                    )
                names.add(result.submission)
                yield result
    except FileNotFoundError:
        raise OneheadError(
            f"no {RESULTS} in {str(folder)!r}: give the folder that onehead grade had as --out"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise OneheadError(f"can't read {RESULTS} in {str(folder)!r}: {error}") from None


def as_graded(folder: Path) -> Graded:
    """What the grader itself found, all of it.

    Raises:
        OneheadError: there are no results, or their lines are not what was written.
    """
    results = list(stored(folder))
    names = {result.submission for result in results}
    record = record_of(folder)
    failed = {name: why for name, why in record.get("failures", {}).items() if name not in names}
    ids = dict.fromkeys(exercise.id for result in results for exercise in result.exercises)
    level = record.get("isolation", {}).get("level", "")
    ordered = sorted(results, key=lambda result: result.submission)
    return Graded(tuple(ordered), failed, tuple(ids), isolation.warning(level), _titles())


def _titles() -> Mapping[str, str]:
    """The exercises' titles by their ids, where the course is installed."""
    try:
        return {exercise.id: exercise.title for exercise in course.load()}
    except OneheadError:
        return {}


def _result(line: str, place: int) -> Result:
    """One line as a result, refused where it does not fit the schema or its own sums."""
    where = f"{RESULTS}, line {place}"
    advice = "grade again, or put the file back as it was written"
    try:
        entry = json.loads(line)
    except ValueError:
        raise OneheadError(f"{where} is torn, it is no JSON: {advice}") from None
    if told := _against_schema(entry):
        raise OneheadError(f"{where}: {told}: {advice}")
    result = jsonl.from_line(line)
    for what, said, due in (
        ("score", entry["score"], result.score),
        ("max_score", entry["max_score"], result.max_score),
    ):
        if abs(said - due) > 0.005:
            raise OneheadError(
                f"{where}: {what} is {said:g}, and its parts come to {due:g}: {advice}"
            )
    return result


def _against_schema(entry: Any) -> str:
    """The first thing in which an entry departs from the schema; "" where it fits."""
    from fastjsonschema import JsonSchemaValueException

    try:
        _schema()(entry)
    except JsonSchemaValueException as error:
        return " ".join(error.message.split())[:200]
    return ""


@cache
def _schema() -> Callable[[Any], Any]:
    """The schema as a function, which a whole class is held against in no time."""
    import fastjsonschema  # only here: a learner's package has numpy alone

    schema = json.loads(jsonl.SCHEMA_FILE.read_text(encoding="utf-8"))
    check: Callable[[Any], Any] = fastjsonschema.compile(schema)
    return check


def record_of(folder: Path) -> Mapping[str, Any]:
    """The run's record; of a folder without one, nothing is known of failures or isolation."""
    path = folder / RECORD
    if not path.exists():
        return {}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        dict(record["failures"])
        str(record["isolation"]["level"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OneheadError(
            f"{str(path)!r} can't be read ({type(error).__name__}): grade again, or put it back"
        ) from None
    return dict(record)
