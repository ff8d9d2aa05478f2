"""Small cases, the smallest first: what a wrong answer is shown on, as code to paste.

Whole numbers, two tokens, widths of 1 or 2 where they suffice; larger ones at the end, for what
only they can show. They feed no check. ``tests/test_small.py`` holds that every known mistake
shows on one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from onehead import frozen, model

Arrays = dict[str, model.Array]


def array(rows: Any, dtype: Any = np.float64) -> model.Array:
    return np.array(rows, dtype=dtype)


def case(name: str, check: str | None = None, /, **inputs: Any) -> model.Case:
    return model.Case(name, inputs, public=True, check=check)


def refused(name: str, check: str, words: tuple[object, ...], /, **inputs: Any) -> model.Case:
    return model.Case(name, inputs, public=True, check=check, raises=tuple(map(str, words)))


def misranked(name: str, check: str, words: tuple[object, ...], /, **inputs: Any) -> model.Case:
    """A mask of which the ranks, the given one and those expected, can be told as well."""
    ranks = (str(inputs["visible"].ndim), "2", "3")
    return replace(refused(name, check, words, **inputs), ranks=ranks)


# --- layers ------------------------------------------------------------------------------


def _numbers(T: int, d_model: int, d_k: int, d_v: int, dtype: Any = np.float64) -> Arrays:
    """Small whole numbers without a pattern, the same for the same sizes."""

    def whole(rows: int, columns: int, start: int) -> model.Array:
        k = np.arange(rows * columns).reshape(rows, columns) + start
        return array((k * k * 3 + k) % 5 - 2, dtype)

    return {
        "X": whole(T, d_model, 1),
        "W_Q": whole(d_model, d_k, 2),
        "W_K": whole(d_model, d_k, 4),
        "W_V": whole(d_model, d_v, 3),
    }


def _one_wide(X: Sequence[float], W_K: float = 1, dtype: Any = np.float64) -> Arrays:
    return {
        "X": array([[x] for x in X], dtype),
        "W_Q": array([[1]], dtype),
        "W_K": array([[W_K]], dtype),
        "W_V": array([[3]], dtype),
    }


_ASYMMETRIC = {
    "X": array([[1, 0], [0, 1]]),
    "W_Q": array([[1], [0]]),
    "W_K": array([[0], [2]]),
    "W_V": array([[1], [3]]),
}
_TWO_BY_TWO = {
    "X": array([[1, 0], [1, 1]]),
    "W_Q": array([[1, 1], [0, 1]]),
    "W_K": array([[1, 0], [2, 1]]),
    "W_V": array([[2, 1], [0, 1]]),
}
_WIDE_KEYS = {
    "X": array([[1], [2]]),
    "W_Q": array([[1, 0]]),
    "W_K": array([[1, -1]]),
    "W_V": array([[3]]),
}

_TENTHS = {  # which no float32 holds
    "X": array([[0.1], [0.7]]),
    "W_Q": array([[0.3, 0]]),
    "W_K": array([[0.9, -0.1]]),
    "W_V": array([[0.3]]),
}


def _layers() -> Iterator[tuple[str, Arrays]]:
    yield "two tokens", _one_wide([1, 2])
    yield "two tokens, d_k = 2", _WIDE_KEYS
    yield "two tokens, d_model = 2", _ASYMMETRIC
    yield "two tokens, all widths 2", _TWO_BY_TWO
    yield "two tokens, d_v = 2", {**_one_wide([1, 2]), "W_V": array([[3, -1]])}
    yield "integers", {name: x.astype(np.int64) for name, x in _WIDE_KEYS.items()}
    yield "one token", {**_WIDE_KEYS, "X": array([[2]])}
    yield "three tokens", {**_WIDE_KEYS, "X": array([[1], [2], [0]])}
    yield "one score far above", _one_wide([1, 1000])
    yield "one score far below", _one_wide([200, 1], W_K=-1)
    yield "scores that overflow", _one_wide([30, 31])
    yield "float32", {name: x.astype(np.float32) for name, x in _WIDE_KEYS.items()}
    yield "no float32", _TENTHS
    yield "different widths", _numbers(3, 4, 2, 5)
    yield "four tokens", _numbers(4, 3, 2, 2)
    yield "five tokens", _numbers(5, 2, 3, 4)


_SEQUENCES = tuple(_layers())


def with_output(inputs: Mapping[str, model.Array]) -> Arrays:
    d_v, d_model = inputs["W_V"].shape[1], inputs["X"].shape[-1]
    W_O = np.arange(1, d_v * d_model + 1).reshape(d_v, d_model) * 2 - 1
    return {**inputs, "W_O": W_O.astype(inputs["X"].dtype)}


ATTEND = tuple(case(name, **inputs) for name, inputs in _SEQUENCES)
SELF_ATTENTION = (
    *ATTEND,
    case("everything visible", **_WIDE_KEYS, causal=False),
    case("causal, said so", **_WIDE_KEYS, causal=True),
)


def _ablated() -> Iterator[model.Case]:
    for name, inputs in _SEQUENCES:
        first = name == "two tokens, d_k = 2"
        for which in ("W_Q", "W_K", "W_V") if first else ("W_K",):
            other = 2 * inputs[which] + 1
            yield case(f"{name}, {which} replaced", **inputs, which=which, replacement=other)
    misnamed = {**_one_wide([1]), "which": "W_O", "replacement": array([[1]])}
    yield refused("no such projection", "raises: name", ("W_O",), **misnamed)


ABLATE = tuple(_ablated())
OBSERVED = (
    *(
        case(name, **with_output(inputs), target=len(inputs["X"]) - 1)
        for name, inputs in _SEQUENCES
    ),
    case("the first of two", **with_output(_one_wide([1, 1000])), target=0),
)


# --- batches and masks -------------------------------------------------------------------


def _batch(inputs: Mapping[str, model.Array], items: int = 2) -> Arrays:
    """Items that differ: the tokens in turn, and one more each time."""
    X = inputs["X"]
    batch = np.stack([np.roll(X, b, axis=0) + b for b in range(items)])
    return with_output({**inputs, "X": batch})


_OWN = array([[[1, 0], [1, 1]], [[1, 1], [0, 1]]], bool)
_EMPTY = array([[[1, 1], [0, 0]]], bool)
_PADDING = array([[[1, 1]], [[1, 0]]], bool)


def _batches() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "one item", _batch(_one_wide([1, 2]), 1)
    yield "two items", _batch(_one_wide([1, 2]))
    yield "two items, d_k = 2", _batch(_WIDE_KEYS)
    yield "two items, no mask", {**_batch(_WIDE_KEYS), "visible": None}
    yield "two items, d_model = 2", _batch(_ASYMMETRIC)
    yield "two items, all widths 2", _batch(_TWO_BY_TWO)
    yield "two items, d_v = 2", _batch({**_one_wide([1, 2]), "W_V": array([[3, -1]])})
    yield "masks of their own", {**_batch(_WIDE_KEYS), "visible": _OWN}
    yield "one mask for all", {**_batch(_WIDE_KEYS), "visible": _OWN[1]}
    yield "a query that sees nothing", {**_batch(_WIDE_KEYS, 1), "visible": _EMPTY}
    yield "padding", {**_batch(_WIDE_KEYS), "visible": _PADDING}
    yield "integers", _batch({name: x.astype(np.int64) for name, x in _WIDE_KEYS.items()})
    far = {**_batch(_one_wide([1, 1000]), 1), "visible": array([[1, 0], [1, 1]], bool)}
    yield "a hidden score far above", far
    low = {**_batch(_one_wide([200, 1], W_K=-1), 1), "visible": array([[1, 0], [1, 1]], bool)}
    yield "a hidden score far below", low
    yield "scores that overflow", _batch(_one_wide([30, 31]), 1)
    yield "float32", _batch({name: x.astype(np.float32) for name, x in _WIDE_KEYS.items()})
    yield "no float32", _batch(_TENTHS)
    yield "three tokens", _batch({**_WIDE_KEYS, "X": array([[1], [2], [0]])})
    yield "different widths", _batch(_numbers(4, 3, 2, 5), 3)


BATCHED = tuple(case(name, **inputs) for name, inputs in _batches())


def _of_class() -> Iterator[model.Case]:
    for name, inputs in _SEQUENCES:
        yield case(name, **with_output(inputs))
    for name, inputs in _batches():
        yield case(f"{name}, in a batch", **inputs)
    masked = {**with_output(_WIDE_KEYS), "visible": _OWN[1]}
    yield case("a mask, and no causality", **masked, causal=False)
    yield case("no mask, and no causality", **{**masked, "visible": None}, causal=False)
    yield case("masks, and no causality", **_batch(_WIDE_KEYS), visible=_OWN, causal=False)
    empty = {**with_output(_WIDE_KEYS), "visible": _EMPTY[0]}
    yield case("a query that sees nothing", **empty, causal=False)
    misfit = {**with_output(_one_wide([1])), "W_K": array([[1, 2]])}
    del misfit["X"]
    yield refused("W_K is wider than W_Q", "raises: shapes", (1, 2), **misfit)


LAYER = tuple(_of_class())

# --- one row, softmax, masks -------------------------------------------------------------


def _readings() -> Iterator[model.Case]:
    one = {"query": array([1, 0]), "keys": array([[1, 0], [0, 1]]), "values": array([[1], [3]])}
    yield case("two keys", **one)
    yield case("two keys, one of them hidden", **one, visible=array([1, 0], bool))
    yield case("two keys, nothing visible", **one, visible=array([0, 0], bool))
    other = {
        "query": array([1, 2]),
        "keys": array([[1, 2], [3, 0]]),
        "values": array([[1], [3]]),
    }
    yield case("two other keys", **other)
    yield case("two keys, two features", **{**other, "values": array([[1, 2], [3, 5]])})
    yield case("integers", **{name: x.astype(np.int64) for name, x in other.items()})
    wide = {"query": array([1]), "keys": array([[1], [1000]]), "values": array([[1], [3]])}
    yield case("a hidden score far above", **wide, visible=array([1, 0], bool))
    yield case("a score far above", **wide)
    low = {**wide, "keys": array([[-20000], [0]])}
    yield case("a hidden score far below", **low, visible=array([1, 0], bool))
    yield case("two scores far below", **{**wide, "keys": array([[-1000], [-1001]])})
    yield case("float32", **{name: x.astype(np.float32) for name, x in other.items()})
    yield case("no float32", **{**other, "query": array([0.1, 0.7])})
    three = {"query": array([1, 2]), "keys": array([[1, 2], [3, 0], [0, 1]])}
    three["values"] = array([[1, 2, 0, 1], [3, 5, 1, 0], [2, 2, 1, 1]])
    yield case("three keys", **three)
    yield case("three keys, one of them hidden", **three, visible=array([0, 1, 1], bool))


READING = tuple(_readings())


def _softmaxes() -> Iterator[model.Case]:
    inf = np.inf
    matrix = array([[0, 1], [2, 4]])
    yield case("two rows", "values", scores=matrix)
    yield case("integers", "values", scores=array([[0, 1]], np.int64))
    yield case("float32", "values", scores=array([[0.1, 0.7]], np.float32))
    yield case("no float32", "values", scores=array([[0.1, 0.7]]))
    yield case("a vector", "rank and axis", scores=array([0, 1]))
    yield case("axis 0", "rank and axis", scores=matrix, axis=0)
    yield case("three axes", "rank and axis", scores=array([[[0, 1], [2, 4]]]))
    yield case("three axes, the second", "rank and axis", scores=array([[[0, 1], [2, 4]]]), axis=1)
    yield case("one entry is -inf", "-inf entries", scores=array([[0, -inf]]))
    yield case("all of them are -inf", "all -inf", scores=array([[-inf, -inf]]))
    yield case("large scores", "large scores", scores=array([[1000, 1001]]))
    yield case("two rows far apart", "large scores", scores=array([[0, 1], [1000, 1001]]))
    yield case("low scores", "large scores", scores=array([[-1000, -1001]]))
    yield case("-inf among low scores", "large scores", scores=array([[-20000, -inf]]))


SOFTMAX = tuple(_softmaxes())
CAUSAL_MASK = tuple(case(f"T = {T}", T=T) for T in (3, 5))
VISIBILITY = (
    case("two tokens, causal", "causal", T_q=2, T_k=2, causal=True),
    case("one query, two keys", "all visible", T_q=1, T_k=2, causal=False),
    case("two tokens, not causal", "all visible", T_q=2, T_k=2, causal=False),
    case("three tokens, causal", "causal", T_q=3, T_k=3, causal=True),
    refused("causal, one query, two keys", "raises: causal", (1, 2), T_q=1, T_k=2, causal=True),
    refused("causal, two queries, one key", "raises: causal", (2, 1), T_q=2, T_k=1, causal=True),
)
PADDING = (
    case("one item", lengths=[1], T=2),
    case("two items", lengths=[1, 2], T=2),
    case("an empty item", lengths=[0], T=1),
    case("three items in an array", lengths=np.array([2, 0, 3]), T=3),
    refused("a length over T", "raises: over T", (2,), lengths=[2], T=1),
    refused("a length below 0", "raises: below 0", (-1,), lengths=[-1], T=1),
)


def _masks() -> Iterator[model.Case]:
    def mask(rows: Any) -> model.Array:
        return array(rows, bool)

    sizes = {"B": 2, "T_q": 1, "T_k": 2}
    yield case("no mask", "none", visible=None, **sizes)
    yield case("a row for all items", "rank 2", visible=mask([[1, 0]]), **sizes)
    yield case("a row for each item", "rank 3", visible=mask([[[1, 0]], [[0, 1]]]), **sizes)
    yield case("one item's for all", "rank 3", visible=mask([[[1, 0]]]), **sizes)
    taller = {"B": 2, "T_q": 2, "T_k": 2}
    yield case("a matrix for all items", "rank 2", visible=mask([[1, 0], [1, 1]]), **taller)
    yield case("one row for all queries", "rank 3", visible=mask([[[1, 0]], [[0, 1]]]), **taller)
    yield misranked("a vector", "raises: rank 1", (2,), visible=mask([1, 0]), **sizes)
    yield refused("one row for two", "raises: rank 2", (1, 2), visible=mask([[1, 0]]), **taller)
    wrong = {"visible": mask([[[1, 0]], [[0, 1]]]), "B": 3, "T_q": 1, "T_k": 2}
    yield refused("masks of two items for three", "raises: rank 3", (2, 3), **wrong)
    four = {"visible": mask([[[[1, 0]]]]), "B": 3, "T_q": 1, "T_k": 2}
    yield misranked("four axes", "raises: rank 4", (3, 2), **four)


BROADCAST = tuple(_masks())

# --- sources, projections ----------------------------------------------------------------


def _sources() -> Iterator[model.Case]:
    self = {"X": array([[1, 2]]), "W_Q": array([[1], [0]]), "W_K": array([[0], [1]])}
    self["W_V"] = array([[1], [3]])
    yield case("one token", **self)
    yield case("one token, another as the context", **self, context=array([[3, 5]]))
    narrow = {**self, "W_K": array([[2]]), "W_V": array([[3]]), "context": array([[1], [4]])}
    yield case("a narrow context of two", **narrow)
    yield case("integers", **{name: x.astype(np.int64) for name, x in self.items()})
    yield case("float32", **{name: x.astype(np.float32) for name, x in self.items()})
    yield case("no float32", **{**self, "X": array([[0.1, 0.7]])})
    yield case("d_v = 2", **{**self, "W_V": array([[1, 2], [3, 5]])})
    for W in ("W_Q", "W_K", "W_V"):
        inputs = {**self, W: array([[1], [2], [3]])}
        yield refused(f"{W} has three rows", f"raises: {W}", (2, 3), **inputs)
    thin = {**self, "W_Q": array([[1]])}
    yield refused("W_Q has one row", "raises: W_Q", (2, 1), **thin)


SOURCES = tuple(_sources())


def _projections() -> Iterator[model.Case]:
    plain, bias = "without a bias", "with a bias"
    one = {"context": array([[1, 2]]), "W_O": array([[1, 0], [3, -1]])}
    yield case("one token", plain, context=array([[2]]), W_O=array([[3]]))
    yield case("widths of 2", plain, **one)
    yield case("d_model = 2", plain, context=array([[2]]), W_O=array([[3, -4]]))
    yield case("a bias", bias, **one, b_O=array([5, -7]))
    yield case("no rows", plain, context=array([1, 2]), W_O=one["W_O"])
    yield case("a batch", plain, context=array([[[1, 2]], [[3, 4]]]), W_O=one["W_O"])
    yield case("integers", plain, **{name: x.astype(np.int64) for name, x in one.items()})
    yield case("float32", plain, **{name: x.astype(np.float32) for name, x in one.items()})
    yield case("no float32", plain, context=array([[0.1, 0.7]]), W_O=one["W_O"])
    thin = {"context": array([[1, 2, 3]]), "W_O": one["W_O"]}
    yield refused("a context of width 3", "raises: context", (3, 2), **thin)
    yield refused("a bias of one", "raises: b_O", (1, 2), **one, b_O=array([5]))


OUTPUT_PROJECTION = tuple(_projections())
FOLD = (
    case("d_v = 1", W_V=array([[1], [2]]), W_O=array([[3, 5]])),
    case("widths of 2", W_V=array([[1, 2], [0, 1]]), W_O=array([[1, 0], [3, 1]])),
    case("integers", W_V=array([[1], [2]], np.int64), W_O=array([[3, 5]], np.int64)),
    case("float32", W_V=array([[1], [2]], np.float32), W_O=array([[3, 5]], np.float32)),
    case("no float32", W_V=array([[0.1], [0.7]]), W_O=array([[0.3, 0.9]])),
)


def _traces() -> Iterator[model.Case]:
    names = ("Q", "K", "V", "scores", "weights", "context")
    zeros = {name: array([[0, 0]]) for name in names}

    def differing(
        name: str, check: str, changes: Mapping[str, Sequence[float]], **more: Any
    ) -> model.Case:
        after = {stage: array([changes.get(stage, (0, 0))]) for stage in names}
        return case(name, check, before=zeros, after=after, **more)

    yield differing("one number grows", "differ", {"V": (1, 0)})
    yield differing("one number falls", "differ", {"V": (-1, 0)})
    yield differing("nothing changes", "differ", {})
    yield differing("both numbers change", "differ", {"K": (1, 2)})
    yield differing("two changes that cancel", "differ", {"weights": (1, -1)})
    yield differing("three stages", "order", {"K": (1, 1), "scores": (2, 2), "Q": (3, 3)})
    yield differing("exactly atol", "atol", {"Q": (1, 1), "V": (2, 2)}, atol=1)
    yield differing("below atol", "atol", {"Q": (1, 1), "V": (5, 5)}, atol=3)
    yield differing("a tiny atol", "atol", {"Q": (1e-10, 1e-10)}, atol=1e-11)
    yield differing("below the default", "default atol", {"Q": (1e-10, 1e-10), "V": (1e-8, 1e-8)})
    large = {name: array([[1e6, 1e6]]) for name in names}
    moved = {**large, "V": array([[1e6 + 1, 1e6]])}
    yield case("large numbers", "differ", before=large, after=moved)


CHANGED = tuple(_traces())

# --- counts ------------------------------------------------------------------------------

KIND = (
    case("one source", "self", query_source="p", key_source="p", value_source="p"),
    case("two sources", "cross", query_source="p", key_source="q", value_source="q"),
    case("values from elsewhere", "neither", query_source="p", key_source="p", value_source="q"),
    case("queries and values", "neither", query_source="p", key_source="q", value_source="p"),
    case("three sources", "neither", query_source="p", key_source="q", value_source="r"),
)
SHAPES = (
    case("sizes from 1 to 5", batch=1, tokens=2, d_model=3, d_k=4, d_v=5),
    case("sizes from 2 to 6", batch=2, tokens=3, d_model=4, d_k=5, d_v=6),
)
COUNT = (
    case("widths from 1 to 3", d_model=3, d_k=1, d_v=2),
    case("with biases", d_model=3, d_k=1, d_v=2, bias=True),
    case("wider", d_model=4, d_k=2, d_v=5),
    case("wider, with biases", d_model=4, d_k=2, d_v=5, bias=True),
)
COST = (
    case("two tokens", T=2, d_model=3, d_k=1, d_v=2),
    case("two items", T=2, d_model=3, d_k=1, d_v=2, batch=2),
    case("three tokens", T=3, d_model=4, d_k=2, d_v=5),
    case("three items", T=3, d_model=4, d_k=2, d_v=5, batch=3),
    case("a long sequence", T=100_000, d_model=30_000, d_k=1, d_v=1),
)
PATH = (
    case("attention, two apart", "self-attention", architecture="self-attention", distance=2),
    case("recurrent, two apart", "recurrent", architecture="recurrent", distance=2),
    case("recurrent, three apart", "recurrent", architecture="recurrent", distance=3),
    case("a convolution, two apart", "convolution", architecture="convolution", distance=2),
    case("a convolution, three apart", "convolution", architecture="convolution", distance=3),
    case("a convolution, four apart", "convolution", architecture="convolution", distance=4),
    case("kernel 2", "convolution", architecture="convolution", distance=3, kernel=2),
    case("kernel 4", "convolution", architecture="convolution", distance=4, kernel=4),
    case("kernel 4, eight apart", "convolution", architecture="convolution", distance=8, kernel=4),
    refused("an unknown name", "raises: name", ("x",), architecture="x", distance=1),
)
PASSES = (
    case("two tokens in training", "training", tokens=2, mode="training"),
    case("two tokens, generated", "generation", tokens=2, mode="generation"),
    case("three tokens, generated", "generation", tokens=3, mode="generation"),
    refused("an unknown mode", "raises: name", ("x",), tokens=1, mode="x"),
)
_ITEMS = array([[[1]], [[2]]])
_THREE = [[[1]], [[2]], [[3]]]


def _layer(name: str, check: str, layer: str, X: model.Array = _ITEMS) -> model.Case:
    return case(name, check, layer=frozen.LAYERS[layer], X=X)


INTERACT = (
    _layer("each item alone", "apart", "doubled"),
    _layer("the mean of the batch", "interact", "centred"),
    _layer("items of zeros", "interact", "centred", 0 * _ITEMS),
    _layer("constants", "apart", "constant"),
    _layer("the first item reads the last", "interact", "first reads last"),
    _layer("the last item reads the first", "interact", "last reads first"),
    _layer("a small effect", "interact", "hardly"),
    _layer("three items", "interact", "first reads last", array(_THREE)),
    _layer("differences", "interact", "differences", array([[[1], [2]], [[3], [5]]])),
)
