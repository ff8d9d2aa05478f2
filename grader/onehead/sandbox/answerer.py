"""Whatever answers questions about a learner's code, in whichever process it runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from onehead import wire
from onehead.model import Error
from onehead.sandbox.answers import (
    Answers,
    Run,
    encoded,
    encoded_all,
    merged,
    names_among,
    read_run,
)
from onehead.sandbox.layers import Layers
from onehead.sandbox.questions import Dead, Question, Reply, Step
from onehead.wire import Breach


class Answerer(ABC):
    """Questions for a learner's code. A subclass carries a request over, and an answer back."""

    def __init__(self) -> None:
        self.layers = Layers()  # those of the question that is being asked

    @abstractmethod
    def exchange(
        self, request: Mapping[str, Any], body: bytes = b""
    ) -> tuple[dict[str, Any], wire.Decoder]:
        """One request, the calls of layers that it leads to, and its answer. Raises Dead."""

    @abstractmethod
    def close(self) -> None:
        """Ends what answers, where it is ours to end."""

    @contextmanager
    def believing_nothing(self) -> Iterator[None]:
        """Around reading an answer: a breach of the protocol is the end."""
        try:
            yield
        except Breach:
            self.close()
            raise Dead("crashed") from None

    def run_cell(self, name: str, source: str, magics: bool) -> Error | None:
        """Runs one cell in the module; the error that ended it, if any. Raises Dead."""
        (error,) = self.run_cells([(name, source)], magics)
        return error

    def run_cells(self, cells: Sequence[tuple[str, str]], magics: bool) -> tuple[Error | None, ...]:
        """Runs cells, (name, source) each, in the module; the error that ended each. Raises Dead.

        All of them have the time of one call.
        """
        sources = [source.encode("utf-8", "surrogatepass") for _, source in cells]
        sizes = [[name, len(source)] for (name, _), source in zip(cells, sources, strict=True)]
        request = {"do": "cells", "cells": sizes, "magics": magics}
        header, decoder = self.exchange(request, b"".join(sources))
        with self.believing_nothing():
            nodes = header.get("errors")
            if type(nodes) is not list or len(nodes) != len(cells):
                raise Breach("not one ending for each cell")
            errors = tuple(decoder.result(node) for node in nodes)
            if not all(error is None or isinstance(error, Error) for error in errors):
                raise Breach("no error")
        # A cell may have answered in the worker's place. Then the worker's own answer comes on
        # top, and ends the child now and not when another cell is at work.
        self.defined([])
        return errors

    def defined(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the names that the module defines. Raises Dead."""
        header, _ = self.exchange({"do": "names", "names": list(names)})
        with self.believing_nothing():
            return names_among(header.get("names"), names)

    def ask(self, steps: Sequence[Step], again: bool, turn: int | None = None) -> Reply:
        """Runs the steps; with ``again`` twice, looking at inputs and memory, as a question does.

        The second run follows after the arrays of the first results were overwritten. Each run is
        one call by the clock. Raises Dead.
        """
        self.layers = Layers()
        encoder = wire.Encoder(self.layers.proxy, keeps_order=True)
        request = {"do": "ask", "steps": [encoded(step, encoder) for step in steps], "turn": turn}
        first = self._run(request, bytes(encoder.body), steps)
        runs = [first]
        if Question(tuple(steps), again).repeats:
            runs.append(self._run({"do": "repeat"}, b"", steps))
        self.layers = Layers()
        return merged(runs)

    def ask_all(self, questions: tuple[Question, ...]) -> Answers | None:
        """Asks many questions at once, in the time of one call; None if that is too much for one.

        Raises Dead.
        """
        self.layers = Layers()
        asked, body = encoded_all(questions)
        header, decoder = self.exchange({"do": "ask_all", "questions": asked}, body)
        with self.believing_nothing():
            told = header.get("replies")
            if type(told) is not list or (told and len(told) != len(questions)):
                raise Breach("not one reply for each question")
        return Answers(self.believing_nothing, questions, told, decoder.body) if told else None

    def _run(self, request: Mapping[str, Any], body: bytes, steps: Sequence[Step]) -> Run:
        header, decoder = self.exchange(request, body)
        with self.believing_nothing():
            run = read_run(header, decoder, steps)
            decoder.finish()
            if run.results is None and request["do"] == "ask":
                raise Breach("no results")
            return run
