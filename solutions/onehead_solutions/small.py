"""Small cases, the smallest first: what a wrong answer is shown on, as code to paste.

Whole numbers, two tokens, widths of 1 or 2 where they suffice; larger ones at the end, for what
only they can show. They feed no check. ``tests/test_small.py`` holds that every known mistake
shows on one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from onehead import frozen, model

Arrays = dict[str, model.Array]


def _array(rows: Any, dtype: Any = np.float64) -> model.Array:
    return np.array(rows, dtype=dtype)


def _case(name: str, check: str | None = None, /, **inputs: Any) -> model.Case:
    return model.Case(name, inputs, public=True, check=check)


def _refused(name: str, check: str, words: tuple[object, ...], /, **inputs: Any) -> model.Case:
    return model.Case(name, inputs, public=True, check=check, raises=tuple(map(str, words)))


# --- layers ------------------------------------------------------------------------------


def _numbers(T: int, d_model: int, d_k: int, d_v: int, dtype: Any = np.float64) -> Arrays:
    """Small whole numbers without a pattern, the same for the same sizes."""

    def whole(rows: int, columns: int, start: int) -> model.Array:
        k = np.arange(rows * columns).reshape(rows, columns) + start
        return _array((k * k * 3 + k) % 5 - 2, dtype)

    return {
        "X": whole(T, d_model, 1),
        "W_Q": whole(d_model, d_k, 2),
        "W_K": whole(d_model, d_k, 4),
        "W_V": whole(d_model, d_v, 3),
    }


def _one_wide(X: Sequence[float], W_K: float = 1, dtype: Any = np.float64) -> Arrays:
    return {
        "X": _array([[x] for x in X], dtype),
        "W_Q": _array([[1]], dtype),
        "W_K": _array([[W_K]], dtype),
        "W_V": _array([[3]], dtype),
    }


_ASYMMETRIC = {
    "X": _array([[1, 0], [0, 1]]),
    "W_Q": _array([[1], [0]]),
    "W_K": _array([[0], [2]]),
    "W_V": _array([[1], [3]]),
}
_TWO_BY_TWO = {
    "X": _array([[1, 0], [1, 1]]),
    "W_Q": _array([[1, 1], [0, 1]]),
    "W_K": _array([[1, 0], [2, 1]]),
    "W_V": _array([[2, 1], [0, 1]]),
}
_WIDE_KEYS = {
    "X": _array([[1], [2]]),
    "W_Q": _array([[1, 0]]),
    "W_K": _array([[1, -1]]),
    "W_V": _array([[3]]),
}


def _layers() -> Iterator[tuple[str, Arrays]]:
    yield "two tokens", _one_wide([1, 2])
    yield "two tokens, d_k = 2", _WIDE_KEYS
    yield "two tokens, d_model = 2", _ASYMMETRIC
    yield "two tokens, all widths 2", _TWO_BY_TWO
    yield "two tokens, d_v = 2", {**_one_wide([1, 2]), "W_V": _array([[3, -1]])}
    yield "integers", {name: x.astype(np.int64) for name, x in _WIDE_KEYS.items()}
    yield "one token", {**_WIDE_KEYS, "X": _array([[2]])}
    yield "three tokens", {**_WIDE_KEYS, "X": _array([[1], [2], [0]])}
    yield "one score far above", _one_wide([1, 1000])
    yield "one score far below", _one_wide([200, 1], W_K=-1)
    yield "scores that overflow", _one_wide([30, 31])
    yield "float32", {name: x.astype(np.float32) for name, x in _WIDE_KEYS.items()}
    yield "no float32", {**_WIDE_KEYS, "X": _array([[0.1], [0.7]])}
    yield "different widths", _numbers(3, 4, 2, 5)
    yield "four tokens", _numbers(4, 3, 2, 2)
    yield "five tokens", _numbers(5, 2, 3, 4)


_SEQUENCES = tuple(_layers())


def _with_output(inputs: Mapping[str, model.Array]) -> Arrays:
    d_v, d_model = inputs["W_V"].shape[1], inputs["X"].shape[-1]
    W_O = np.arange(1, d_v * d_model + 1).reshape(d_v, d_model) * 2 - 1
    return {**inputs, "W_O": W_O.astype(inputs["X"].dtype)}


ATTEND = tuple(_case(name, **inputs) for name, inputs in _SEQUENCES)
SELF_ATTENTION = (
    *ATTEND,
    _case("everything visible", **_WIDE_KEYS, causal=False),
    _case("causal, said so", **_WIDE_KEYS, causal=True),
)


def _ablated() -> Iterator[model.Case]:
    for name, inputs in _SEQUENCES:
        first = name == "two tokens, d_k = 2"
        for which in ("W_Q", "W_K", "W_V") if first else ("W_K",):
            other = 2 * inputs[which] + 1
            yield _case(f"{name}, {which} replaced", **inputs, which=which, replacement=other)
    misnamed = {**_one_wide([1]), "which": "W_O", "replacement": _array([[1]])}
    yield _refused("no such projection", "raises: name", ("W_O",), **misnamed)


ABLATE = tuple(_ablated())
OBSERVED = (
    *(
        _case(name, **_with_output(inputs), target=len(inputs["X"]) - 1)
        for name, inputs in _SEQUENCES
    ),
    _case("the first of two", **_with_output(_one_wide([1, 1000])), target=0),
)


# --- batches and masks -------------------------------------------------------------------


def _batch(inputs: Mapping[str, model.Array], items: int = 2) -> Arrays:
    """Items that differ: the tokens in turn, and one more each time."""
    X = inputs["X"]
    batch = np.stack([np.roll(X, b, axis=0) + b for b in range(items)])
    return _with_output({**inputs, "X": batch})


_OWN = _array([[[1, 0], [1, 1]], [[1, 1], [0, 1]]], bool)
_EMPTY = _array([[[1, 1], [0, 0]]], bool)
_PADDING = _array([[[1, 1]], [[1, 0]]], bool)


def _batches() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "one item", _batch(_one_wide([1, 2]), 1)
    yield "two items", _batch(_one_wide([1, 2]))
    yield "two items, d_k = 2", _batch(_WIDE_KEYS)
    yield "two items, no mask", {**_batch(_WIDE_KEYS), "visible": None}
    yield "two items, d_model = 2", _batch(_ASYMMETRIC)
    yield "two items, all widths 2", _batch(_TWO_BY_TWO)
    yield "two items, d_v = 2", _batch({**_one_wide([1, 2]), "W_V": _array([[3, -1]])})
    yield "masks of their own", {**_batch(_WIDE_KEYS), "visible": _OWN}
    yield "one mask for all", {**_batch(_WIDE_KEYS), "visible": _OWN[1]}
    yield "a query that sees nothing", {**_batch(_WIDE_KEYS, 1), "visible": _EMPTY}
    yield "padding", {**_batch(_WIDE_KEYS), "visible": _PADDING}
    yield "integers", _batch({name: x.astype(np.int64) for name, x in _WIDE_KEYS.items()})
    far = {**_batch(_one_wide([1, 1000]), 1), "visible": _array([[1, 0], [1, 1]], bool)}
    yield "a hidden score far above", far
    low = {**_batch(_one_wide([200, 1], W_K=-1), 1), "visible": _array([[1, 0], [1, 1]], bool)}
    yield "a hidden score far below", low
    yield "scores that overflow", _batch(_one_wide([30, 31]), 1)
    yield "float32", _batch({name: x.astype(np.float32) for name, x in _WIDE_KEYS.items()})
    yield "no float32", _batch({**_WIDE_KEYS, "X": _array([[0.1], [0.7]])})
    yield "three tokens", _batch({**_WIDE_KEYS, "X": _array([[1], [2], [0]])})
    yield "different widths", _batch(_numbers(4, 3, 2, 5), 3)


BATCHED = tuple(_case(name, **inputs) for name, inputs in _batches())


def _of_class() -> Iterator[model.Case]:
    for name, inputs in _SEQUENCES:
        yield _case(name, **_with_output(inputs))
    for name, inputs in _batches():
        yield _case(f"{name}, in a batch", **inputs)
    masked = {**_with_output(_WIDE_KEYS), "visible": _OWN[1]}
    yield _case("a mask, and no causality", **masked, causal=False)
    yield _case("no mask, and no causality", **{**masked, "visible": None}, causal=False)
    yield _case("masks, and no causality", **_batch(_WIDE_KEYS), visible=_OWN, causal=False)
    empty = {**_with_output(_WIDE_KEYS), "visible": _EMPTY[0]}
    yield _case("a query that sees nothing", **empty, causal=False)
    misfit = {**_with_output(_one_wide([1])), "W_K": _array([[1, 2]])}
    del misfit["X"]
    yield _refused("W_K is wider than W_Q", "raises: shapes", (1, 2), **misfit)


LAYER = tuple(_of_class())

# --- one row, softmax, masks -------------------------------------------------------------


def _readings() -> Iterator[model.Case]:
    one = {"query": _array([1, 0]), "keys": _array([[1, 0], [0, 1]]), "values": _array([[1], [3]])}
    yield _case("two keys", **one)
    yield _case("two keys, one of them hidden", **one, visible=_array([1, 0], bool))
    yield _case("two keys, nothing visible", **one, visible=_array([0, 0], bool))
    other = {
        "query": _array([1, 2]),
        "keys": _array([[1, 2], [3, 0]]),
        "values": _array([[1], [3]]),
    }
    yield _case("two other keys", **other)
    yield _case("two keys, two features", **{**other, "values": _array([[1, 2], [3, 5]])})
    yield _case("integers", **{name: x.astype(np.int64) for name, x in other.items()})
    wide = {"query": _array([1]), "keys": _array([[1], [1000]]), "values": _array([[1], [3]])}
    yield _case("a hidden score far above", **wide, visible=_array([1, 0], bool))
    yield _case("a score far above", **wide)
    low = {**wide, "keys": _array([[-20000], [0]])}
    yield _case("a hidden score far below", **low, visible=_array([1, 0], bool))
    yield _case("two scores far below", **{**wide, "keys": _array([[-1000], [-1001]])})
    yield _case("float32", **{name: x.astype(np.float32) for name, x in other.items()})
    yield _case("no float32", **{**other, "query": _array([0.1, 0.7])})
    three = {"query": _array([1, 2]), "keys": _array([[1, 2], [3, 0], [0, 1]])}
    three["values"] = _array([[1, 2, 0, 1], [3, 5, 1, 0], [2, 2, 1, 1]])
    yield _case("three keys", **three)
    yield _case("three keys, one of them hidden", **three, visible=_array([0, 1, 1], bool))


READING = tuple(_readings())


def _softmaxes() -> Iterator[model.Case]:
    inf = np.inf
    matrix = _array([[0, 1], [2, 4]])
    yield _case("two rows", "values", scores=matrix)
    yield _case("integers", "values", scores=_array([[0, 1]], np.int64))
    yield _case("float32", "values", scores=_array([[0.1, 0.7]], np.float32))
    yield _case("no float32", "values", scores=_array([[0.1, 0.7]]))
    yield _case("a vector", "rank and axis", scores=_array([0, 1]))
    yield _case("axis 0", "rank and axis", scores=matrix, axis=0)
    yield _case("three axes", "rank and axis", scores=_array([[[0, 1], [2, 4]]]))
    yield _case(
        "three axes, the second", "rank and axis", scores=_array([[[0, 1], [2, 4]]]), axis=1
    )
    yield _case("one entry is -inf", "-inf entries", scores=_array([[0, -inf]]))
    yield _case("all of them are -inf", "all -inf", scores=_array([[-inf, -inf]]))
    yield _case("large scores", "large scores", scores=_array([[1000, 1001]]))
    yield _case("two rows far apart", "large scores", scores=_array([[0, 1], [1000, 1001]]))
    yield _case("low scores", "large scores", scores=_array([[-1000, -1001]]))
    yield _case("-inf among low scores", "large scores", scores=_array([[-20000, -inf]]))


SOFTMAX = tuple(_softmaxes())
CAUSAL_MASK = tuple(_case(f"T = {T}", T=T) for T in (3, 5))
VISIBILITY = (
    _case("two tokens, causal", "causal", T_q=2, T_k=2, causal=True),
    _case("one query, two keys", "all visible", T_q=1, T_k=2, causal=False),
    _case("two tokens, not causal", "all visible", T_q=2, T_k=2, causal=False),
    _case("three tokens, causal", "causal", T_q=3, T_k=3, causal=True),
    _refused("causal, one query, two keys", "raises: causal", (1, 2), T_q=1, T_k=2, causal=True),
    _refused("causal, two queries, one key", "raises: causal", (2, 1), T_q=2, T_k=1, causal=True),
)
PADDING = (
    _case("one item", lengths=[1], T=2),
    _case("two items", lengths=[1, 2], T=2),
    _case("an empty item", lengths=[0], T=1),
    _case("three items in an array", lengths=np.array([2, 0, 3]), T=3),
    _refused("a length over T", "raises: over T", (2,), lengths=[2], T=1),
    _refused("a length below 0", "raises: below 0", (-1,), lengths=[-1], T=1),
)


def _masks() -> Iterator[model.Case]:
    def mask(rows: Any) -> model.Array:
        return _array(rows, bool)

    sizes = {"B": 2, "T_q": 1, "T_k": 2}
    yield _case("no mask", "none", visible=None, **sizes)
    yield _case("a row for all items", "rank 2", visible=mask([[1, 0]]), **sizes)
    yield _case("a row for each item", "rank 3", visible=mask([[[1, 0]], [[0, 1]]]), **sizes)
    yield _case("one item's for all", "rank 3", visible=mask([[[1, 0]]]), **sizes)
    taller = {"B": 2, "T_q": 2, "T_k": 2}
    yield _case("a matrix for all items", "rank 2", visible=mask([[1, 0], [1, 1]]), **taller)
    yield _case("one row for all queries", "rank 3", visible=mask([[[1, 0]], [[0, 1]]]), **taller)
    yield _refused("a vector", "raises: rank 1", (2,), visible=mask([1, 0]), **sizes)
    yield _refused("one row for two", "raises: rank 2", (1, 2), visible=mask([[1, 0]]), **taller)
    wrong = {"visible": mask([[[1, 0]], [[0, 1]]]), "B": 3, "T_q": 1, "T_k": 2}
    yield _refused("masks of two items for three", "raises: rank 3", (2, 3), **wrong)
    four = {"visible": mask([[[[1, 0]]]]), "B": 3, "T_q": 1, "T_k": 2}
    yield _refused("four axes", "raises: rank 4", (3, 2), **four)


BROADCAST = tuple(_masks())

# --- sources, projections ----------------------------------------------------------------


def _sources() -> Iterator[model.Case]:
    self = {"X": _array([[1, 2]]), "W_Q": _array([[1], [0]]), "W_K": _array([[0], [1]])}
    self["W_V"] = _array([[1], [3]])
    yield _case("one token", **self)
    yield _case("one token, another as the context", **self, context=_array([[3, 5]]))
    narrow = {**self, "W_K": _array([[2]]), "W_V": _array([[3]]), "context": _array([[1], [4]])}
    yield _case("a narrow context of two", **narrow)
    yield _case("integers", **{name: x.astype(np.int64) for name, x in self.items()})
    yield _case("float32", **{name: x.astype(np.float32) for name, x in self.items()})
    yield _case("no float32", **{**self, "X": _array([[0.1, 0.7]])})
    yield _case("d_v = 2", **{**self, "W_V": _array([[1, 2], [3, 5]])})
    for W in ("W_Q", "W_K", "W_V"):
        inputs = {**self, W: _array([[1], [2], [3]])}
        yield _refused(f"{W} has three rows", f"raises: {W}", (2, 3), **inputs)
    thin = {**self, "W_Q": _array([[1]])}
    yield _refused("W_Q has one row", "raises: W_Q", (2, 1), **thin)


SOURCES = tuple(_sources())


def _projections() -> Iterator[model.Case]:
    plain, bias = "without a bias", "with a bias"
    one = {"context": _array([[1, 2]]), "W_O": _array([[1, 0], [3, -1]])}
    yield _case("one token", plain, context=_array([[2]]), W_O=_array([[3]]))
    yield _case("widths of 2", plain, **one)
    yield _case("d_model = 2", plain, context=_array([[2]]), W_O=_array([[3, -4]]))
    yield _case("a bias", bias, **one, b_O=_array([5, -7]))
    yield _case("no rows", plain, context=_array([1, 2]), W_O=one["W_O"])
    yield _case("a batch", plain, context=_array([[[1, 2]], [[3, 4]]]), W_O=one["W_O"])
    yield _case("integers", plain, **{name: x.astype(np.int64) for name, x in one.items()})
    yield _case("float32", plain, **{name: x.astype(np.float32) for name, x in one.items()})
    yield _case("no float32", plain, context=_array([[0.1, 0.7]]), W_O=one["W_O"])
    thin = {"context": _array([[1, 2, 3]]), "W_O": one["W_O"]}
    yield _refused("a context of width 3", "raises: context", (3, 2), **thin)
    yield _refused("a bias of one", "raises: b_O", (1, 2), **one, b_O=_array([5]))


OUTPUT_PROJECTION = tuple(_projections())
FOLD = (
    _case("d_v = 1", W_V=_array([[1], [2]]), W_O=_array([[3, 5]])),
    _case("widths of 2", W_V=_array([[1, 2], [0, 1]]), W_O=_array([[1, 0], [3, 1]])),
    _case("integers", W_V=_array([[1], [2]], np.int64), W_O=_array([[3, 5]], np.int64)),
    _case("float32", W_V=_array([[1], [2]], np.float32), W_O=_array([[3, 5]], np.float32)),
    _case("no float32", W_V=_array([[0.1], [0.7]]), W_O=_array([[0.3, 0.9]])),
)


def _traces() -> Iterator[model.Case]:
    names = ("Q", "K", "V", "scores", "weights", "context")
    zeros = {name: _array([[0, 0]]) for name in names}

    def case(
        name: str, check: str, changes: Mapping[str, Sequence[float]], **more: Any
    ) -> model.Case:
        after = {stage: _array([changes.get(stage, (0, 0))]) for stage in names}
        return _case(name, check, before=zeros, after=after, **more)

    yield case("one number grows", "differ", {"V": (1, 0)})
    yield case("one number falls", "differ", {"V": (-1, 0)})
    yield case("nothing changes", "differ", {})
    yield case("both numbers change", "differ", {"K": (1, 2)})
    yield case("two changes that cancel", "differ", {"weights": (1, -1)})
    yield case("three stages", "order", {"K": (1, 1), "scores": (2, 2), "Q": (3, 3)})
    yield case("exactly atol", "atol", {"Q": (1, 1), "V": (2, 2)}, atol=1)
    yield case("below atol", "atol", {"Q": (1, 1), "V": (5, 5)}, atol=3)
    yield case("a tiny atol", "atol", {"Q": (1e-10, 1e-10)}, atol=1e-11)
    yield case("below the default", "default atol", {"Q": (1e-10, 1e-10), "V": (1e-8, 1e-8)})
    large = {name: _array([[1e6, 1e6]]) for name in names}
    moved = {**large, "V": _array([[1e6 + 1, 1e6]])}
    yield _case("large numbers", "differ", before=large, after=moved)


CHANGED = tuple(_traces())

# --- counts ------------------------------------------------------------------------------

KIND = (
    _case("one source", "self", query_source="p", key_source="p", value_source="p"),
    _case("two sources", "cross", query_source="p", key_source="q", value_source="q"),
    _case("values from elsewhere", "neither", query_source="p", key_source="p", value_source="q"),
    _case("queries and values", "neither", query_source="p", key_source="q", value_source="p"),
    _case("three sources", "neither", query_source="p", key_source="q", value_source="r"),
)
SHAPES = (
    _case("sizes from 1 to 5", batch=1, tokens=2, d_model=3, d_k=4, d_v=5),
    _case("sizes from 2 to 6", batch=2, tokens=3, d_model=4, d_k=5, d_v=6),
)
COUNT = (
    _case("widths from 1 to 3", d_model=3, d_k=1, d_v=2),
    _case("with biases", d_model=3, d_k=1, d_v=2, bias=True),
    _case("wider", d_model=4, d_k=2, d_v=5),
    _case("wider, with biases", d_model=4, d_k=2, d_v=5, bias=True),
)
COST = (
    _case("two tokens", T=2, d_model=3, d_k=1, d_v=2),
    _case("two items", T=2, d_model=3, d_k=1, d_v=2, batch=2),
    _case("three tokens", T=3, d_model=4, d_k=2, d_v=5),
    _case("three items", T=3, d_model=4, d_k=2, d_v=5, batch=3),
    _case("a long sequence", T=100_000, d_model=30_000, d_k=1, d_v=1),
)
PATH = (
    _case("attention, two apart", "self-attention", architecture="self-attention", distance=2),
    _case("recurrent, two apart", "recurrent", architecture="recurrent", distance=2),
    _case("recurrent, three apart", "recurrent", architecture="recurrent", distance=3),
    _case("a convolution, two apart", "convolution", architecture="convolution", distance=2),
    _case("a convolution, three apart", "convolution", architecture="convolution", distance=3),
    _case("a convolution, four apart", "convolution", architecture="convolution", distance=4),
    _case("kernel 2", "convolution", architecture="convolution", distance=3, kernel=2),
    _case("kernel 4", "convolution", architecture="convolution", distance=4, kernel=4),
    _case("kernel 4, eight apart", "convolution", architecture="convolution", distance=8, kernel=4),
    _refused("an unknown name", "raises: name", ("x",), architecture="x", distance=1),
)
PASSES = (
    _case("two tokens in training", "training", tokens=2, mode="training"),
    _case("two tokens, generated", "generation", tokens=2, mode="generation"),
    _case("three tokens, generated", "generation", tokens=3, mode="generation"),
    _refused("an unknown mode", "raises: name", ("x",), tokens=1, mode="x"),
)
_ITEMS = _array([[[1]], [[2]]])
_THREE = [[[1]], [[2]], [[3]]]


def _layer(name: str, check: str, layer: str, X: model.Array = _ITEMS) -> model.Case:
    return _case(name, check, layer=frozen.LAYERS[layer], X=X)


INTERACT = (
    _layer("each item alone", "apart", "doubled"),
    _layer("the mean of the batch", "interact", "centred"),
    _layer("items of zeros", "interact", "centred", 0 * _ITEMS),
    _layer("constants", "apart", "constant"),
    _layer("the first item reads the last", "interact", "first reads last"),
    _layer("the last item reads the first", "interact", "last reads first"),
    _layer("a small effect", "interact", "hardly"),
    _layer("three items", "interact", "first reads last", _array(_THREE)),
    _layer("differences", "interact", "differences", _array([[[1], [2]], [[3], [5]]])),
)
