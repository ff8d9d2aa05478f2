"""Our own random numbers, the same bits on every machine and with every numpy."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from onehead.model import Array

_MASK = 2**64 - 1


class Draw:
    """A stream of numbers chosen by a name (splitmix64: Steele, Lea & Flood, OOPSLA 2014).

    >>> int(Draw("a").integers(-9, 9)), int(Draw("a").integers(-9, 9))
    (-9, -9)
    """

    def __init__(self, name: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def integers(self, low: int, high: int, *shape: int) -> Array:
        """Integers from ``low`` to ``high``, both included, as int64."""
        values = [low + self._next() % (high - low + 1) for _ in range(math.prod(shape))]
        return np.array(values, dtype=np.int64).reshape(shape)

    def reals(self, *shape: int, scale: float = 1.0) -> Array:
        """Numbers in [-scale, scale] with three decimals: short to print, not exact in float32."""
        top = round(1000 * scale)
        return self.integers(-top, top, *shape) / 1000

    def booleans(self, *shape: int) -> Array:
        return self.integers(0, 1, *shape).astype(bool)
