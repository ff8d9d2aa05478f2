"""A class: many submissions, several workers, lines durable as soon as they are written."""

from __future__ import annotations

import contextlib
import errno
import json
import platform
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from onehead import course, overrides, pool
from onehead.errors import OneheadError
from onehead.folder_names import safe_names
from onehead.installed import fingerprint
from onehead.isolation import Proof
from onehead.ledger import RECORD, Ledger, write_atomically
from onehead.model import Exercise, Result
from onehead.overrides import Decision
from onehead.pool import Answers, How, digest
from onehead.reports import csv, html, jsonl
from onehead.sandbox import Limits
from onehead.submission import SubmissionFolder, find, read

with contextlib.suppress(ImportError):  # on Windows, where nothing is run
    import fcntl
    import resource

_NO_PLACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.ENOTDIR)


class Cluster(Protocol):
    """Workers elsewhere, in place of this machine's own."""

    def answers(
        self, how: How, exercises: Sequence[Exercise], todo: Sequence[SubmissionFolder]
    ) -> Iterator[Answers]:
        """Answers as they come, each submission's once."""
        ...

    def as_json(self) -> Mapping[str, Any]:
        """What the run's record says of it."""
        ...


@dataclass(frozen=True)
class Class:
    """What a run needs: where the learners are, where results go, and how code is run."""

    submissions: Path
    out: Path
    limits: Limits
    proof: Proof
    jobs: int = 1
    resume: bool = True
    learners: Sequence[SubmissionFolder] | None = None  # found by others, in ``submissions``
    to_look_at: Sequence[Mapping[str, str]] = ()  # files that were read as nothing, for the record
    decided_in: Path | None = None  # whose decisions to show, where it is not ``out``
    cluster: Cluster | None = None  # that grades, in place of ``jobs`` processes here


@dataclass
class Run:
    """What came of a run; the results themselves stand in ``results.jsonl``."""

    graded: int = 0  # submissions that have a result, the kept ones with them
    kept: int = 0  # results that an earlier run had already
    failures: dict[str, str] = field(default_factory=dict)
    grader_seconds: float = 0.0  # processor time
    learner_seconds: float = 0.0  # processor time of the learners' processes


def grade_class(order: Class, tell: Callable[[int, int], None] = lambda done, total: None) -> Run:
    """Grade every submission and write results, grades, feedback and the run's record.

    ``tell`` is called with the number of submissions that are done, and of all.

    Raises:
        OneheadError: nothing to grade, no course, another grader is at work on ``out``, or it
            can't be written to.
    """
    if not course.packages():
        raise OneheadError(
            "this is a learner's package, which has the public checks alone: grade where the "
            "instructor's package is installed"
        )
    exercises = course.load()
    learners = order.learners
    if learners is None:
        learners = find(order.submissions, [exercise.stem for exercise in exercises])
    try:
        order.out.mkdir(parents=True, exist_ok=True)
        with _locked(order.out):
            return _run(order, exercises, learners, tell)
    except OSError as error:
        if error.errno not in _NO_PLACE:
            raise
        raise OneheadError(
            f"can't write results to {str(order.out)!r} ({error.strerror or error}): what is "
            "finished is kept; make room, or give another --out, and run the same command again"
        ) from error


@contextlib.contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Keep a second grader away from the same output folder."""
    with open(out / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OneheadError(
                f"another grader is at work on {str(out)!r}: wait for it, or give another --out"
            ) from None
        yield


# --- what is to be done ------------------------------------------------------------------


def _run(
    order: Class,
    exercises: Sequence[Exercise],
    learners: Sequence[SubmissionFolder],
    tell: Callable[[int, int], None],
) -> Run:
    started, run = time.time(), Run()
    stems = [exercise.stem for exercise in exercises]
    decisions = _decisions(order, exercises, [learner.name for learner in learners])
    decided, before = _decided(decisions), _decided_before(order.out)
    how = How(order.limits, order.proof.level, order.proof.warning, decisions)
    feedback = _Feedback(order, exercises, learners)
    with Ledger(order.out, fingerprint(order.limits), order.resume) as ledger:
        todo = [
            learner
            for learner in learners
            if decided.get(learner.name) != before.get(learner.name)  # its page is another
            or not _is_known(ledger, learner, stems)
        ]
        stale = {learner.name for learner in todo}
        ledger.keep_only({learner.name for learner in learners} - stale)
        run.kept = run.graded = len(learners) - len(todo)
        tell(run.graded, len(learners))
        grading = (
            pool.answers(how, exercises, todo, order.jobs)
            if order.cluster is None
            else order.cluster.answers(how, exercises, todo)
        )
        for answers in grading:
            _keep(answers, run, ledger, feedback)
            tell(run.graded + len(run.failures), len(learners))
        _write(order, exercises, run, ledger, feedback, decisions)
        record = {**_record(order, run, started), "decided": decided}
        write_atomically(order.out / RECORD, json.dumps(record, indent=2) + "\n")
        ledger.finish()
    return run


def _keep(answers: Answers, run: Run, ledger: Ledger, feedback: _Feedback) -> None:
    """Make what has come durable, pages first."""
    lines = []
    for name, answer in answers:
        if answer.line is None:
            run.failures[name] = answer.failure
        else:
            feedback.write(name, answer.page)
            lines.append((name, answer.digest, answer.line))
            run.grader_seconds += answer.grader_seconds
            run.learner_seconds += answer.learner_seconds
    if lines:
        ledger.add(*lines)
        run.graded += len(lines)


def _decisions(
    order: Class, exercises: Sequence[Exercise], names: Collection[str]
) -> tuple[Decision, ...]:
    """The instructor's own decisions, looked over before anything is graded."""
    if order.decided_in is not None:
        return overrides.read(order.decided_in)
    decisions = overrides.read(order.out)
    parts = {e.id: {part.name: float(part.points) for part in e.parts} for e in exercises}
    overrides.check(order.out, decisions, names, parts)
    return decisions


def _decided(decisions: Iterable[Decision]) -> dict[str, list[str]]:
    """What is decided, by submission, for the run's record."""
    found: dict[str, list[str]] = {}
    for d in decisions:
        found.setdefault(d.submission, []).append(f"{d.exercise} {d.part} {d.score}: {d.reason}")
    return found


def _decided_before(out: Path) -> Mapping[str, list[str]]:
    """What an earlier run was told, which its pages show."""
    try:
        return dict(json.loads((out / RECORD).read_text(encoding="utf-8"))["decided"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


@dataclass(frozen=True)
class Replacement:
    """A result to put in place: what it was made from, its line, and its page, if there is one."""

    submission: str
    digest: str
    line: str
    page: str | None = None


def replace_results(
    order: Class, replacements: Sequence[Replacement], record: Mapping[str, Any]
) -> None:
    """Put other results in the place of those in ``order.out``, with all that is made from them.

    Until the new results are whole, the old ones stand.
    """
    exercises = course.load()
    names = [new.submission for new in replacements]
    failures = dict(record.get("failures", {}))
    feedback = _Feedback(
        order, exercises, [SubmissionFolder(name, order.submissions) for name in names]
    )
    decisions = _decisions(order, exercises, {*names, *failures})
    with (
        _locked(order.out),
        Ledger(order.out, fingerprint(order.limits), resume=False) as ledger,
    ):
        for new in replacements:
            ledger.add((new.submission, new.digest, new.line))
            if new.page is None:
                feedback.write_result(overrides.applied(jsonl.from_line(new.line), decisions))
            else:
                feedback.write(new.submission, new.page)
        run = Run(graded=len(names), failures=failures)
        _write(order, exercises, run, ledger, feedback, decisions)
        written = {**record, "decided": _decided(decisions)}
        write_atomically(order.out / RECORD, json.dumps(written, indent=2) + "\n")
        ledger.finish()


def _is_known(ledger: Ledger, learner: SubmissionFolder, stems: Sequence[str]) -> bool:
    return learner.name in ledger and ledger.holds(learner.name, digest(read(learner, stems)))


# --- what is written ---------------------------------------------------------------------


class _Feedback:
    """The learners' pages, each in a folder of its own with a name that any system can hold.

    They can be made again from the results, so they are not synced one by one.
    """

    def __init__(
        self, order: Class, exercises: Sequence[Exercise], learners: Sequence[SubmissionFolder]
    ) -> None:
        out = order.out
        folders = safe_names(learner.name for learner in learners)
        self._folders = {name: out / "feedback" / folder for name, folder in folders.items()}
        self._warning = order.proof.warning
        self._titles = {exercise.id: exercise.title for exercise in exercises}

    def write(self, name: str, page: str) -> None:
        self._folders[name].mkdir(parents=True, exist_ok=True)
        write_atomically(self._folders[name] / "index.html", page, durable=False)

    def write_result(self, result: Result) -> None:
        self.write(result.submission, html.page(result, self._warning, self._titles))

    def is_missing(self, name: str) -> bool:
        """Whether somebody has put the page away that an earlier run had made."""
        return not (self._folders[name] / "index.html").exists()


def _write(
    order: Class,
    exercises: Sequence[Exercise],
    run: Run,
    ledger: Ledger,
    feedback: _Feedback,
    decisions: Sequence[Decision],
) -> None:
    def results() -> Iterator[Result]:
        for _, line in ledger.lines():
            yield overrides.applied(jsonl.from_line(line), decisions)

    for result in results():
        if feedback.is_missing(result.submission):
            feedback.write_result(result)
    ids = [exercise.id for exercise in exercises]
    write_atomically(order.out / "grades.csv", csv.render(results(), ids, run.failures))


def _record(order: Class, run: Run, started: float) -> Mapping[str, Any]:
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 2),
        "cpu_seconds": {
            "grader": round(run.grader_seconds, 3),
            "learners": round(run.learner_seconds, 3),
        },
        "peak_memory_mb": _peak_memory(),
        "submissions": run.graded + len(run.failures),
        "kept": run.kept,
        **({"jobs": order.jobs} if order.cluster is None else {"cluster": order.cluster.as_json()}),
        "limits": {"seconds": order.limits.seconds, "memory": order.limits.memory},
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "isolation": order.proof.as_json(),
        "failures": run.failures,
        "to_look_at": list(order.to_look_at),
    }


def _peak_memory() -> int:
    """In MB. getrusage would count what the program that started this one held."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        kilobytes = int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, IndexError):
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(kilobytes / 1024)
