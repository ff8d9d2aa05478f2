"""A share in words, with the bounds that so few answers leave open."""

from __future__ import annotations

import math
from collections.abc import Callable

CONFIDENCE = 0.95


def share(what: str, count: int, total: int) -> str:
    """One line of a report.

    >>> share("wrong answers accepted", 0, 300)
    'wrong answers accepted: 0 of 300 (95 %: 0.0% to 1.2%)'
    """
    if not total:
        return f"{what}: 0 of 0"
    low, high = interval(count, total)
    return f"{what}: {count} of {total} (95 %: {low:.1%} to {high:.1%})"


def interval(count: int, total: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share, from the binomial distribution itself.

    >>> [round(bound, 3) for bound in interval(0, 300)], [round(b, 3) for b in interval(9, 10)]
    ([0.0, 0.012], [0.555, 0.997])
    """
    tail = (1 - confidence) / 2

    def at_most(k: int, p: float) -> float:
        odds = math.log(p), math.log1p(-p)
        return math.fsum(
            math.exp(_log_ways(total, j) + j * odds[0] + (total - j) * odds[1])
            for j in range(k + 1)
        )

    low = 0.0 if count == 0 else _bisected(lambda p: 1 - at_most(count - 1, p) < tail)
    high = 1.0 if count == total else _bisected(lambda p: at_most(count, p) > tail)
    return low, high


def _log_ways(total: int, j: int) -> float:
    """The logarithm of the binomial coefficient, which itself is too large for a float."""
    return math.lgamma(total + 1) - math.lgamma(j + 1) - math.lgamma(total - j + 1)


def _bisected(is_below: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return low
