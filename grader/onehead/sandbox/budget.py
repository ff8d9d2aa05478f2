"""What an exercise's processes may use: processor time, wall time, bytes of answers."""

from __future__ import annotations

import time
from typing import Self

from onehead.sandbox.questions import Dead, Limits

_CALL_SHARE = 0.1  # of an exercise's budget, for one call
_WALL_PER_CPU = 5.0  # wall time is only the backstop
_ANSWER_BYTES = 32 * 2**20  # of an exercise: answers are kept until their part is judged


class Budget:
    """What is left of one exercise's seconds and answers, shared by its successive children."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.cpu = limits.seconds
        self.wall = limits.seconds * _WALL_PER_CPU
        self.answers = _ANSWER_BYTES

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


class Clock:
    """The time of one call, charged to its exercise at the end.

    ``check`` raises Dead when the call or the exercise has none left. The child's own clock can be
    read until it is reaped.
    """

    def __init__(self, cpu_clock: int, budget: Budget) -> None:
        self._cpu_clock, self._budget = cpu_clock, budget
        share = budget.limits.seconds * _CALL_SHARE
        self._cpu = time.clock_gettime(cpu_clock)
        self._wall = time.monotonic()
        self._cpu_due = self._cpu + min(share, budget.cpu)
        self._wall_due = self._wall + min(share * _WALL_PER_CPU, budget.wall)

    def _read(self) -> float:
        return time.clock_gettime(self._cpu_clock)

    def check(self) -> None:
        if self._read() >= self._cpu_due or time.monotonic() >= self._wall_due:
            raise Dead("timed-out")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._budget.spend(self._read() - self._cpu, time.monotonic() - self._wall)
