"""How far a run is: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

PLAIN_SECONDS = 10.0  # between two lines where output is kept
LIVE_SECONDS = 0.1


class Progress:
    """Called with the number of things (``what``) that are done, and of all.

    The rate is that of this run: what an earlier run had done is not counted into it.
    """

    def __init__(
        self,
        stream: TextIO,
        what: str = "submissions",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream, self._what, self._clock = stream, what, clock
        self._live = stream.isatty()
        self._width = 0
        self._start: tuple[float, int] | None = None
        self._told = -PLAIN_SECONDS

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if self._start is None:
            self._start = now, done
            self._told = now - (PLAIN_SECONDS if self._live else 0)
        pause = LIVE_SECONDS if self._live else PLAIN_SECONDS
        if now - self._told < pause and (done < total or not self._live):
            return
        self._told = now
        text = self._text(done, total, now)
        if self._live:
            end = "\n" if done == total else ""
            self._stream.write(f"\r{text.ljust(self._width)}{end}")
            self._width = len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def _text(self, done: int, total: int, now: float) -> str:
        assert self._start is not None
        started, kept = self._start
        text = f"{done} of {total} {self._what}"
        if done == kept or now <= started:
            return text
        rate = (done - kept) / (now - started)
        text += f", {rate:.1f} a second"
        return text if done == total else f"{text}, {_duration((total - done) / rate)} left"


def _duration(seconds: float) -> str:
    """A time for people.

    >>> _duration(8.2), _duration(75), _duration(7260)
    ('9 s', '1 min 15 s', '2 h 1 min')
    """
    whole = int(seconds) + (seconds % 1 > 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
