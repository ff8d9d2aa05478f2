"""``onehead watch``: one exercise at a time, checked again at every save.

The next exercise comes when the learner asks for it, not before.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from onehead import checking, explain, terminal
from onehead.errors import OneheadError
from onehead.model import Exercise, ExerciseResult, lesson
from onehead.render import text
from onehead.render.document import Document, Paragraph
from onehead.sandbox import Box, Limits

KEYS = "n next · b back · h hint · r check again · l list · q quit"
_POLL_MS = 50


@dataclass(frozen=True)
class Here:
    """Where the learner is: which exercise, how it stands, how many hints are open."""

    at: int
    result: ExerciseResult
    opened: int = 0


def watch(exercises: Sequence[Exercise], folder: Path, stream: TextIO) -> None:
    """Check the exercises of a folder at every save, until the learner quits.

    Raises:
        OneheadError: the folder holds no exercise, or ``watchfiles`` is not installed.
    """
    changes = _changes(folder)
    files = checking.find_files((folder,), tuple(exercises))
    watcher = Watcher(exercises, files, stream)
    with Box(Limits(), terminal.LEVEL) as box, _keys() as keys:
        watcher.start(box)
        for saved in changes:
            if not watcher.step(box, saved, keys()):
                return


class Watcher:
    """What is shown, and what a save or a key makes of it."""

    def __init__(
        self,
        exercises: Sequence[Exercise],
        files: Sequence[tuple[Exercise, Path]],
        stream: TextIO,
    ) -> None:
        self._exercises, self._files, self._stream = exercises, files, stream
        self._here: Here | None = None
        self._unkept: Document = ()

    def start(self, box: Box) -> None:
        """Go to the first exercise that is not right yet, else to the last."""
        for at in range(len(self._files)):
            self._here = Here(at, self._check(box, at))
            if not _all_right(self._here.result):
                break
        self._show()

    def step(self, box: Box, saved: set[Path], key: str) -> bool:
        """Answer saves and a key; False when the learner quits."""
        assert self._here is not None
        here = self._here
        if key == "q":
            return False
        if key == "l":
            self._list(box)
        elif key == "h":
            self._here = replace(here, opened=min(here.opened + 1, 3))
            self._show()
        elif key in ("n", "b"):
            to = here.at + (1 if key == "n" else -1)
            self._go(box, max(0, min(to, len(self._files) - 1)))
        elif key == "r" or self._files[here.at][1].resolve() in saved:
            result = self._check(box, here.at)
            same = explain.first_cause(result) == explain.first_cause(here.result)
            self._here = Here(here.at, result, here.opened if same else 0)
            self._show()
        return True

    def _check(self, box: Box, at: int) -> ExerciseResult:
        result = checking.check_file(*self._files[at], box)
        self._unkept = terminal.keep(self._exercises, self._files[at][1], result)
        return result

    def _go(self, box: Box, at: int) -> None:
        self._here = Here(at, self._check(box, at))
        self._show()

    # --- what is shown ---

    def _show(self) -> None:
        assert self._here is not None
        here, (exercise, path) = self._here, self._files[self._here.at]
        done, count = explain.parts_done(here.result)
        report = terminal.report(exercise, here.result, path, here.opened, "press h")
        head = f"exercise {here.at + 1} of {len(self._files)}  {explain.bar(done, count)}"
        last = (*self._unkept, Paragraph(self._whats_next()))
        self._write((Paragraph(head, "quiet"), *report, *last))

    def _whats_next(self) -> str:
        assert self._here is not None
        if not _all_right(self._here.result):
            return f"Save {self._files[self._here.at][1].name} to have it checked again."
        if self._here.at + 1 == len(self._files):
            return f"Right, and the last one. {explain.PUBLIC}"
        following = lesson(self._files[self._here.at + 1][0].id)
        return f"Right. Look around as long as you like; press n for {following}."

    def _list(self, box: Box) -> None:
        results = [self._check(box, at) for at in range(len(self._files))]
        titles = {exercise.id: exercise.title for exercise, _ in self._files}
        self._write(explain.progress_document(results, titles))

    def _write(self, document: Document) -> None:
        """Write on a fresh screen, where there is one."""
        if self._stream.isatty():
            self._stream.write("\x1b[H\x1b[2J\x1b[3J")
        text.write((*document, Paragraph(KEYS, "quiet")), self._stream)
        self._stream.flush()


def _all_right(result: ExerciseResult) -> bool:
    return all(map(explain.is_right, result.parts))


# --- saves and keys ----------------------------------------------------------------------


def _changes(folder: Path) -> Iterator[set[Path]]:
    """The files that were saved, again and again; an empty set where none was for a while.

    Raises:
        OneheadError: ``watchfiles`` is not installed.
    """
    try:
        from watchfiles import watch as watch_files
    except ModuleNotFoundError:
        raise OneheadError(
            "onehead watch needs watchfiles, which is not installed here: "
            "pip install 'onehead[cli]' (onehead check works without it)"
        ) from None
    seen = watch_files(
        folder,
        watch_filter=None,
        debounce=_POLL_MS,
        step=10,
        rust_timeout=_POLL_MS,
        yield_on_timeout=True,
        recursive=False,
    )
    return ({Path(name).resolve() for _, name in changes} for changes in seen)


@contextlib.contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """A function that gives the key that was pressed, or "" - where there is a keyboard."""
    if not sys.stdin.isatty():
        yield lambda: ""
        return
    import termios
    import tty

    terminal_, settings = sys.stdin.fileno(), termios.tcgetattr(sys.stdin)
    tty.setcbreak(terminal_)
    try:
        yield lambda: _pressed(terminal_)
    finally:
        termios.tcsetattr(terminal_, termios.TCSADRAIN, settings)


def _pressed(keyboard: int) -> str:
    """The key that was pressed since the last look: the last, where there were several."""
    if not select.select([keyboard], [], [], 0)[0]:
        return ""
    typed = os.read(keyboard, 64).decode("utf-8", "ignore")
    return typed[-1:].lower() if typed.isprintable() else ""
