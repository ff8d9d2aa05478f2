"""Learner code in a process of its own: one child per exercise, asked over pipes.

A ``Box`` owns a zygote (``worker.py``), which forks a ``Child`` for each exercise. The grader
keeps every clock and every cap: it reads the child's processor time itself, checks each frame
before it reads on, and kills through a pidfd. Whatever a child does, its caller sees an answer or
``Dead``; ``SandboxError`` is the grader's own failure and never the learner's.

>>> with Box(Limits()) as box, box.child("__main__", Budget(box.limits)) as child:
...     child.run_cell("cell 1", "def double(x): return 2 * x", magics=True)
...     child.ask([Step("call", "double", (("x", 21),))], again=True).results
(42,)
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

import numpy as np

from . import bubblewrap, wire
from .errors import OneheadError
from .model import Error, Notes, Opaque
from .wire import Breach, Missing

__all__ = [
    "Answers",
    "Box",
    "Budget",
    "Child",
    "Dead",
    "Death",
    "Limits",
    "Missing",
    "Question",
    "Reply",
    "SandboxError",
    "Step",
]

CALL_SHARE = 0.1  # of an exercise's budget, for one call
WALL_PER_CPU = 5.0  # wall time is only the backstop
CHECK_EVERY_MS = 20
CHUNK_BYTES = 64 * 1024
LAST_SECOND_MS = 1000
PF_EXITING = 4  # proc(5): the flags in /proc/PID/stat
START_SECONDS = 60.0
ANSWER_SECONDS = 20.0  # for a zygote, which a child may have stopped
OUT_OF_MEMORY = 77  # exit status of a worker whose own bookkeeping found no memory
ANSWER_BYTES = 32 * 2**20  # of an exercise: answers are kept until their part is judged
PROXY_CALLS = 2000
PROXY_ENTRIES = 4096
PROXY_SCORES = 2**20  # B * T * T of the arguments together

Death = Literal["timed-out", "crashed", "out-of-memory"]


@dataclass(frozen=True)
class Limits:
    """``seconds`` of processor time for an exercise; ``memory`` in MB above the interpreter."""

    seconds: float = 20.0
    memory: int = 1024


@dataclass(frozen=True)
class Step:
    """One thing to ask for: ``do`` is "call", "value", "new", "method" or "attr".

    ``args`` are (argument name, value) pairs in positional order. ``of`` is the index of the
    "new" step whose object a "method" or "attr" step asks.
    """

    do: str
    name: str = ""
    args: tuple[tuple[str, Any], ...] = ()
    of: int = 0


@dataclass(frozen=True, eq=False)
class Question:
    """Steps to run, and whether to run them again to look at inputs, memory and state."""

    steps: tuple[Step, ...]
    again: bool = False

    @property
    def repeats(self) -> bool:
        return self.again and any(step.do in ("call", "method") for step in self.steps)


@dataclass(frozen=True)
class Reply:
    """A result for each step, and those of the second run where they differ from the first."""

    results: tuple[Any | Error | Missing, ...]
    again: tuple[tuple[Any | Error | Missing, ...], ...] = ()
    notes: Notes = field(default_factory=Notes)


class Dead(Exception):
    """The child is gone. What it held is lost; the caller may open another."""

    def __init__(self, status: Death) -> None:
        super().__init__(status)
        self.status: Death = status


class SandboxError(Exception):
    """The sandbox itself failed: never the learner's fault, never a mark."""


class Budget:
    """What is left of one exercise's seconds and answers, shared by its successive children."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.cpu = limits.seconds
        self.wall = limits.seconds * WALL_PER_CPU
        self.answers = ANSWER_BYTES

    def spend(self, cpu: float, wall: float) -> None:
        self.cpu -= cpu
        self.wall -= wall

    def take(self, answer: int) -> None:
        """Raises Dead for an answer of more bytes than are left; a smaller one may follow."""
        if answer > self.answers:
            raise Dead("out-of-memory")
        self.answers -= answer

    @property
    def spent(self) -> bool:
        return self.cpu <= 0 or self.wall <= 0


class _Clock:
    """The time of one call, charged to its exercise at the end.

    ``check`` raises Dead when the call or the exercise has none left. The child's own clock can be
    read until it is reaped.
    """

    def __init__(self, cpu_clock: int, budget: Budget) -> None:
        self._cpu_clock, self._budget = cpu_clock, budget
        share = budget.limits.seconds * CALL_SHARE
        self._cpu = time.clock_gettime(cpu_clock)
        self._wall = time.monotonic()
        self._cpu_due = self._cpu + min(share, budget.cpu)
        self._wall_due = self._wall + min(share * WALL_PER_CPU, budget.wall)

    def _read(self) -> float:
        return time.clock_gettime(self._cpu_clock)

    def check(self) -> None:
        if self._read() >= self._cpu_due or time.monotonic() >= self._wall_due:
            raise Dead("timed-out")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._budget.spend(self._read() - self._cpu, time.monotonic() - self._wall)


class Box:
    """One worker slot. Starts its zygote when first needed, and again when it died."""

    def __init__(self, limits: Limits, level: str = "process") -> None:
        self.limits, self.level = limits, level
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self.landlock_abi = 0  # of the zygote that runs, like the next
        self.namespaces: tuple[str, ...] = ()
        self.cpu_seconds = 0.0  # of all children that have ended
        self._bare = 0  # bytes of address space of a child that has loaded nothing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._zygote is not None:
            self._zygote.kill()
            self._zygote.wait()
        self._zygote = self._control = None

    def child(self, module: str, budget: Budget) -> Child:
        """A fresh, locked child whose cells run in a module of that name.

        Raises Dead when the budget is spent, SandboxError when no child can be made.
        """
        if budget.spent:
            raise Dead("timed-out")
        for last_try in (False, True):
            try:
                return Child(self, module, budget)
            except OSError as error:  # an earlier child may have killed the zygote
                self.close()
                if last_try:
                    raise SandboxError(f"no worker: {error}") from error
        raise AssertionError

    def fork(self, requests: int, answers: int) -> int:
        """A child that holds the two pipes' ends, as a pidfd."""
        if self._control is None:
            self._start()
        assert self._control is not None
        socket.send_fds(self._control, [b"fork"], [requests, answers])
        message, pidfds, _, _ = socket.recv_fds(self._control, 64, 1)
        if message != b"forked" or len(pidfds) != 1:
            raise OSError("the worker's first process has ended")
        return pidfds[0]

    def reap(self) -> int | None:
        """The exit status of the child, which has been killed; None if the zygote is gone."""
        try:
            assert self._control is not None
            self._control.send(b"reap")
            status, seconds = self._control.recv(64).split()
            self.cpu_seconds += float(seconds)
            return int(status)
        except (OSError, ValueError):
            self.close()
            return None

    def address_space(self, pid: int) -> int:
        """What a child may map in all, in bytes."""
        if not self._bare:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
            self._bare = pages * os.sysconf("SC_PAGE_SIZE")
        return self._bare + self.limits.memory * 1024 * 1024

    def _start(self) -> None:
        if sys.platform != "linux":
            raise OneheadError(
                "learners' files are run on Linux alone: use a Linux virtual machine or WSL2; in a "
                "notebook, check() works everywhere"
            )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        info, their_info = os.pipe()
        with theirs, tempfile.TemporaryFile() as complaints:
            self._control = ours
            try:
                self._zygote = subprocess.Popen(
                    _command(self.level, theirs.fileno(), their_info),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=complaints,
                    env=_ENVIRONMENT,
                    pass_fds=[theirs.fileno(), their_info],
                    start_new_session=True,
                )
            except OSError as error:
                os.close(info)
                self.close()
                raise SandboxError(f"the worker does not start: {error}") from error
            finally:
                os.close(their_info)
            theirs.close()
            ours.settimeout(START_SECONDS)
            with open(info) as said:
                box = json.loads(said.read() or "{}") if self.level == "namespaces" else {}
            ready = ours.recv(4096)
            if not ready:
                self._zygote.wait(START_SECONDS)
                self.close()
                raise SandboxError(f"the worker does not start: {_last_line(complaints)}")
            ours.settimeout(ANSWER_SECONDS)
            self.landlock_abi = int(json.loads(ready)["landlock_abi"])
            self.namespaces = _own_namespaces(box.get("child-pid"))


class Child:
    """A learner's process. A context manager: at its exit the process is killed and reaped."""

    def __init__(self, box: Box, module: str, budget: Budget) -> None:
        self._box = box
        self._budget = Budget(Limits(START_SECONDS))  # of the start, which is not the learner's
        their_requests, self._requests = os.pipe()
        self._answers, their_answers = os.pipe()
        try:
            self._pidfd = box.fork(their_requests, their_answers)
        except BaseException:
            os.close(self._requests)
            os.close(self._answers)
            raise
        finally:
            os.close(their_requests)
            os.close(their_answers)
        os.set_blocking(self._requests, False)
        os.set_blocking(self._answers, False)
        self._pid = _pid_of(self._pidfd)
        self._cpu_clock = (~self._pid << 3) | 2  # clock_getcpuclockid(3)
        self._alive = True
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._callables: list[Any] = []
        self._proxy_calls = 0
        self._begin(module, int(budget.limits.seconds) + 2)
        self._budget = budget

    def _begin(self, module: str, seconds: int) -> None:
        """Locks the child. No learner code has run, so a failure here is the grader's."""
        address_space = self._box.address_space(self._pid)
        with contextlib.suppress(OSError):  # where memory runs out, the kernel takes it first
            Path(f"/proc/{self._pid}/oom_score_adj").write_text("1000")
        begin = {"module": module, "address_space": address_space, "seconds": seconds}
        try:
            self._exchange(begin)
        except Dead as dead:
            raise SandboxError(f"a child does not start ({dead.status})") from dead

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._alive:
            self._end()

    def _end(self, wait: bool = False) -> int | None:
        """Kills and reaps the child, once it is gone by itself if it is about to; its status."""
        self._alive = False
        ended = select.poll()
        ended.register(self._pidfd, select.POLLIN)
        patience = LAST_SECOND_MS if wait and _is_ending(self._pid) else 0
        self._ended_itself = bool(ended.poll(patience))
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        for descriptor in (self._requests, self._answers, self._pidfd):
            os.close(descriptor)
        return self._box.reap()

    # --- what can be asked

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
        header, decoder = self._exchange(request, b"".join(sources))
        with self._believing_nothing():
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
        header, _ = self._exchange({"do": "names", "names": list(names)})
        with self._believing_nothing():
            return _names_among(header.get("names"), names)

    def ask(self, steps: Sequence[Step], again: bool) -> Reply:
        """Runs the steps; with ``again`` twice, looking at inputs and memory.

        The second run follows after the arrays of the first results were overwritten. Each run is
        one call by the clock. Raises Dead.
        """
        self._callables = []
        encoder = wire.Encoder(self._proxy)
        request = {"do": "ask", "steps": [_encoded(step, encoder) for step in steps]}
        first = self._run(request, bytes(encoder.body), steps)
        runs = [first]
        if Question(tuple(steps), again).repeats:
            runs.append(self._run({"do": "repeat"}, b"", steps))
        self._callables = []
        return _merged_runs(runs)

    def ask_all(self, questions: tuple[Question, ...]) -> Answers | None:
        """Asks many questions at once, in the time of one call; None if that is too much for one.

        Raises Dead.
        """
        self._callables = []
        asked, body = _encoded_all(questions)
        header, decoder = self._exchange({"do": "ask_all", "questions": asked}, body)
        with self._believing_nothing():
            told = header.get("replies")
            if type(told) is not list or (told and len(told) != len(questions)):
                raise Breach("not one reply for each question")
        return Answers(self, questions, told, decoder.body) if told else None

    def _run(self, request: Mapping[str, Any], body: bytes, steps: Sequence[Step]) -> _Run:
        header, decoder = self._exchange(request, body)
        with self._believing_nothing():
            run = _read_run(header, decoder, steps)
            decoder.finish()
            if run.results is None and request["do"] == "ask":
                raise Breach("no results")
            return run

    # --- frames, clocks, deaths

    def _exchange(
        self, request: Mapping[str, Any], body: bytes = b""
    ) -> tuple[dict[str, Any], wire.Decoder]:
        """One request, the calls of proxies that it leads to, and its answer."""
        if not self._alive:
            raise Dead("crashed")
        nonce = secrets.token_hex(8)
        self._proxy_calls = 0
        try:
            with _Clock(self._cpu_clock, self._budget) as clock:
                if self._poll.poll(0):
                    raise Breach("an answer before the request")
                outgoing = wire.frame({"nonce": nonce, **request}, body)
                while True:
                    clock.check()  # a child may call layers without a pause
                    self._send(outgoing, clock)
                    header, answer = self._receive(nonce, clock)
                    if "proxy" not in header:
                        return header, wire.Decoder(answer)
                    outgoing = self._answer_proxy(nonce, header["proxy"], answer)
        except Dead:
            self._end()
            raise
        except Breach:
            self._end()
            raise Dead("crashed") from None
        except (EOFError, OSError):
            raise Dead(self._cause_of_death()) from None

    def _send(self, data: bytes, clock: _Clock) -> None:
        waiting = select.poll()
        waiting.register(self._requests, select.POLLOUT)
        waiting.register(self._answers, select.POLLIN)
        rest = memoryview(data)
        while rest:
            for descriptor, _ in waiting.poll(CHECK_EVERY_MS):
                if descriptor == self._answers:
                    raise Breach("an answer before the end of the request")
                rest = rest[os.write(self._requests, rest) :]
            if rest:
                clock.check()

    def _receive(self, nonce: str, clock: _Clock) -> tuple[dict[str, Any], bytes]:
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

    def _read(self, data: bytearray, count: int, clock: _Clock) -> None:
        """Read on until there are ``count`` bytes; some more may come with them."""
        while len(data) < count:
            ready = self._poll.poll(CHECK_EVERY_MS)
            clock.check()  # an answer may come drop by drop
            if not ready:
                continue
            chunk = os.read(self._answers, max(count - len(data), CHUNK_BYTES))
            if not chunk:
                raise EOFError
            data += chunk

    def _cause_of_death(self) -> Death:
        """Why the child's pipes have closed: it has ended, or is about to, or has closed them."""
        status = self._end(wait=True)
        if status is not None and os.WIFEXITED(status):
            return "out-of-memory" if os.WEXITSTATUS(status) == OUT_OF_MEMORY else "crashed"
        if status is not None and os.WTERMSIG(status) == signal.SIGXCPU:
            return "timed-out"
        killed = status is not None and os.WTERMSIG(status) == signal.SIGKILL
        if killed and self._ended_itself and self._box.level != "process":
            # No signal goes out of a locked child, not even to itself.
            raise SandboxError("a learner's process was killed from outside")
        return "crashed"

    def _believing_nothing(self) -> _BreachIsDeath:
        return _BreachIsDeath(self)

    # --- callables that stay here

    def _proxy(self, layer: Any) -> list[Any]:
        self._callables.append(layer)
        attributes = {name: getattr(layer, name) for name in getattr(layer, "proxy_attributes", ())}
        methods = ("__call__", *getattr(layer, "proxy_methods", ()))
        return [len(self._callables) - 1, attributes, list(methods)]

    def _answer_proxy(self, nonce: str, call: Any, body: bytes) -> bytes:
        """The frame that answers a proxy's call, with a value or the text of an error.

        Raises Breach for a call that no proxy makes, or one too many.
        """
        layer, method, args, kwargs = self._read_call(call, body)
        self._proxy_calls += 1
        if self._proxy_calls > PROXY_CALLS:
            return wire.frame({"nonce": nonce, "error": f"called more than {PROXY_CALLS} times"})
        if not _small_enough([*args, *kwargs.values()]):
            return wire.frame({"nonce": nonce, "error": "the arguments are too large"})
        encoder = wire.Encoder()
        try:
            with np.errstate(all="ignore"):
                called = layer if method == "__call__" else getattr(layer, method)
                value = called(*args, **kwargs)
            answer = {"nonce": nonce, "value": encoder.value(value)}
        except Exception as error:
            return wire.frame({"nonce": nonce, "error": str(error)[:500]})
        return wire.frame(answer, bytes(encoder.body))

    def _read_call(
        self, call: Any, body: bytes
    ) -> tuple[Any, str, tuple[Any, ...], dict[str, Any]]:
        if type(call) is not list or len(call) != 4:
            raise Breach("no call")
        number, method, args_node, kwargs_node = call
        if type(number) is not int or not 0 <= number < len(self._callables):
            raise Breach("no such callable")
        layer = self._callables[number]
        if method not in ("__call__", *getattr(layer, "proxy_methods", ())):
            raise Breach("no such method")
        decoder = wire.Decoder(body)
        args, kwargs = decoder.value(args_node), decoder.value(kwargs_node)
        decoder.finish()
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise Breach("no arguments")
        if not all(isinstance(name, str) for name in kwargs):
            raise Breach("no argument names")
        return layer, method, args, kwargs


class Answers:
    """What a child answered to many questions; believed once ``replies`` has read it."""

    def __init__(
        self, child: Child, questions: tuple[Question, ...], told: list[Any], body: bytes
    ) -> None:
        self._child, self._questions, self._told, self._body = child, questions, told, body

    @cached_property
    def seal(self) -> bytes:
        """The same for the same answers, and for no others."""
        text = wire.dumps(self._told).encode("ascii")
        return hashlib.sha256(b"%d %s %s" % (len(text), text, self._body)).digest()

    def replies(self) -> tuple[Reply, ...]:
        """A reply to each question. Raises Dead where they are none that an honest worker sends."""
        decoder = wire.Decoder(self._body)
        with self._child._believing_nothing():
            pairs = zip(self._told, self._questions, strict=True)
            runs = [_read_runs(told, decoder, question.steps) for told, question in pairs]
            decoder.finish()
        return tuple(map(_merged_runs, runs))


class _BreachIsDeath:
    """Around reading an answer: a breach of the protocol ends the child."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Breach):
            self._child.close()
            raise Dead("crashed") from None


@dataclass(frozen=True)
class _Run:
    results: tuple[Any, ...] | None  # None: the same as in the first run
    changed: tuple[str, ...]
    shares_input: tuple[str, ...]
    shares_earlier: bool
    warnings: tuple[str, ...]


def _read_run(header: Mapping[str, Any], decoder: wire.Decoder, steps: Sequence[Step]) -> _Run:
    names = [name for step in steps for name, _ in step.args]
    nodes, notes, warnings = header.get("results"), header.get("notes"), header.get("warnings", [])
    same = header.get("same", False) is True
    if type(nodes) is not list or len(nodes) != (0 if same else len(steps)):
        raise Breach("not one result for each step")
    if type(notes) is not dict or type(warnings) is not list or len(warnings) > 5:
        raise Breach("no notes")
    results = tuple(decoder.result(node) for node in nodes)
    return _Run(
        results=None if same else results,
        changed=_names_among(notes.get("changed"), names),
        shares_input=_names_among(notes.get("shares_input"), names),
        shares_earlier=header.get("shares_earlier") is True,
        warnings=tuple(wire.text(warning, 200) for warning in warnings),
    )


def _read_runs(runs: Any, decoder: wire.Decoder, steps: Sequence[Step]) -> list[_Run]:
    if type(runs) is not list or not 1 <= len(runs) <= 2 or any(type(r) is not dict for r in runs):
        raise Breach("no runs")
    read = [_read_run(run, decoder, steps) for run in runs]
    if read[0].results is None:
        raise Breach("no results")
    return read


def _merged_runs(runs: Sequence[_Run]) -> Reply:
    first = runs[0]
    assert first.results is not None
    return Reply(
        results=first.results,
        again=tuple(run.results for run in runs[1:] if run.results is not None),
        notes=Notes(
            changed=_merged(run.changed for run in runs),
            shares_input=_merged(run.shares_input for run in runs),
            shares_earlier=any(run.shares_earlier for run in runs),
            warnings=first.warnings,
        ),
    )


@lru_cache(maxsize=1024)
def _encoded_all(questions: tuple[Question, ...]) -> tuple[wire.Ready, bytes]:
    """Questions as they travel; a part's are the same for every learner of a class."""
    asked, body = [], bytearray()
    for question in questions:
        encoder = wire.Encoder()
        steps = [_encoded(step, encoder) for step in question.steps]
        asked.append({"steps": steps, "again": question.repeats, "bytes": len(encoder.body)})
        body += encoder.body
    return wire.Ready(asked), bytes(body)


def _encoded(step: Step, encoder: wire.Encoder) -> dict[str, Any]:
    args = [[name, encoder.value(value)] for name, value in step.args]
    return {"do": step.do, "name": step.name, "of": step.of, "args": args}


def _names_among(claimed: Any, names: Sequence[str]) -> tuple[str, ...]:
    if type(claimed) is not list or any(type(n) is not str or n not in names for n in claimed):
        raise Breach("no names")
    return tuple(dict.fromkeys(claimed))


def _merged(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def _small_enough(values: Sequence[Any]) -> bool:
    """Whether a layer may be called with these: few entries, and few scores to compute."""
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    others = [value for value in values if isinstance(value, list | tuple | dict | Opaque)]
    shapes = [[max(1, length) for length in array.shape] for array in arrays]
    if others or sum(map(math.prod, shapes)) > PROXY_ENTRIES:
        return False
    rows = [shape[:-1] for shape in shapes if len(shape) > 1]
    tokens = max((lengths[-1] for lengths in rows), default=1)
    items = math.prod(math.prod(lengths[:-1]) for lengths in rows)  # at most, once broadcast
    flat = max(map(math.prod, rows), default=1)  # a layer may take all items for one
    return max(items * tokens**2, flat**2) <= PROXY_SCORES


def _pid_of(pidfd: int) -> int:
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    raise SandboxError("a pidfd without a process id: /proc is not mounted")


def _is_ending(pid: int) -> bool:
    """Whether a process is past its last instruction: it has closed its files, or is about to."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return True
    return bool(int(fields[6]) & PF_EXITING)


# One thread in numpy's BLAS makes fork safe and sums reproducible; a fixed hash seed makes the
# order of sets the same for every zygote.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONPATH": str(Path(np.__file__).parents[1]),
}


def _command(level: str, control: int, info: int) -> list[str]:
    # Not -I, which would ignore PYTHONHASHSEED: the environment is ours as it is. -S, since what an
    # installed package may put on the path at start (.pth files) includes the grader's own folders.
    if level == "namespaces":
        python, folder = bubblewrap.command(info), Path(bubblewrap.BOX, "worker")
    else:
        python, folder = [sys.executable], Path(__file__).parent
    return [*python, "-P", "-S", "-X", "utf8", str(folder / "worker.py"), str(control), level]


def _own_namespaces(pid: int | None) -> tuple[str, ...]:
    """The kinds of namespaces that a process does not share with the grader."""
    kinds = {"user": "user", "pid": "pid", "net": "net", "mount": "mnt"} if pid else {}
    return tuple(
        kind
        for kind, link in kinds.items()
        if os.readlink(f"/proc/{pid}/ns/{link}") != os.readlink(f"/proc/self/ns/{link}")
    )


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
