"""What an exercise's processes may use: processor time, idle time, bytes of answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Self

from onehead.sandbox.questions import Dead, Limits

_CALL_SHARE = 0.1  # of an exercise's budget, for one call
_IDLE_PER_CPU = 5.0  # the backstop for what sleeps
_INTERVAL = 0.02  # seconds between two looks at whether a process sleeps
_ANSWER_BYTES = 32 * 2**20  # of an exercise: answers are kept until their part is judged


class Budget:
    """What is left of one exercise's seconds and answers, shared by its successive children."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.cpu = limits.seconds
        self.idle = limits.seconds * _IDLE_PER_CPU
        self.answers = _ANSWER_BYTES

    def spend(self, cpu: float, idle: float) -> None:
        self.cpu -= cpu
        self.idle -= idle

    def take(self, answer: int) -> None:
        """Raises Dead for an answer of more bytes than are left; a smaller one may follow."""
        if answer > self.answers:
            raise Dead("out-of-memory")
        self.answers -= answer

    @property
    def spent(self) -> bool:
        return self.cpu <= 0 or self.idle <= 0


class Clock:
    """The time of one call, charged to its exercise at the end.

    ``check``, to be called again and again, raises Dead when the call or the exercise has none
    left. A process that is kept from running, or a grader that is, costs no learner anything: idle
    is what sleeps, seen at short intervals. The child's own clock can be read until it is reaped.
    """

    def __init__(self, pid: int, budget: Budget) -> None:
        self._pid, self._budget = pid, budget
        self._cpu_clock = (~pid << 3) | 2  # clock_getcpuclockid(3)
        share = budget.limits.seconds * _CALL_SHARE
        self._cpu = self._last_cpu = self._read()
        self._last = time.monotonic()
        self._idle = 0.0
        self._cpu_due = self._cpu + min(share, budget.cpu)
        self._idle_due = min(share * _IDLE_PER_CPU, budget.idle)

    def _read(self) -> float:
        return time.clock_gettime(self._cpu_clock)

    def check(self) -> None:
        cpu, now = self._read(), time.monotonic()
        elapsed = now - self._last
        if elapsed >= _INTERVAL:
            if cpu - self._last_cpu < elapsed / 2 and not _may_run(self._pid):
                self._idle += min(elapsed, 2 * _INTERVAL)
            self._last, self._last_cpu = now, cpu
        if cpu >= self._cpu_due or self._idle >= self._idle_due:
            raise Dead("timed-out")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._budget.spend(self._read() - self._cpu, self._idle)


def _may_run(pid: int) -> bool:
    """Whether a process runs or waits for a processor (proc(5): its state)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    except OSError:
        return False
