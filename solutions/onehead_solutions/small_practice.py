"""Small cases of the practice set, as in ``small.py``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from onehead.model import Array, Case
from onehead_solutions.small import ATTEND, BATCHED, array, case, refused, with_output

# --- masks -------------------------------------------------------------------------------

MASKING_1 = (
    case("two tokens, a window of 1", T=2, window=1),
    case("two tokens, a window of 2", T=2, window=2),
    case("three tokens, a window of 2", T=3, window=2),
    case("five tokens, a window of 3", T=5, window=3),
)
MASKING_2 = (
    case("one item", lengths=[1], T=2),
    case("two items", lengths=[2, 1], T=2),
    case("an empty item", lengths=[0], T=1),
    case("three tokens", lengths=[2, 3, 0], T=3),
)


def _scores() -> Iterator[tuple[str, Array]]:
    yield "two tokens", array([[0, 1], [2, 4]])
    yield "integers", array([[0, 1], [2, 4]], np.int64)
    yield "float32", array([[0.1, 0.7], [0.3, 0.9]], np.float32)
    yield "no float32", array([[0.1, 0.7], [0.3, 0.9]])
    yield "a score far above", array([[0, 1000], [1, 2]])
    yield "scores far below", array([[-20000, 0], [1, 2]])
    yield "scores that overflow", array([[1000, 0], [1000, 1001]])
    yield "rows far apart", array([[0, 1], [1000, 1001]])
    yield "three tokens", array([[0, 1, 3], [2, 4, 1], [1, 0, 2]])
    yield "four tokens", array([[0, 1, 3, 2], [2, 4, 1, 0], [1, 0, 2, 4], [3, 1, 0, 6]])


DEBUGGING_1 = tuple(case(name, scores=scores) for name, scores in _scores())


def _packed() -> Iterator[Case]:
    yield case("two documents", scores=array([[0, 1], [2, 4]]), documents=array([1, 2], np.int64))
    for name, scores in _scores():
        T = len(scores)
        yield case(f"{name}, one document", scores=scores, documents=np.ones(T, np.int64))
        if T > 2:
            documents = np.repeat([1, 2], [2, T - 2])
            yield case(f"{name}, two documents", scores=scores, documents=documents)


MASKING_3 = tuple(_packed())

# --- padded batches and layers -----------------------------------------------------------


def _pairs() -> Iterator[tuple[str, dict[str, Any]]]:
    Q, K = array([[[1], [2]]]), array([[[1], [3]]])
    yield "one item", {"Q": Q, "K": K, "lengths": [1]}
    yield "no padding", {"Q": Q, "K": K, "lengths": [2]}
    yield "an empty item", {"Q": Q, "K": K, "lengths": [0]}
    wide = {"Q": array([[[1, 0], [1, 2]]]), "K": array([[[1, 1], [0, 3]]])}
    yield "d_k = 2", {**wide, "lengths": [2]}
    yield "integers", {**{name: x.astype(np.int64) for name, x in wide.items()}, "lengths": [2]}
    yield "float32", {**{name: x.astype(np.float32) for name, x in wide.items()}, "lengths": [1]}
    two = {"Q": array([[[1], [2]], [[0], [1]]]), "K": array([[[1], [3]], [[2], [-1]]])}
    yield "two items", {**two, "lengths": [1, 2]}
    yield "two full items", {**two, "lengths": [2, 2]}
    yield "a score far above", {"Q": Q, "K": array([[[1], [1000]]]), "lengths": [1]}
    yield "scores far below", {"Q": Q, "K": array([[[-20000], [1]]]), "lengths": [1]}
    yield "scores that overflow", {"Q": Q, "K": array([[[1000], [1001]]]), "lengths": [2]}
    yield (
        "rows far apart",
        {"Q": array([[[1], [-1]]]), "K": array([[[1000], [999]]]), "lengths": [2]},
    )
    three = {"Q": array([[[1, 0], [1, 2], [0, 1]]]), "K": array([[[1, 1], [0, 3], [2, 0]]])}
    yield "three tokens", {**three, "lengths": [2]}
    items = {name: np.concatenate([x, x + 1, x[:, ::-1]]) for name, x in three.items()}
    yield "three items", {**items, "lengths": [2, 3, 1]}


DEBUGGING_2 = tuple(case(name, **inputs) for name, inputs in _pairs())


def _causal_layers() -> Iterator[Case]:
    for one in ATTEND:
        yield case(one.name, "one sequence", **with_output(one.inputs))
    for batch in BATCHED:
        if "visible" not in batch.inputs:
            yield case(f"{batch.name}, in a batch", "a batch", **batch.inputs)


DEBUGGING_3 = tuple(_causal_layers())

# --- batches -----------------------------------------------------------------------------

_ONE, _TWO = array([[1]]), array([[2], [3]])
BATCHING_1 = (
    case("one sequence", "batch", sequences=[_TWO]),
    case("two sequences", "batch", sequences=[_ONE, _TWO]),
    case("the longer one first", "batch", sequences=[_TWO, _ONE]),
    case("d_model = 2", "batch", sequences=[array([[1, 2]]), array([[3, 4], [5, 6]])]),
)
_OUTPUT = array([[[1], [4]]])
BATCHING_2 = (
    case("one token is real", output=_OUTPUT, lengths=[1]),
    case("both are", output=_OUTPUT, lengths=[2]),
    case("none is", output=_OUTPUT, lengths=[0]),
    case("two items", output=array([[[1], [4]], [[2], [7]]]), lengths=[2, 1]),
    case("integers", output=array([[[1], [4]]], np.int64), lengths=[2]),
    case("float32", output=array([[[0.1], [0.7]]], np.float32), lengths=[1]),
    case("no float32", output=array([[[0.1], [0.7]]]), lengths=[2]),
)

# --- projections and weights -------------------------------------------------------------

_JOINT = {"X": array([[1, 2]]), "W": array([[1, 0, 3], [2, 1, -1]])}
PROJECTION_1 = (
    case("one token", "Q, K and V", X=array([[2]]), W=array([[1, 3, 5]]), d_k=1),
    case("d_model = 2", "Q, K and V", **_JOINT, d_k=1),
    case("d_v = 2", "Q, K and V", X=array([[2]]), W=array([[1, 3, 5, 7]]), d_k=1),
    case("d_k = 2", "Q, K and V", X=array([[2]]), W=array([[1, 3, 5, 7, 9]]), d_k=2),
    case("integers", "Q, K and V", **{n: x.astype(np.int64) for n, x in _JOINT.items()}, d_k=1),
    case("float32", "Q, K and V", **{n: x.astype(np.float32) for n, x in _JOINT.items()}, d_k=1),
    case("no float32", "Q, K and V", X=array([[0.1]]), W=array([[1, 3, 0.7]]), d_k=1),
)
_MATRICES = {"W_Q": array([[1, 0], [2, 1]]), "W_K": array([[1, 3], [0, 1]])}
_THIN = {"W_Q": array([[1], [2]]), "W_K": array([[3], [1]])}
PROJECTION_2 = (
    case("d_k = 1", **_THIN),
    case("d_k = 2", **_MATRICES),
    case("d_model = 1", W_Q=array([[1, 2]]), W_K=array([[3, 1]])),
    case("d_k = 4", W_Q=array([[1, 2, 0, 1]]), W_K=array([[3, 1, 1, 2]])),
    case("integers", **{name: x.astype(np.int64) for name, x in _MATRICES.items()}),
    case("float32", **{name: x.astype(np.float32) for name, x in _MATRICES.items()}),
    case("no float32", W_Q=array([[0.1, 0.7]]), W_K=array([[0.3, 0.9]])),
)
PROJECTION_3 = (
    case("d_k = 1", W_K=array([[1]]), A=array([[2]])),
    case("d_k = 2", W_K=array([[1, 3]]), A=array([[2, 1], [0, 1]])),
    case("d_model = 2", W_K=array([[1, 3], [0, 1]]), A=array([[1, 1], [-1, 1]])),
    case("float32", W_K=array([[1, 3]], np.float32), A=array([[2, 1], [0, 1]], np.float32)),
)
INTERPRETATION_2 = (
    case("two tokens", weights=array([[1, 0], [0.5, 0.5]])),
    case("two other tokens", weights=array([[1, 0], [0.25, 0.75]])),
    case("three tokens", weights=array([[1, 0, 0], [0.25, 0.75, 0], [0.5, 0, 0.5]])),
)
INTERPRETATION_3 = (
    case("two tokens, one value", weights=array([0.5, 0.5]), V=array([[1], [1]])),
    case("three tokens", weights=array([0.25, 0.5, 0.25]), V=array([[1], [2], [3]])),
)

# --- shapes ------------------------------------------------------------------------------

_FIT = {"X": (2, 3), "W_Q": (3, 1), "W_K": (3, 1), "W_V": (3, 2), "W_O": (2, 3)}


def _fits(name: str, **other: tuple[int, int]) -> Case:
    return case(name, **{**_FIT, **other})


SHAPE_2 = (
    _fits("all fit"),
    _fits("two rows for three, W_Q", W_Q=(2, 1)),
    _fits("keys wider than queries", W_K=(3, 2)),
    _fits("two rows for three, W_K", W_K=(2, 1)),
    _fits("two rows for three, W_V", W_V=(2, 2)),
    _fits("wider values alone", W_V=(3, 4)),
    _fits("an output of width 4", W_O=(2, 4)),
)
SHAPE_3 = (
    case("the input alone", "sizes", shapes={"X": (1, 2, 3)}),
    case("the input and K", "sizes", shapes={"X": (1, 2, 3), "K": (1, 2, 4)}),
    case("the scores alone", "sizes", shapes={"scores": (1, 2, 2)}),
    case("the output projection", "sizes", shapes={"W_O": (2, 3)}),
    case("the context and W_Q", "sizes", shapes={"context": (1, 2, 3), "W_Q": (4, 5)}),
    refused(
        "two lengths", "raises: contradiction", (2, 3), shapes={"X": (1, 2, 4), "V": (1, 3, 5)}
    ),
)
