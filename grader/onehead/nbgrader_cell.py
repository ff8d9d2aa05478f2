"""What a hidden test of an nbgrader notebook calls: it has a part graded and returns the points.

The references stay in a process of their own (``questioner.py``), which asks this kernel over the
plain-data protocol. nbgrader runs notebooks in this very kernel, so its way is not isolated: a
submission that wants to forge its marks can. ``onehead grade`` is the way for those.

nbgrader reads a cell's marks from its outputs: an error or anything on stderr is 0 points, and a
first result that is no number is full marks. So a learner's output is held back meanwhile, the
result is a builtin float, and where the grader itself fails the kernel is ended: nbgrader then
reports the notebook as failed, and nobody gets a 0 that is not theirs.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import struct
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any, NoReturn

from onehead import worker

_questioner: subprocess.Popen[bytes] | None = None


class _Link(worker.Link):
    """The pipes to the questioner, which is this kernel's child and not its parent."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._answers, self._requests = process.stdin.fileno(), process.stdout.fileno()

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            chunk = os.read(self._requests, count - len(data))
            if not chunk:
                raise EOFError("it said nothing")
            data += chunk
        return bytes(data)

    def send(self, fields: str, body: bytes = b"") -> None:
        header = f'{{"nonce":{json.dumps(self.nonce)},{fields}}}'.encode()
        rest = memoryview(struct.pack("<II", len(header), len(body)) + header + body)
        while rest:
            rest = rest[os.write(self._answers, rest) :]


class NamespaceSession(worker.Session):
    """Answers questions about a namespace that a kernel's cells have filled."""

    def __init__(self, link: worker.Link, namespace: dict[str, Any]) -> None:
        self.link, self.namespace = link, namespace
        self.cell_names = cell_names(namespace)
        self.running = self.question = None
        self.spent = 0.0
        self.flags = 0


def cell_names(namespace: dict[str, Any]) -> dict[str, str]:
    """What a learner calls the places that the namespace's functions come from, by file name."""
    names: dict[str, str] = {}
    for value in list(namespace.values()):
        own = vars(value).values() if isinstance(value, type) else (value,)
        for code in (getattr(entry, "__code__", None) for entry in own):
            if isinstance(code, types.CodeType):
                names[code.co_filename] = _cell_name(code.co_filename)
    return names


def _cell_name(file: str) -> str:
    """A cell by its number, as IPython's own tracebacks have it; else the file's last name."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    with contextlib.suppress(AttributeError, TypeError):  # no shell, or a file that is no cell
        kind, number = shell.compile.format_code_name(file)
        return f"{kind} {number}"
    return os.path.basename(file)


class _Session(NamespaceSession):
    """The session of a kernel that another process questions."""

    def answer_all(self) -> dict[str, Any]:
        """Answer the questioner until it has the marks; its last word."""
        while True:
            header, body = self.link.receive()
            if header["do"] in ("done", "failed"):
                return header
            with contextlib.suppress(BrokenPipeError):  # it has given up waiting for this answer
                {"names": self.names, "ask": self.ask, "repeat": self.repeat}[header["do"]](
                    header, body
                )


def grade(exercise: str, part: str, namespace: dict[str, Any]) -> float:
    """Points for one part, given what the notebook has defined so far.

    Ends the kernel when the grader fails, since any other way would be taken for a mark.
    """
    try:
        with _silence():
            verdict = _question(exercise, part, namespace)
    except KeyboardInterrupt:
        _forget()
        return 0.0
    except (EOFError, OSError) as error:
        _end_kernel(f"the grader's process has ended: {error or 'it said nothing'}")
    if verdict["do"] == "failed":
        _end_kernel(verdict["message"])
    if verdict["over"]:
        _forget()
    _show_floats_in_full()
    show(verdict["html"], verdict["text"])
    return float(verdict["score"])


def show(body: str, text: str) -> None:
    """Show a report: as HTML where there is a notebook to show it in, else as text."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        print(text)
        return
    page = f'<div class="onehead-report" lang="en">{body}</div>'
    display = sys.modules["IPython"].display.display
    display({"text/html": page, "text/plain": text}, raw=True)


def _question(exercise: str, part: str, namespace: dict[str, Any]) -> dict[str, Any]:
    global _questioner
    if _questioner is None:
        _questioner = subprocess.Popen(
            [sys.executable, "-P", "-m", "onehead.questioner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # out of reach of an interrupt that is meant for the kernel
        )
    link = _Link(_questioner)
    link.nonce = ""
    link.send(f'"grade":{json.dumps([exercise, part])}')
    return _Session(link, namespace).answer_all()


def _forget() -> None:
    global _questioner
    if _questioner is not None:
        _questioner.kill()
        _questioner.communicate()
    _questioner = None


def _end_kernel(reason: str) -> NoReturn:
    """The grader's failure is nobody's 0: without its kernel, nbgrader refuses the notebook."""
    line = f"onehead could not grade this notebook, which is not its author's fault: {reason}\n"
    with contextlib.suppress(OSError):
        os.write(2, line.encode())
    os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit(line)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Hold back what learner code prints or shows, hidden inputs perhaps."""
    with contextlib.ExitStack() as stack:
        for stream in (sys.stdout, sys.stderr):
            stack.enter_context(_muted(stream))  # a logger's handler may hold the stream itself
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        if "IPython" in sys.modules:
            capture = sys.modules["IPython"].utils.capture.capture_output
            stack.enter_context(capture(stdout=False, stderr=False, display=True))
        yield


@contextlib.contextmanager
def _muted(stream: Any) -> Iterator[None]:
    try:
        stream.write = len
    except AttributeError:  # no kernel's stream, which can be muted
        yield
        return
    try:
        yield
    finally:
        del stream.write


def _show_floats_in_full() -> None:
    """A notebook may have asked for ``%precision 0``, which would round its own marks."""
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
        shell.display_formatter.formatters["text/plain"].float_precision = ""
