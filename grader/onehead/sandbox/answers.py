"""Reading what came back: whatever no honest worker sends is a Breach."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from onehead import wire
from onehead.model import Notes
from onehead.sandbox.questions import Question, Reply, Step
from onehead.wire import Breach


class Answers:
    """What a child answered to many questions; believed once ``replies`` has read it."""

    def __init__(
        self,
        believing_nothing: Callable[[], AbstractContextManager[None]],
        questions: tuple[Question, ...],
        told: list[Any],
        body: bytes,
    ) -> None:
        self._believing_nothing = believing_nothing
        self._questions, self._told, self._body = questions, told, body

    @cached_property
    def seal(self) -> bytes:
        """The same for the same answers, and for no others."""
        text = wire.dumps(self._told).encode("ascii")
        return hashlib.sha256(b"%d %s %s" % (len(text), text, self._body)).digest()

    def replies(self) -> tuple[Reply, ...]:
        """A reply to each question. Raises Dead where they are none that an honest worker sends."""
        decoder = wire.Decoder(self._body)
        with self._believing_nothing():
            pairs = zip(self._told, self._questions, strict=True)
            runs = [_read_runs(told, decoder, question.steps) for told, question in pairs]
            decoder.finish()
        return tuple(map(merged, runs))


@dataclass(frozen=True)
class Run:
    """What a child said of one run of a question's steps."""

    results: tuple[Any, ...] | None  # None: the same as in the first run
    changed: tuple[str, ...]
    shares_input: tuple[str, ...]
    shares_earlier: bool
    warnings: tuple[str, ...]


def read_run(header: Mapping[str, Any], decoder: wire.Decoder, steps: Sequence[Step]) -> Run:
    names = [name for step in steps for name, _ in step.args]
    nodes, notes, warnings = header.get("results"), header.get("notes"), header.get("warnings", [])
    same = header.get("same", False) is True
    if type(nodes) is not list or len(nodes) != (0 if same else len(steps)):
        raise Breach("not one result for each step")
    if type(notes) is not dict or type(warnings) is not list or len(warnings) > 5:
        raise Breach("no notes")
    results = tuple(decoder.result(node) for node in nodes)
    return Run(
        results=None if same else results,
        changed=names_among(notes.get("changed"), names),
        shares_input=names_among(notes.get("shares_input"), names),
        shares_earlier=header.get("shares_earlier") is True,
        warnings=tuple(wire.text(warning, 200) for warning in warnings),
    )


def _read_runs(runs: Any, decoder: wire.Decoder, steps: Sequence[Step]) -> list[Run]:
    if type(runs) is not list or not 1 <= len(runs) <= 2 or any(type(r) is not dict for r in runs):
        raise Breach("no runs")
    read = [read_run(run, decoder, steps) for run in runs]
    if read[0].results is None:
        raise Breach("no results")
    return read


def merged(runs: Sequence[Run]) -> Reply:
    first = runs[0]
    assert first.results is not None
    return Reply(
        results=first.results,
        again=tuple(run.results for run in runs[1:] if run.results is not None),
        notes=Notes(
            changed=_union(run.changed for run in runs),
            shares_input=_union(run.shares_input for run in runs),
            shares_earlier=any(run.shares_earlier for run in runs),
            warnings=first.warnings,
        ),
    )


@lru_cache(maxsize=1024)
def encoded_all(questions: tuple[Question, ...]) -> tuple[wire.Ready, bytes]:
    """Questions as they travel; a part's are the same for every learner of a class."""
    asked, body = [], bytearray()
    for question in questions:
        encoder = wire.Encoder(keeps_order=True)
        steps = [encoded(step, encoder) for step in question.steps]
        size = len(encoder.body)
        again, turn = question.repeats, question.turn
        asked.append({"steps": steps, "again": again, "turn": turn, "bytes": size})
        body += encoder.body
    return wire.Ready(asked), bytes(body)


def encoded(step: Step, encoder: wire.Encoder) -> dict[str, Any]:
    args = [[name, encoder.value(value)] for name, value in step.args]
    return {"do": step.do, "name": step.name, "of": step.of, "args": args}


def names_among(claimed: Any, names: Sequence[str]) -> tuple[str, ...]:
    if type(claimed) is not list or any(type(n) is not str or n not in names for n in claimed):
        raise Breach("no names")
    return tuple(dict.fromkeys(claimed))


def _union(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))
