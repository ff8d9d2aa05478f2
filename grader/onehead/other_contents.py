"""A call's arguments with other contents: same objects, same shapes, and put back afterwards.

Whoever keeps an answer, or a part of one, by less than all that it depends on (by shapes, by some
of the arguments, by the objects themselves) and was asked so before answers with old numbers. Runs
in the learner's process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

AnyArray = np.ndarray[Any, Any]
Leaves = Callable[[Any], list[AnyArray]]
Way = Callable[[AnyArray], AnyArray]


def selections(changeable: list[int], turn: int) -> list[list[int]]:
    """Which arguments to change, one selection after another: all but one, then one alone.

    What keeps its last answer only is found by the last selection: ``turn`` says which one that is.
    What keeps its first is found by the first that it depends on: every other time the rest is
    taken the other way round.

    >>> selections([0, 2], 0)
    [[0], [2]]
    >>> selections([0, 1, 2], 1)
    [[0, 1], [0, 2], [1, 2], [2], [0], [1]]
    >>> selections([0, 1, 2], 2)
    [[0, 1], [0, 2], [1, 2], [2], [1], [0]]
    """
    count = len(changeable)
    but_one = [[k for k in changeable if k != kept] for kept in reversed(changeable)]
    start = (count - turn) % count if count else 0
    *rest, last = [[k] for k in changeable[start:] + changeable[:start]] or [[]]
    alone = [*(rest[::-1] if turn // 2 % 2 else rest), last]
    return [*(but_one if count > 2 else []), *alone] if count else []


def is_changeable(value: Any, leaves: Leaves) -> bool:
    """Whether :func:`changed` has other contents for a value."""
    if found := leaves(value):
        return any(leaf.flags.writeable for leaf in found)
    return type(value) in (bool, int, float) or _is_ints(value)


def changes_slightly(value: Any, leaves: Leaves) -> bool:
    """Whether :func:`slightly` changes a value at all; else it would be asked as it is."""
    return any(leaf.flags.writeable and (slightly(leaf) != leaf).any() for leaf in leaves(value))


def _is_ints(value: Any) -> bool:
    return type(value) is list and bool(value) and all(type(item) is int for item in value)


@contextmanager
def changed(args: list[Any], chosen: list[int], leaves: Leaves, way: Way) -> Iterator[list[Any]]:
    """The arguments with the chosen ones changed, arrays in place and in this ``way``.

    Afterwards all arrays and lists are as they were, whatever the call did to them.
    """
    lists = [(value, value[:]) for value in args if type(value) is list]
    undo = [(leaf, leaf.copy()) for value in args for leaf in leaves(value) if leaf.flags.writeable]
    others = list(args)
    try:
        for k in chosen:
            value = args[k]
            if leaves(value):
                for leaf in leaves(value):
                    if leaf.flags.writeable:
                        leaf[...] = way(leaf)
            elif type(value) is bool:
                others[k] = not value
            elif type(value) in (int, float):
                others[k] = value + 1
            elif _is_ints(value):
                value.reverse()
        yield others
    finally:
        for value, items in lists:
            value[:] = items
        for leaf, was in undo:
            leaf.setflags(write=True)
            leaf[...] = was


def turned(array: AnyArray) -> AnyArray:
    """Turned round along the first axis, or, where that is the same, negated or moved by one."""
    other = array[::-1].copy() if array.ndim else array.copy()
    if (other != array).any():
        return other
    return ~array if array.dtype == bool else array + 1


def inside(array: AnyArray) -> AnyArray:
    """With one other entry, inside where there is room: it may be kept by first or last rows.

    It stands in an odd column, so that one that is kept by every other column shows.

    >>> inside(np.zeros((3, 4), dtype=int))
    array([[0, 0, 0, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 0]])
    """
    if not array.ndim:
        return turned(array)
    *rows, columns = array.shape
    at = (*(n // 2 for n in rows), min(columns // 2 | 1, columns - 1))
    other = array.copy()
    if array.dtype == bool:
        other[at] = not array[at]
    elif not np.isfinite(array[at]):
        other[at] = 0
    else:
        other[at] += -1 if array[at] > 0 else 1
    return other


def slightly(array: AnyArray) -> AnyArray:
    """Below what rounding or print keeps, and above what a right answer may be off by."""
    return array * (1 + 1e-9) if array.dtype == np.float64 else array
