"""Whether wrong values come of something that was kept from an earlier case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from onehead.model import Array, Names, NotReached
from onehead.signature import Sight

_MOST = 400  # formulas tried in one stage: a bound for parts with many cases


def telling(value: Array) -> int:
    """How many different numbers a value holds that no guard and no fill gives.

    >>> telling(np.array([0.0, 1.0, np.nan, 0.25, 0.25, 0.75]))
    2
    """
    if value.dtype.kind != "f":
        return 0
    numbers = np.unique(value[np.isfinite(value)])
    return int(np.count_nonzero((numbers != 0) & (numbers != 1)))


def is_kept(sights: Sequence[Sight]) -> bool:
    """Whether each wrong value is made of an earlier case's inputs, or is that case's answer.

    ``sights`` stand in the order in which the cases were asked.
    """
    wrong = [k for k, sight in enumerate(sights) if not sight.right]
    if not wrong or not any(sight.right for sight in sights):
        return False
    if all(_answers_another(sights, k) for k in wrong):
        return True
    names = {name for sight in sights for name in sight.inputs}
    budget = [_MOST]
    return any(all(_made_of(sights, k, name, budget) for k in wrong) for name in sorted(names))


def _answers_another(sights: Sequence[Sight], k: int) -> bool:
    got = sights[k].got
    return got is not None and any(
        other.got is not None
        and other.got.dtype != bool  # masks of one size are often the same
        and _says_much(other.got)
        and np.array_equal(got, other.got)
        for other in sights
        if other.right
    )


def _says_much(value: Array) -> bool:
    """Whether two cases can hardly share a value."""
    if value.dtype == bool:
        return value.size >= 12 and bool(value.any() and not value.all())
    return np.unique(value[np.isfinite(value)]).size >= 4


def _made_of(sights: Sequence[Sight], k: int, name: str, budget: list[int]) -> bool:
    sight = sights[k]
    return any(_fits(sight, value) for value in _with_earlier(sights[:k], sight, name, budget))


def _fits(sight: Sight, value: Any) -> bool:
    if not isinstance(value, np.ndarray) or not _says_much(value):
        return False
    if value.dtype == bool and value.shape != sight.want.shape:
        return False  # an axis is lost, and not a mask kept
    return sight.is_(value)


def _with_earlier(
    before: Sequence[Sight], sight: Sight, name: str, budget: list[int]
) -> Iterator[Any]:
    """What the right formula gives with one input of an earlier case, the latest one first."""
    own, want = sight.inputs.get(name), sight.stage.want
    for other in reversed(before):
        kept = other.inputs.get(name)
        if kept is None or kept is own or callable(kept) or want is None or budget[0] <= 0:
            continue
        budget[0] -= 1
        try:
            yield want(Names({**sight.inputs, name: kept}), sight.judged.earlier)
        except (NotReached, ValueError, IndexError, TypeError, KeyError):
            continue
