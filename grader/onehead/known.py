"""Results that are known already: much of a class hands in the same code, or answers the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Known(Generic[Key, Value]):
    """The values that were used last, up to a number.

    >>> squares = Known[int, int](most=2)
    >>> for number in (1, 2, 3):
    ...     squares[number] = number**2
    >>> squares.get(1), squares.get(3), 3 in squares
    (None, 9, True)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """The value, used just now; None where it is not known."""
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def __setitem__(self, key: Key, value: Value) -> None:
        self._values[key] = value
        if len(self._values) > self._most:
            self._values.popitem(last=False)
