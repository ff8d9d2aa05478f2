"""The process that grades a notebook's parts from inside nbgrader: it questions the kernel.

``nbgrader_cell.py`` starts it from a cell, as ``python -P -m onehead.questioner``. References and
hidden cases stay in this process; the kernel gets the same questions, over the same protocol, as
a sandboxed child does, and answers on this process's standard input. Unlike a child, the kernel is
neither locked nor killed: a call that takes too long is interrupted.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from onehead import course, explain, wire
from onehead.grade import drawn, grade_part
from onehead.model import Exercise, Part, PartResult
from onehead.render import html, text
from onehead.sandbox import Box, Budget, Death, Limits, Piped
from onehead.session import Session
from onehead.source import Source
from onehead.wording import NOT_REACHED

REQUESTS, ANSWERS = 1, 0  # descriptors, seen from here: what the kernel is asked, and its answers


class Kernel(Piped):
    """The kernel that started this process, asked as a child is."""

    @property
    def alive(self) -> bool:
        return self._alive

    def close(self) -> None:
        self._alive = False

    def _stop(self) -> None:
        """Interrupts what the kernel is doing."""
        self._alive = False
        os.kill(self._pid, signal.SIGINT)

    def _cause_of_death(self) -> Death:
        self._alive = False
        return "crashed"


class KernelSession(Session):
    """A session whose cells have been run already, by the kernel."""

    can_start_again = False

    def __init__(self, kernel: Kernel, budget: Budget) -> None:
        super().__init__(Source("ok", notebook=True), Box(budget.limits))
        self._budget = budget
        self._child = kernel


def grade_in_kernel(exercise: Exercise, part: Part, kernel: Kernel, budget: Budget) -> PartResult:
    """The marks that ``onehead grade`` gives to what the kernel's namespace holds now."""
    session = KernelSession(kernel, budget)
    learner = session.learner() if exercise.draws else None
    return grade_part(drawn(part, learner), session, explain=False)


def find_part(
    exercises: tuple[Exercise, ...], exercise_id: str, name: str
) -> tuple[Exercise, Part]:
    """The part of that name.

    Raises:
        KeyError: the installed course has no such exercise or part.
    """
    for exercise in exercises:
        for part in exercise.parts:
            if (exercise.id, part.name) == (exercise_id, name):
                return exercise, part
    raise KeyError(f"the installed course has no part {name!r} in {exercise_id!r}")


def _answer(exercises: tuple[Exercise, ...], asked: Mapping[str, Any]) -> dict[str, Any]:
    exercise, part = find_part(exercises, *asked["grade"])
    budget = Budget(Limits())
    kernel = Kernel(os.getppid(), REQUESTS, ANSWERS, budget)
    result = grade_in_kernel(exercise, part, kernel, budget)
    told = shown(part, result)
    return {
        "do": "done",
        "score": result.score,
        "html": html.render(explain.part_document(told, points=True)),
        "text": text.render(explain.part_document(told, opened=None, points=True)),
        "over": not kernel.alive,
    }


def shown(part: Part, result: PartResult) -> PartResult:
    """The result as a notebook may show it: of what is not public, that it is not right.

    nbgrader hands a hidden test's outputs to learners as they are.
    """
    findings = tuple(
        finding
        if finding.evidence is not None or finding.message.endswith(NOT_REACHED)
        else replace(finding, message=_HIDDEN if part.probe != "value" else _ANSWER)
        for finding in result.findings
    )
    return result if result.status != "graded" else replace(result, findings=findings)


_HIDDEN = "it shows in a case that is not public"
_ANSWER = "this answer is not right"


def _read(count: int) -> bytes:
    waiting = select.poll()
    waiting.register(ANSWERS, select.POLLIN)
    data = bytearray()
    while len(data) < count:
        waiting.poll()
        chunk = os.read(ANSWERS, count - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def _send(header: Mapping[str, Any]) -> None:
    waiting = select.poll()
    waiting.register(REQUESTS, select.POLLOUT)
    rest = memoryview(wire.frame({"nonce": "", **header}))
    while rest:
        waiting.poll()
        rest = rest[os.write(REQUESTS, rest) :]


def main() -> None:
    """Grade a part each time that the kernel asks for it, until the kernel is gone."""
    over = False
    try:
        exercises = course.load()
        while not over:
            header_bytes, body_bytes = wire.lengths(_read(wire.PREFIX_BYTES))
            asked = wire.header(_read(header_bytes), nonce="")
            _read(body_bytes)
            answer = _answer(exercises, asked)
            over = answer["over"]  # the kernel may still answer the question that it was stuck in
            _send(answer)
    except EOFError:
        return
    except Exception as error:  # the grader's failure: the kernel must not take it for a mark
        _send({"do": "failed", "message": f"{type(error).__name__}: {error}"[:500]})


if __name__ == "__main__":
    main()
