"""Grading processes: submissions go in, answers come out as they are ready."""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing as mp
import os
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from onehead import course, overrides
from onehead.errors import OneheadError
from onehead.grade import grade
from onehead.model import Exercise, Result
from onehead.overrides import Decision
from onehead.reports import html, jsonl
from onehead.sandbox import Box, Limits, SandboxError
from onehead.submission import Submission, SubmissionFolder, read

Answers = list[tuple[str, "Answer"]]  # by submission, those that are ready together

_TRIES = (
    2  # a submission whose worker dies is tried once more, alone, before it counts as a failure
)


@dataclass(frozen=True)
class How:
    """How code is run: limits, the isolation level that was proved, and the warning it needs."""

    limits: Limits
    level: str
    warning: str = ""
    decisions: tuple[Decision, ...] = ()  # the instructor's own, which pages show


@dataclass(frozen=True)
class Answer:
    """A graded line, the digest of what was graded and the feedback page, or why there is none.

    Processor seconds: of the grader, and of the learner's processes.
    """

    line: str | None
    digest: str = ""
    page: str = ""
    failure: str = ""
    grader_seconds: float = 0.0
    learner_seconds: float = 0.0


def digest(submission: Submission) -> str:
    """What a submission's files held: of unchanged files, an earlier result holds."""
    text = json.dumps(
        {stem: [s.status, s.digest, s.message] for stem, s in submission.sources.items()}
    )
    return hashlib.sha256(text.encode()).hexdigest()


def grade_one(
    exercises: Sequence[Exercise],
    learner: SubmissionFolder | Submission,
    box: Box,
    warning: str = "",
    decisions: Sequence[Decision] = (),
) -> Answer:
    """One submission; what goes wrong in the grader is its own failure, for this one alone."""
    started, learners_before = time.process_time(), box.cpu_seconds
    try:
        submission = learner
        if isinstance(submission, SubmissionFolder):
            submission = read(submission, [exercise.stem for exercise in exercises])
        result = _graded(exercises, submission, box)
        titles = {exercise.id: exercise.title for exercise in exercises}
        shown = overrides.applied(result, decisions)
        line, page = jsonl.to_line(result), html.page(shown, warning, titles)
    except Exception as error:
        return failed(error)
    seconds = time.process_time() - started, box.cpu_seconds - learners_before
    return Answer(line, digest(submission), page, "", *seconds)


def failed(error: Exception) -> Answer:
    """No answer, with what went wrong in the grader and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return Answer(None, failure=f"{type(error).__name__}: {error} ({where})")


def _graded(exercises: Sequence[Exercise], submission: Submission, box: Box) -> Result:
    """The result; where a sandbox fails, which may be somebody's SIGKILL, a second try's."""
    try:
        return grade(exercises, submission, box)
    except SandboxError:
        box.close()
        return grade(exercises, submission, box)


def answers(
    how: How, exercises: Sequence[Exercise], todo: Sequence[SubmissionFolder], jobs: int
) -> Iterator[Answers]:
    """Each submission's answer as it comes: in this process, or from several workers."""
    jobs = min(jobs, len(todo))
    if jobs > 1:
        yield from _Pool(how, jobs).answers(todo)
        return
    with Box(how.limits, how.level) as box:
        for learner in todo:
            answer = grade_one(exercises, learner, box, how.warning, how.decisions)
            yield [(learner.name, answer)]


def context(method: str) -> Any:
    """How processes are started. None looks for modules in the current folder.

    ``python -c``, which starts them, would: and there a learner's file may bear any name.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    return mp.get_context(method)


class _Pool:
    """Grading processes, each with a box of its own. One that dies is replaced."""

    def __init__(self, how: How, jobs: int) -> None:
        self._how, self._jobs = how, jobs
        # Workers are forked from a process that has loaded the course, and holds nobody's pipes.
        self._context = context("forkserver")
        self._context.set_forkserver_preload(["__main__", "onehead.preloaded"])
        self._workers: dict[Connection, Any] = {}
        self._given: dict[Connection, deque[tuple[SubmissionFolder, int]]] = {}

    def answers(self, todo: Sequence[SubmissionFolder]) -> Iterator[Answers]:
        waiting = [(learner, 1) for learner in reversed(todo)]
        try:
            for _ in range(self._jobs):
                self._start()
            while waiting or any(self._given.values()):
                self._hand_out(waiting)
                for ready in wait([each for each, given in self._given.items() if given]):
                    assert isinstance(ready, Connection)
                    learner, tries = self._given[ready].popleft()
                    try:
                        yield [(learner.name, ready.recv())]
                    except (EOFError, OSError):
                        waiting += reversed(self._given.pop(ready))  # it has not come to these
                        self._workers.pop(ready).join()
                        self._start()
                        if tries < _TRIES:
                            waiting.append((learner, tries + 1))
                        else:
                            answer = Answer(None, failure="its grading process ended twice")
                            yield [(learner.name, answer)]
        finally:
            self._stop()

    def _hand_out(self, waiting: list[tuple[SubmissionFolder, int]]) -> None:
        """Something to do for each worker, from the end of the list.

        And the next thing, while there is more than enough for all.
        """
        for ahead, left in ((1, 0), (2, len(self._workers))):
            for worker, given in self._given.items():
                if len(waiting) > left and len(given) < ahead:
                    given.append(waiting.pop())
                    with contextlib.suppress(OSError):  # it has died: found out when it is read
                        worker.send(given[-1][0])

    def _start(self) -> None:
        """One more worker.

        Raises:
            OneheadError: the machine lets none start.
        """
        for last_try in (False, True):
            ours, theirs = self._context.Pipe()
            worker = self._context.Process(target=_work, args=(theirs, self._how), daemon=True)
            try:
                worker.start()
            except (EOFError, OSError) as error:  # somebody may have killed what it is forked from
                ours.close()
                if last_try:
                    raise OneheadError(
                        f"can't start a grading process ({error or 'it ended at once'}): go on "
                        "with --jobs 1, or set TMPDIR to a folder with a short path"
                    ) from error
            else:
                self._workers[ours], self._given[ours] = worker, deque()
                return
            finally:
                theirs.close()

    def _stop(self) -> None:
        for connection, worker in self._workers.items():
            connection.close()
            worker.join(2)
            if worker.is_alive():
                worker.kill()
                worker.join()


def _work(connection: Connection, how: How) -> None:
    """A grading process: submissions come in, answers go out, until the other end closes."""
    exercises = course.load()
    with (
        contextlib.suppress(EOFError, ConnectionError, KeyboardInterrupt),  # the other end is gone
        Box(how.limits, how.level) as box,
    ):
        while True:
            learner = connection.recv()
            connection.send(grade_one(exercises, learner, box, how.warning, how.decisions))
