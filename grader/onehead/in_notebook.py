"""``check()`` in a learner's own notebook: the public checks of one part, in the notebook's kernel.

The kernel is the learner's own, so nothing is isolated and nothing is secret: the questions are
those of a graded run, put to the notebook's namespace by the code that a sandboxed child runs.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from onehead import checking, course, explain, standing, wire, worker
from onehead.errors import OneheadError
from onehead.grade import drawn, grade_part
from onehead.model import Error, Exercise, Part, PartResult, lesson
from onehead.nbgrader_cell import NamespaceSession, show
from onehead.render import html, text
from onehead.render.document import Block, Document, Items, Paragraph
from onehead.sandbox import Answerer, Box, Limits, Reply, Step
from onehead.session import Session
from onehead.source import Source


class _Link(worker.Link):
    """Both ends of the protocol in one process: an answer is kept, a proxy's call is answered."""

    def __init__(self, child: Here) -> None:
        self._child = child
        self.nonce = "here"
        self.answer: tuple[dict[str, Any], bytes] = ({}, b"")

    def send(self, fields: str, body: bytes = b"") -> None:
        header = json.loads(f"{{{fields}}}")
        if "proxy" in header:
            frame = self._child.layers.answer(self.nonce, header["proxy"], body)
            size, _ = struct.unpack("<II", frame[:8])
            self.answer = (json.loads(frame[8 : 8 + size]), frame[8 + size :])
        else:
            self.answer = (header, body)

    def receive(self) -> tuple[dict[str, Any], bytes]:
        return self.answer


class Here(Answerer):
    """The notebook's own kernel, asked as a child is."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__()
        self._link = _Link(self)
        self._session = NamespaceSession(self._link, namespace)

    def exchange(
        self, request: Mapping[str, Any], body: bytes = b""
    ) -> tuple[dict[str, Any], wire.Decoder]:
        plain = json.loads(json.dumps(request))
        self.layers.calls = 0
        getattr(self._session, request["do"])(plain, body)
        header, answer = self._link.answer
        return header, wire.Decoder(answer)

    def ask(self, steps: Sequence[Step], again: bool, turn: int | None = None) -> Reply:
        reply = super().ask(steps, again, turn)
        if any(isinstance(r, Error) and r.type == "KeyboardInterrupt" for r in reply.results):
            raise KeyboardInterrupt
        return reply

    def close(self) -> None:
        """The kernel goes on."""


class _Notebook(Session):
    """A session whose cells the kernel has run."""

    can_start_again = False

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__(Source("ok", notebook=True), Box(Limits()))
        self._child = Here(namespace)


def check(name: str, namespace: dict[str, Any], hints: int = 0) -> None:
    """Run the public checks of the part ``name`` on what a notebook has defined so far.

    Shows what is right and the first cause of what is not, with so many of its three hints open.
    Under ``nbgrader validate`` a wrong
    answer raises AssertionError as well, since only an error makes nbgrader say so; while nbgrader
    grades, nothing is printed and nothing is asked.

    Raises:
        OneheadError: no part has that name.
    """
    execution = os.environ.get("NBGRADER_EXECUTION")
    if execution == "autograde":
        return
    exercises = course.load()
    exercise, part = find_part(exercises, name, namespace)
    result = check_part(exercise, part, namespace)
    right = explain.is_right(result)
    next_ = Paragraph(_whats_next(exercise, part) if right else explain.PUBLIC)
    last = (*_reasons(part, result, namespace), next_)
    if execution is None:
        last += _kept(exercises, exercise, result)
    how = f"check({json.dumps(name)}, hints={hints + 1})"
    folded = (*explain.part_document(result, opened=hints), *last)
    flat = (*explain.part_document(result, opened=hints, how=how), *last)
    show(html.render(folded), text.encodable(text.render(flat), sys.stdout))
    if execution == "validate" and not right:
        raise AssertionError(explain.summary(result))


def progress() -> None:
    """Show how much of the chapter is done, what comes next, and what comes back."""
    if os.environ.get("NBGRADER_EXECUTION"):
        return
    exercises, folder = course.load(), Path.cwd()
    said: Document
    if standing.here(exercises, folder):
        said = standing.document(exercises, standing.note(folder, exercises, ()))
    else:
        said = (Paragraph(f"No notebook of the course is in {folder}: no progress is kept."),)
    show(html.render(said), text.encodable(text.render(said), sys.stdout))


def _kept(
    exercises: Sequence[Exercise], exercise: Exercise, result: PartResult
) -> tuple[Paragraph, ...]:
    """Keep how a part stands beside its notebook; what is to be said of it, mostly nothing."""
    folder = Path.cwd()
    if not standing.here((exercise,), folder):
        return ()
    try:
        standing.note(folder, exercises, [(exercise, (result,))])
    except OneheadError as error:
        return (Paragraph(str(error)),)
    return ()


def _whats_next(exercise: Exercise, part: Part) -> str:
    rest = exercise.parts[exercise.parts.index(part) + 1 :]
    following = (
        f"Next: {rest[0].name}."
        if rest
        else f"That was the last part of {lesson(exercise.id)}; progress() shows what is open."
    )
    return f"{explain.PUBLIC} {following}"


def _reasons(part: Part, result: PartResult, namespace: Mapping[str, Any]) -> Iterator[Block]:
    """Why answers that are right are right."""
    if part.reasons is None or result.status != "graded" or result.form_only:
        return
    open_ = {finding.check for finding in result.findings}
    right = [q for p in part.pointers if p.name not in open_ for q in p.questions]
    if right:
        reasons = part.reasons(namespace[part.defined_as])
        yield Items(tuple(f"{question}: {reasons[question]}" for question in right))


def find_part(
    exercises: Sequence[Exercise], name: str, namespace: Mapping[str, Any]
) -> tuple[Exercise, Part]:
    """The part of that name; of several, that of the exercise which the notebook looks like."""
    found = [(e, part) for e in exercises for part in e.parts if part.name == name]
    if not found:
        raise OneheadError(f"no part is called {name!r}: give the name that stands over the stub")
    return max(found, key=lambda pair: sum(p.defined_as in namespace for p in pair[0].parts))


def check_part(exercise: Exercise, part: Part, namespace: dict[str, Any]) -> PartResult:
    """The result of a part's public checks."""
    session = _Notebook(namespace)
    learner = session.learner() if exercise.draws else None
    asked = drawn(checking.public_part(part), learner)
    if not asked.cases:
        raise OneheadError(f"{part.name} has no public check: it is graded when it is handed in")
    return checking.without_answers(part, grade_part(asked, session))
