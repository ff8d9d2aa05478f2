"""A process that is asked over a pair of pipes; the grader keeps every clock and every cap."""

from __future__ import annotations

import os
import secrets
import select
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from onehead import wire
from onehead.sandbox.answerer import Answerer
from onehead.sandbox.budget import Budget, Clock
from onehead.sandbox.questions import Dead, Death
from onehead.wire import Breach

_CHECK_EVERY_MS = 20
_CHUNK_BYTES = 64 * 1024


class Piped(Answerer):
    """Frames out and in; whatever the other side does, there is an answer or Dead."""

    def __init__(self, pid: int, requests: int, answers: int, budget: Budget) -> None:
        super().__init__()
        self._pid, self._requests, self._answers = pid, requests, answers
        self._budget = budget
        os.set_blocking(requests, False)
        os.set_blocking(answers, False)
        self._poll = select.poll()
        self._poll.register(answers, select.POLLIN)
        self._alive = True

    @abstractmethod
    def _stop(self) -> None:
        """Ends what the process does: it has had its time, or has broken the protocol."""

    @abstractmethod
    def _cause_of_death(self) -> Death:
        """Why its pipes have closed."""

    def exchange(
        self, request: Mapping[str, Any], body: bytes = b""
    ) -> tuple[dict[str, Any], wire.Decoder]:
        if not self._alive:
            raise Dead("crashed")
        nonce = secrets.token_hex(8)
        self.layers.calls = 0
        try:
            with Clock(self._pid, self._budget) as clock:
                for _, event in self._poll.poll(0):
                    if event & select.POLLIN:
                        raise Breach("an answer before the request")
                    raise EOFError  # it ended since the last request
                outgoing = wire.frame({"nonce": nonce, **request}, body)
                while True:
                    clock.check()  # a child may call layers without a pause
                    self._send(outgoing, clock)
                    header, answer = self._receive(nonce, clock)
                    if "proxy" not in header:
                        return header, wire.Decoder(answer)
                    outgoing = self.layers.answer(nonce, header["proxy"], answer)
        except Dead:
            self._stop()
            raise
        except Breach:
            self._stop()
            raise Dead("crashed") from None
        except (EOFError, OSError):
            raise Dead(self._cause_of_death()) from None

    def _send(self, data: bytes, clock: Clock) -> None:
        waiting = select.poll()
        waiting.register(self._requests, select.POLLOUT)
        waiting.register(self._answers, select.POLLIN)
        rest = memoryview(data)
        while rest:
            for descriptor, _ in waiting.poll(_CHECK_EVERY_MS):
                if descriptor == self._answers:
                    raise Breach("an answer before the end of the request")
                rest = rest[os.write(self._requests, rest) :]
            if rest:
                clock.check()

    def _receive(self, nonce: str, clock: Clock) -> tuple[dict[str, Any], bytes]:
        data = bytearray()
        self._read(data, wire.PREFIX_BYTES, clock)
        header_bytes, body_bytes = wire.lengths(bytes(data[: wire.PREFIX_BYTES]))
        start = wire.PREFIX_BYTES + header_bytes
        self._read(data, start + body_bytes, clock)
        header = wire.header(bytes(data[wire.PREFIX_BYTES : start]), nonce)
        if len(data) > start + body_bytes or self._poll.poll(0):
            raise Breach("more than an answer")
        if "proxy" not in header:
            self._budget.take(len(data))
        return header, bytes(data[start:])

    def _read(self, data: bytearray, count: int, clock: Clock) -> None:
        """Read on until there are ``count`` bytes; some more may come with them."""
        while len(data) < count:
            ready = self._poll.poll(_CHECK_EVERY_MS)
            clock.check()  # an answer may come drop by drop
            if not ready:
                continue
            chunk = os.read(self._answers, max(count - len(data), _CHUNK_BYTES))
            if not chunk:
                raise EOFError
            data += chunk
