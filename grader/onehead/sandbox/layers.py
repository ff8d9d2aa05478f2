"""Layers that a learner's code may call and never sees: their code stays with the grader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from onehead import wire
from onehead.model import Array, Opaque
from onehead.wire import Breach

_CALLS = 2000  # in one exchange
_ENTRIES = 2**14  # of the arguments together
_SCORES = 2**20  # B * T * T of the arguments together


class Layers:
    """The callables of one question, by number."""

    def __init__(self) -> None:
        self._layers: list[Any] = []
        self.calls = 0

    def proxy(self, layer: Any) -> list[Any]:
        self._layers.append(layer)
        attributes = {name: getattr(layer, name) for name in getattr(layer, "proxy_attributes", ())}
        methods = ("__call__", *getattr(layer, "proxy_methods", ()))
        return [len(self._layers) - 1, attributes, list(methods)]

    def answer(self, nonce: str, call: Any, body: bytes) -> bytes:
        """The frame that answers a proxy's call, with a value or the text of an error.

        Raises Breach for a call that no proxy makes, or one too many.
        """
        layer, method, args, kwargs = self._read_call(call, body)
        self.calls += 1
        if self.calls > _CALLS:
            return wire.frame({"nonce": nonce, "error": f"called more than {_CALLS} times"})
        if (refusal := _refusal([*args, *kwargs.values()])) is not None:
            return wire.frame({"nonce": nonce, "error": refusal})
        encoder = wire.Encoder()
        try:
            with np.errstate(all="ignore"):
                called = layer if method == "__call__" else getattr(layer, method)
                value = called(*args, **kwargs)
            answer = {"nonce": nonce, "value": encoder.value(value)}
        except Exception as error:
            return wire.frame({"nonce": nonce, "error": str(error)[:500]})
        return wire.frame(answer, bytes(encoder.body))

    def _read_call(
        self, call: Any, body: bytes
    ) -> tuple[Any, str, tuple[Any, ...], dict[str, Any]]:
        if type(call) is not list or len(call) != 4:
            raise Breach("no call")
        number, method, args_node, kwargs_node = call
        if type(number) is not int or not 0 <= number < len(self._layers):
            raise Breach("no such callable")
        layer = self._layers[number]
        if method not in ("__call__", *getattr(layer, "proxy_methods", ())):
            raise Breach("no such method")
        decoder = wire.Decoder(body)
        args, kwargs = decoder.value(args_node), decoder.value(kwargs_node)
        decoder.finish()
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise Breach("no arguments")
        if not all(isinstance(name, str) for name in kwargs):
            raise Breach("no argument names")
        return layer, method, args, kwargs


def _refusal(values: Sequence[Any]) -> str | None:
    """Why a layer may not be called with these, or None: arrays alone, and small ones."""
    for value in values:
        if isinstance(value, list | tuple | dict | Opaque):
            kind = value.type if isinstance(value, Opaque) else type(value).__name__
            return f"this layer takes arrays, not a {kind[:40]}"
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    return None if _small_enough(arrays) else "the arguments are too large"


def _small_enough(arrays: Sequence[Array]) -> bool:
    """Few entries, and few scores to compute."""
    shapes = [[max(1, length) for length in array.shape] for array in arrays]
    if sum(map(math.prod, shapes)) > _ENTRIES:
        return False
    rows = [shape[:-1] for shape in shapes if len(shape) > 1]
    tokens = max((lengths[-1] for lengths in rows), default=1)
    items = math.prod(math.prod(lengths[:-1]) for lengths in rows)  # at most, once broadcast
    flat = max(map(math.prod, rows), default=1)  # a layer may take all items for one
    return max(items * tokens**2, flat**2) <= _SCORES
