"""A class: many submissions, several workers, lines durable as soon as they are written."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import multiprocessing as mp
import os
import platform
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

from onehead import course
from onehead.errors import OneheadError
from onehead.grade import grade
from onehead.isolation import Proof
from onehead.model import Exercise, Result
from onehead.reports import csv, html, jsonl
from onehead.sandbox import Box, Limits
from onehead.submission import Submission, SubmissionFolder, find, read, safe_names

PART = "results.jsonl.part"
_TRIES = (
    2  # a submission whose worker dies is tried once more, alone, before it counts as a failure
)


@dataclass(frozen=True)
class Class:
    """What a run needs: where the learners are, where results go, and how code is run."""

    submissions: Path
    out: Path
    limits: Limits
    proof: Proof
    jobs: int = 1
    resume: bool = True


@dataclass
class Run:
    """What came of a run."""

    results: list[Result] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    kept: int = 0  # results that an earlier run had already


def grade_class(order: Class, tell: Callable[[int, int], None] = lambda done, total: None) -> Run:
    """Grade every submission and write results, grades, feedback and the run's record.

    Raises:
        OneheadError: nothing to grade, no course, or another grader is at work on ``out``.
    """
    exercises = course.load()
    stems = [exercise.stem for exercise in exercises]
    learners = find(order.submissions, stems)
    order.out.mkdir(parents=True, exist_ok=True)
    started = time.time()
    with _locked(order.out):
        run = _run(order, exercises, learners, tell)
        _write(order, exercises, run, started)
    return run


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
    ledger = Ledger(order.out, fingerprint(order.limits), order.resume)
    stems = [exercise.stem for exercise in exercises]
    run = Run()
    todo = []
    for learner in learners:
        line = ledger.line(learner.name, digest(read(learner, stems)))
        if line is None:
            todo.append(learner)
        else:
            run.results.append(jsonl.from_line(line))
    run.kept = len(run.results)
    tell(run.kept, len(learners))
    with ledger:
        for name, answer in _answers(order, exercises, todo):
            if answer.line is None:
                run.failures[name] = answer.failure
            else:
                ledger.add(name, answer.digest, answer.line)
                run.results.append(jsonl.from_line(answer.line))
            tell(len(run.results) + len(run.failures), len(learners))
    run.results.sort(key=lambda result: result.submission)
    return run


def digest(submission: Submission) -> str:
    """What a submission's files held: of unchanged files, an earlier result holds."""
    text = json.dumps(
        {stem: [s.status, s.digest, s.message] for stem, s in submission.sources.items()}
    )
    return hashlib.sha256(text.encode()).hexdigest()


def fingerprint(limits: Limits) -> str:
    """What a result depends on beside the submission.

    Exercises, references, grader, Python, numpy.
    """
    state = hashlib.sha256(f"{platform.python_version()} {np.__version__} {limits}".encode())
    for package in ("onehead", *course.packages()):
        spec = find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            for path in sorted(Path(folder).rglob("*.py")):
                if "bank" not in path.parts:
                    state.update(path.read_bytes())
    return state.hexdigest()


class Ledger:
    """The durable lines of a run.

    A line counts once it and the digest it was made from are synced.
    """

    def __init__(self, out: Path, state: str, resume: bool) -> None:
        self._out, self._state = out, state
        self._known = dict(self._read()) if resume else {}
        self._streams: list[Any] = []

    def _read(self) -> Iterator[tuple[tuple[str, str], str]]:
        """(name, digest) -> line, of what earlier runs have finished.

        Torn lines are passed over.
        """
        for results, digests in (
            ("results.jsonl", ".digests.jsonl"),
            (PART, ".digests.jsonl.part"),
        ):
            lines = {}
            for text in _lines(self._out / results):
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    lines[jsonl.from_line(text).submission] = text
            for text in _lines(self._out / digests):
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    entry = json.loads(text)
                    if entry["state"] == self._state and entry["submission"] in lines:
                        yield (entry["submission"], entry["digest"]), lines[entry["submission"]]

    def line(self, name: str, digest: str) -> str | None:
        return self._known.get((name, digest))

    def __enter__(self) -> Ledger:
        """Start the part files with what is known, so that no kill loses any of it."""
        known = list(self._known.items())
        for name, texts in (
            (PART, [line for _, line in known]),
            (".digests.jsonl.part", [self._digest(*key) for key, _ in known]),
        ):
            write_atomically(self._out / name, "".join(f"{text}\n" for text in texts))
            self._streams.append(open(self._out / name, "a", encoding="ascii"))
        return self

    def __exit__(self, *exception: object) -> None:
        for stream in self._streams:
            stream.close()

    def _digest(self, name: str, digest: str) -> str:
        return json.dumps({"submission": name, "digest": digest, "state": self._state})

    def add(self, name: str, digest: str, line: str) -> None:
        for stream, text in zip(self._streams, (line, self._digest(name, digest)), strict=True):
            stream.write(f"{text}\n")
            stream.flush()
            os.fsync(stream.fileno())

    @staticmethod
    def finish(out: Path, lines: Sequence[str], names: set[str]) -> None:
        """Put the sorted lines in their place and the part files away."""
        kept = [
            text
            for text in _lines(out / ".digests.jsonl.part")
            if json.loads(text)["submission"] in names
        ]
        write_atomically(out / ".digests.jsonl", "".join(f"{text}\n" for text in kept))
        write_atomically(out / "results.jsonl", "".join(f"{line}\n" for line in lines))
        for name in (PART, ".digests.jsonl.part"):
            (out / name).unlink(missing_ok=True)


def _lines(path: Path) -> list[str]:
    """The whole lines of a file; what a kill tore off at its end is no line."""
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return []
    return text.split("\n")[:-1]


def write_atomically(path: Path, text: str) -> None:
    """All of a file or nothing of it, durable when this returns."""
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(beside, path)


# --- workers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """A graded line and the digest of what was graded, or why the grader failed."""

    line: str | None
    digest: str = ""
    failure: str = ""


def _grade_one(exercises: Sequence[Exercise], learner: SubmissionFolder, box: Box) -> Answer:
    """One submission; what goes wrong in the grader is its own failure, for this one alone."""
    try:
        submission = read(learner, [exercise.stem for exercise in exercises])
        result = grade(exercises, submission, box)
        return Answer(jsonl.to_line(result), digest(submission))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Answer(
            None,
            failure=f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})",
        )


def _answers(
    order: Class, exercises: Sequence[Exercise], todo: Sequence[SubmissionFolder]
) -> Iterator[tuple[str, Answer]]:
    """Each submission's answer as it comes: in this process, or from several workers."""
    jobs = min(order.jobs, len(todo))
    if jobs > 1:
        yield from _Pool(order.limits, order.proof.level, jobs).answers(todo)
        return
    with Box(order.limits, order.proof.level) as box:
        for learner in todo:
            yield learner.name, _grade_one(exercises, learner, box)


class _Pool:
    """Grading processes, each with a box of its own. One that dies is replaced."""

    def __init__(self, limits: Limits, level: str, jobs: int) -> None:
        self._limits, self._level, self._jobs = limits, level, jobs
        self._context = mp.get_context("spawn")  # a fork would hand each worker the others' pipes
        self._workers: dict[Connection, Any] = {}

    def answers(self, todo: Sequence[SubmissionFolder]) -> Iterator[tuple[str, Answer]]:
        waiting = [(learner, 1) for learner in reversed(todo)]
        busy: dict[Connection, tuple[SubmissionFolder, int]] = {}
        try:
            for _ in range(self._jobs):
                self._start()
            while waiting or busy:
                for idle in [connection for connection in self._workers if connection not in busy]:
                    if waiting:
                        busy[idle] = waiting.pop()
                        idle.send(busy[idle][0])
                for ready in wait(list(busy)):
                    assert isinstance(ready, Connection)
                    learner, tries = busy.pop(ready)
                    try:
                        yield learner.name, ready.recv()
                    except (EOFError, OSError):
                        self._workers.pop(ready).join()
                        self._start()
                        if tries < _TRIES:
                            waiting.append((learner, tries + 1))
                        else:
                            yield (
                                learner.name,
                                Answer(None, failure="its grading process ended twice"),
                            )
        finally:
            self._stop()

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        worker = self._context.Process(
            target=_work, args=(theirs, self._limits, self._level), daemon=True
        )
        worker.start()
        theirs.close()
        self._workers[ours] = worker

    def _stop(self) -> None:
        for connection, worker in self._workers.items():
            connection.close()
            worker.join(2)
            if worker.is_alive():
                worker.kill()
                worker.join()


def _work(connection: Connection, limits: Limits, level: str) -> None:
    """A grading process: submissions come in, answers go out, until the other end closes."""
    exercises = course.load()
    with (
        contextlib.suppress(EOFError, KeyboardInterrupt, BrokenPipeError),
        Box(limits, level) as box,
    ):
        while True:
            connection.send(_grade_one(exercises, connection.recv(), box))


# --- what is written ---------------------------------------------------------------------


def _write(order: Class, exercises: Sequence[Exercise], run: Run, started: float) -> None:
    out = order.out
    names = [result.submission for result in run.results]
    write_atomically(
        out / "grades.csv", csv.render(run.results, [e.id for e in exercises], run.failures)
    )
    folders = safe_names(names)
    titles = {exercise.id: exercise.title for exercise in exercises}
    for result in run.results:
        folder = out / "feedback" / folders[result.submission]
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / "index.html", html.page(result, order.proof.warning, titles))
    write_atomically(out / "run.json", json.dumps(_record(order, run, started), indent=2) + "\n")
    Ledger.finish(out, [jsonl.to_line(result) for result in run.results], set(names))


def _record(order: Class, run: Run, started: float) -> Mapping[str, Any]:
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 2),
        "submissions": len(run.results) + len(run.failures),
        "kept": run.kept,
        "jobs": order.jobs,
        "limits": {"seconds": order.limits.seconds, "memory": order.limits.memory},
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "isolation": order.proof.as_json(),
        "failures": run.failures,
    }
