"""The plain-data protocol between the grader and a learner's process: this is the grader's end.

A frame is two little-endian 32-bit lengths, a JSON header and the raw bytes of arrays. A value is
None, a bool or a string as JSON has them, or a list that starts with a tag:

    ["i", "12"]  ["f", "0x1.8p+0"]  ["e"] (...)  ["l", items]  ["t", items]  ["d", pairs]
    ["a", "f8", [2, 3]] array   ["g", "f8", []] numpy scalar   ["n", "f8", [2, 3]] nested lists
    ["o", type] opaque   ["E", type, bases, message, line, cell] error   ["m"] missing
    ["p", number, attributes, methods] a callable that stays here (sent, never received)
    ["r", "f8", [2, 3]] an array whose rows do not lie one after another (sent, never received)

The entries of arrays stand in the body, in the order of their tags. Nothing is unpickled, and
what comes in is believed in nothing: any breach of this page raises ``Breach``.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from onehead.model import Array, Error, Opaque

HEADER_BYTES = 256 * 1024
BODY_BYTES = 16 * 1024 * 1024
PREFIX_BYTES = 8
AXES = 6
DEPTH = 40
KEYS = 1000  # of a dict: keys that collide cost the square of their number
TEXT = 4000
DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
_INT = re.compile(r"-?[0-9]{1,1300}")
_FLOAT = re.compile(r"-?(nan|inf|0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4})")


dumps = json.JSONEncoder(separators=(",", ":")).encode


class Breach(Exception):
    """The learner's process sent what no honest worker sends."""


@dataclass(frozen=True)
class Missing:
    """A step that could not be asked: its name, or the object it needs, does not exist."""


# --- frames ------------------------------------------------------------------------------


class Ready:
    """A part of a header that is JSON already, since it is sent again and again."""

    def __init__(self, value: Any) -> None:
        self.text = dumps(value)


def frame(header: Mapping[str, Any], body: bytes = b"") -> bytes:
    fields = (
        f"{dumps(key)}:{item.text if isinstance(item, Ready) else dumps(item)}"
        for key, item in header.items()
    )
    text = f"{{{','.join(fields)}}}".encode()
    return struct.pack("<II", len(text), len(body)) + text + body


def lengths(prefix: bytes) -> tuple[int, int]:
    """Header and body length, before a byte of them is read."""
    header, body = struct.unpack("<II", prefix)
    if header > HEADER_BYTES or body > BODY_BYTES:
        raise Breach("frame too long")
    return header, body


def header(text: bytes, nonce: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise Breach("header is no JSON") from None
    if type(read) is not dict or read.get("nonce") != nonce:
        raise Breach("answer to another request")
    return read


# --- values out --------------------------------------------------------------------------


class Encoder:
    """Encodes the grader's own values; callables get a number from ``proxy``."""

    def __init__(
        self, proxy: Callable[[Any], list[Any]] | None = None, keeps_order: bool = False
    ) -> None:
        self.body = bytearray()
        self.proxy, self.keeps_order = proxy, keeps_order

    def value(self, value: Any) -> Any:
        """The value's JSON.

        Raises TypeError for a value that is no plain data.
        """
        if value is None or type(value) in (bool, str):
            return value
        if value is ...:
            return ["e"]
        if isinstance(value, np.generic):
            return self._entries("g", np.array(value))
        if isinstance(value, np.ndarray):
            is_other = self.keeps_order and not value.flags.c_contiguous
            return self._entries("r" if is_other else "a", value)
        if isinstance(value, int):
            return ["i", str(value)]
        if isinstance(value, float):
            return ["f", value.hex()]
        if isinstance(value, Mapping):
            return ["d", [[self.value(key), self.value(item)] for key, item in value.items()]]
        if isinstance(value, list | tuple):
            tag = "l" if isinstance(value, list) else "t"
            return [tag, [self.value(item) for item in value]]
        if callable(value) and self.proxy is not None:
            number, attributes, methods = self.proxy(value)
            return ["p", number, self.value(attributes), methods]
        raise TypeError(f"a {type(value).__name__} can't travel to a learner's process")

    def _entries(self, tag: str, entries: Array) -> list[Any]:
        code = f"{entries.dtype.kind}{entries.dtype.itemsize}"
        if code not in DTYPES or entries.ndim > AXES:
            raise TypeError(f"an array of {entries.dtype} can't travel to a learner's process")
        self.body += entries.astype(f"<{code}", order="C", copy=False).tobytes()
        return [tag, code, list(entries.shape)]


# --- values in ---------------------------------------------------------------------------


class Decoder:
    """Decodes what a learner's process sent, and believes none of it.

    ``value`` raises Breach for a node that breaks the protocol; ``finish`` for bytes left over.
    """

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0

    def finish(self) -> None:
        if self.at != len(self.body):
            raise Breach("more bytes than entries")

    def value(self, node: Any, depth: int = 0) -> Any:
        if node is None or type(node) is bool:
            return node
        if type(node) is str:
            return text(node)
        if type(node) is not list or not node or depth > DEPTH:
            raise Breach("no value")
        return self._tagged(_PLAIN, node, depth)

    def result(self, node: Any) -> Any:
        """A step's result: a value, an Error or Missing."""
        if type(node) is list and node and node[0] in ("E", "m"):
            return self._tagged(_OUTCOMES, node, 0)
        return self.value(node)

    def _tagged(self, readers: Mapping[str, Callable[..., Any]], node: Any, depth: int) -> Any:
        read = readers.get(node[0]) if type(node[0]) is str else None
        if read is None:
            raise Breach("unknown tag")
        try:
            return read(self, depth + 1, *node[1:])
        except TypeError:
            raise Breach("a tag with other parts than its own") from None

    def values(self, nodes: Any, depth: int = 0) -> list[Any]:
        if type(nodes) is not list:
            raise Breach("no list of values")
        return [self.value(node, depth) for node in nodes]

    def _int(self, depth: int, digits: Any) -> int:
        return int(_matching(_INT, digits))

    def _float(self, depth: int, digits: Any) -> float:
        try:
            return float.fromhex(_matching(_FLOAT, digits))
        except OverflowError:
            raise Breach("no float") from None

    def _ellipsis(self, depth: int) -> Any:
        return ...

    def _list(self, depth: int, items: Any) -> list[Any]:
        return self.values(items, depth)

    def _tuple(self, depth: int, items: Any) -> tuple[Any, ...]:
        return tuple(self.values(items, depth))

    def _dict(self, depth: int, pairs: Any) -> dict[Any, Any]:
        if type(pairs) is not list or any(
            type(pair) is not list or len(pair) != 2 for pair in pairs
        ):
            raise Breach("no pairs")
        if len(pairs) > KEYS:
            raise Breach("too many keys")
        return {self._key(key, depth): self.value(item, depth) for key, item in pairs}

    def _key(self, node: Any, depth: int) -> Any:
        key = self.value(node, depth)
        if not (key is None or isinstance(key, str | int | float | Opaque)):
            raise Breach("no key")
        return key

    def _array(self, depth: int, code: Any, shape: Any) -> Array:
        if code not in DTYPES or type(shape) is not list or len(shape) > AXES:
            raise Breach("no array")
        if any(type(length) is not int or not 0 <= length <= BODY_BYTES for length in shape):
            raise Breach("no shape")
        if math.prod(max(1, length) for length in shape) > BODY_BYTES:
            raise Breach("an empty array with huge axes")
        end = self.at + math.prod(shape) * int(code[1:])
        if end > len(self.body):
            raise Breach("more entries than bytes")
        # A boolean's byte may be anything; only 0 and 1 are safe to compute with.
        stored = np.frombuffer(self.body[self.at : end], "u1" if code == "b1" else f"<{code}")
        self.at = end
        return (stored != 0 if code == "b1" else stored.copy()).reshape(shape)

    def _scalar(self, depth: int, code: Any, shape: Any) -> Any:
        entries = self._array(depth, code, shape)
        if entries.ndim:
            raise Breach("no scalar")
        return entries[()]

    def _nested(self, depth: int, code: Any, shape: Any) -> Any:
        entries = self._array(depth, code, shape)
        if not entries.ndim or not 0 < entries.size <= BODY_BYTES // 8:
            raise Breach("no nested list")
        return entries.tolist()

    def _opaque(self, depth: int, kind: Any) -> Opaque:
        return Opaque(text(kind, 100))

    def _error(
        self, depth: int, kind: Any, bases: Any, message: Any, line: Any, cell: Any
    ) -> Error:
        if type(bases) is not list or len(bases) > 20 or type(line) is not int:
            raise Breach("no error")
        names = tuple(text(base, 100) for base in bases)
        return Error(text(kind, 100), names, text(message), text(cell, 200), line)

    def _missing(self, depth: int) -> Missing:
        return Missing()


_PLAIN: dict[str, Callable[..., Any]] = {
    "i": Decoder._int,
    "f": Decoder._float,
    "e": Decoder._ellipsis,
    "l": Decoder._list,
    "t": Decoder._tuple,
    "d": Decoder._dict,
    "a": Decoder._array,
    "g": Decoder._scalar,
    "n": Decoder._nested,
    "o": Decoder._opaque,
}
_OUTCOMES: dict[str, Callable[..., Any]] = {
    "E": Decoder._error,
    "m": Decoder._missing,
}


def text(value: Any, limit: int = TEXT) -> str:
    """A string that any file can hold: half surrogates are replaced."""
    if type(value) is not str or len(value) > limit:
        raise Breach("no text")
    return value.encode("utf-8", "replace").decode()


def _matching(pattern: re.Pattern[str], value: Any) -> str:
    if type(value) is not str or not pattern.fullmatch(value):
        raise Breach("no number")
    return value
