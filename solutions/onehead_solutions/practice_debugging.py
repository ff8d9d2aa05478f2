"""Practice problems that hand over a broken function: first repaired, then as handed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.compare import output_bound, scores_bound, weights_bound
from onehead.model import Array, Case, Misconception, Names, Part, Rounding, Stage
from onehead_solutions import small_practice as small
from onehead_solutions import wrong
from onehead_solutions.attention import causal, chain, floats, scaled_scores, visible_softmax
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import layer, telling, with_zeros
from onehead_solutions.wrong import of_stages

# --- references --------------------------------------------------------------------------


def debugging_1(scores: np.ndarray) -> np.ndarray:
    """Causal attention weights from scores (T, T)."""
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool))
    masked = np.where(visible, scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def debugging_2(Q: np.ndarray, K: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Weights (B, T, T) of a padded batch: no query reads padding."""
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def debugging_3(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray, W_O: np.ndarray
) -> np.ndarray:
    """The output of a causal layer, for X (T, d_model) or (B, T, d_model)."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_k = K.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_k**0.5
    masked = np.where(np.tril(np.ones((T, T), dtype=bool)), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return weights @ V @ W_O


# --- as handed over ----------------------------------------------------------------------


def broken_1(scores: np.ndarray) -> np.ndarray:
    """A hidden score becomes 0, and the exponential of 0 is 1."""
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool))
    masked = np.where(visible, scores, 0)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return np.asarray(exp / exp.sum(axis=-1, keepdims=True))


def broken_2(Q: np.ndarray, K: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The mask lies along the queries: padded rows are hidden, padded columns are read."""
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, :, None], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return np.asarray(exp / np.where(total == 0, 1, total))


def broken_3(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray, W_O: np.ndarray
) -> np.ndarray:
    """The scale is the model's, and axis 1 holds the keys of one sequence but a batch's queries."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_model = X.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_model**0.5
    masked = np.where(np.tril(np.ones((T, T), dtype=bool)), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = exp / exp.sum(axis=1, keepdims=True)
    return np.asarray(weights @ V @ W_O)


# --- debugging-1 -------------------------------------------------------------------------


def _scores(
    name: str, T: int, shift: Any = 0, dtype: Any = np.float64, public: bool = False
) -> Case:
    def make(draw: Draw) -> dict[str, Any]:
        whole = np.any(shift) or dtype is np.int64
        scores = draw.integers(-2, 2, T, T) + shift if whole else draw.reals(T, T, scale=2.0)
        return {"scores": scores.astype(dtype)}

    def weights(inputs: dict[str, Any]) -> Array:
        return visible_softmax(floats(inputs["scores"]), causal(T))

    drawn = f"practice debugging-1 {name}"
    inputs = telling(drawn, make, weights) if T > 1 else make(Draw(drawn))
    return Case(name, inputs, public=public, extreme=bool(np.any(shift)))


# Rows far apart from one another, and rows from one end to the other: neither the first score that
# is seen, nor a token's own, nor the mean is near the highest; 15 and 40 below it, a weight is
# small, and not 0.
_FAR_APART = np.array(
    [
        [0, 0, 0, 0, 0],
        [10_000] * 5,
        [-10_000] * 5,
        [10_000, 0, 9_960, -10_000, 0],
        [-10_000, 10_000, 9_985, 0, 9_960],
    ]
)


def _future_dominates() -> Case:
    case = _scores("the future dominates", 4)
    scores = case.inputs["scores"] + np.triu(np.full((4, 4), 10_000.0), 1)
    return Case(case.name, {"scores": scores}, extreme=True)


def _given_scores(i: Names) -> dict[str, Array]:
    return {"scores": floats(i.scores), "visible": causal(len(i.scores))}


def _causal_of_scores(i: Names) -> Array:
    return causal(len(i.scores))


_FULL_ROWS = ("empty-row-nan",)  # each token sees itself

DEBUGGING_1 = Part(
    "debugging-1",
    1,
    (
        Stage(
            "weights",
            "masking",
            want=lambda i, e: visible_softmax(floats(i.scores), causal(len(i.scores))),
            allow=lambda i, e, r: weights_bound(i.scores, causal(len(i.scores)), r),
            axes=("query", "key"),
        ),
    ),
    (
        _scores("three tokens", 3, public=True),
        _scores("five tokens", 5, public=True),
        _scores("one token", 1),
        with_zeros(_scores("twenty tokens", 20), "scores", 0, 0),
        _scores("float32", 4, dtype=np.float32),
        _scores("integers", 4, dtype=np.int64),
        _scores("large scores", 4, shift=10_000),
        _scores("very negative scores", 5, shift=-10_000),
        _scores("rows far apart", 5, shift=_FAR_APART),
        _future_dominates(),
    ),
    misconceptions=(
        *wrong.under_masks(_given_scores, wrong.masks("visible", _causal_of_scores)),
        *wrong.weights_of(_given_scores, scores=True, without=_FULL_ROWS),
    ),
    target="debugging_1",
    small=small.DEBUGGING_1,
    handed_over=broken_1,
)

# --- debugging-2 -------------------------------------------------------------------------


def _real(i: Names, longer: int = 0) -> Array:
    """bool (B, T): the tokens that are no padding."""
    return np.asarray(np.arange(i.K.shape[1]) < np.asarray(i.lengths)[:, None] + longer)


def _in_front(i: Names) -> Array:
    T = i.K.shape[1]
    return np.asarray(np.arange(T) >= T - np.asarray(i.lengths)[:, None])


def _padded_weights(i: Names, visible: Array) -> Array:
    scores = scaled_scores(floats(i.Q), floats(i.K))
    return visible_softmax(scores, np.broadcast_to(visible, scores.shape))


def _padded_allowed(i: Names, e: Names, r: Rounding) -> Array:
    scores = scaled_scores(floats(i.Q), floats(i.K))
    visible = np.broadcast_to(_real(i)[:, None, :], scores.shape)
    slack = np.where(visible, scores_bound(i.Q, i.K, 0, r), 0.0)
    return weights_bound(scores, visible, r, slack)


def _batch(
    name: str, T: int, d_k: int, *lengths: int, dtype: Any = np.float64, public: bool = False
) -> Case:
    shape = (len(lengths), T, d_k)

    def make(draw: Draw) -> dict[str, Any]:
        whole = dtype is np.int64
        Q, K = (
            draw.integers(-2, 2, *shape) if whole else draw.reals(*shape, scale=1.6)
            for _ in range(2)
        )
        return {"Q": Q.astype(dtype), "K": K.astype(dtype), "lengths": list(lengths)}

    def weights(inputs: dict[str, Any]) -> Array:
        i = Names(inputs)
        return _padded_weights(i, _real(i)[:, None, :])

    drawn = f"practice debugging-2 {name}"
    inputs = telling(drawn, make, weights) if max(lengths) > 1 else make(Draw(drawn))
    return Case(name, inputs, public=public)


def _moved(name: str, real: Any, padded: int, queries: Any = 100) -> Case:
    """Scores of real and of padded keys moved by so much (d_k = 4: by half of Q times K)."""
    case = _batch(name, 5, 4, 3, 5, dtype=np.int64)
    Q, K, lengths = case.inputs["Q"].copy(), case.inputs["K"].copy(), case.inputs["lengths"]
    Q[..., -1] = queries
    is_real = np.arange(5) < np.array(lengths)[:, None]
    K[..., -1] = np.where(is_real, real // 50, padded // 50)
    return Case(case.name, {"Q": Q, "K": K, "lengths": lengths}, extreme=True)


def _given_pairs(i: Names) -> dict[str, Array]:
    shape = (*i.K.shape[:2], i.K.shape[1])
    visible = np.broadcast_to(_real(i)[:, None, :], shape)
    return {"Q": floats(i.Q), "K": floats(i.K), "visible": visible}


def _padding_masks() -> Iterator[Misconception]:
    for name, mask in (
        ("padding-hides-queries", lambda i: _real(i)[:, :, None]),
        ("padding-hides-both", lambda i: _real(i)[:, :, None] & _real(i)[:, None, :]),
        ("mask-first-item", lambda i: _real(i)[:1, None, :]),
        ("length-off-by-one", lambda i: _real(i, 1)[:, None, :]),
        ("length-off-by-one", lambda i: _real(i, -1)[:, None, :]),
        ("padding-in-front", lambda i: _in_front(i)[:, None, :]),
        ("causal-always", lambda i: _real(i)[:, None, :] & causal(i.K.shape[1])),
    ):
        yield of_stages(name, {"visible": _mask(mask)})
    masks = wrong.masks("visible", lambda i: _given_pairs(i)["visible"])
    yield from (m for m in masks if m.name != "mask-transposed")  # that hides queries


def _mask(mask: Callable[[Names], Array]) -> wrong.Wrong:
    return lambda i, e: mask(i)


DEBUGGING_2 = Part(
    "debugging-2",
    1,
    (
        Stage(
            "weights",
            "batching",
            want=lambda i, e: _padded_weights(i, _real(i)[:, None, :]),
            allow=_padded_allowed,
            axes=("query", "key"),
        ),
    ),
    (
        _batch("three items", 4, 2, 3, 1, 4, public=True),
        _batch("two items", 3, 5, 2, 3, public=True),
        _batch("an empty item", 4, 3, 2, 0, 4),
        _batch("one item", 5, 2, 3),
        _batch("equal sizes", 3, 3, 2, 1, 3),
        with_zeros(_batch("as many items as tokens", 4, 6, 4, 2, 3, 1), "Q", 1, 2),
        _batch("one token, or none", 1, 3, 1, 0),
        _batch("padding alone", 3, 2, 0, 0),
        _batch("float32", 5, 3, 4, 2, 5, dtype=np.float32),
        _batch("integers", 4, 5, 3, 2, dtype=np.int64),
        _moved("large scores", 10_000, 10_000),
        _moved("padding dominates", -10_000, 10_000),
        _moved(
            "rows far apart",
            np.array([10_000, -10_000, 8_500, 10_000, 7_500]),
            10_000,
            queries=np.array([100, -100, 0, 1, -100]),
        ),
    ),
    misconceptions=(
        *wrong.under_masks(_given_pairs, _padding_masks()),
        *wrong.weights_of(_given_pairs, scores=False, without=("mask-transposed",)),
        *wrong.over_items(_given_pairs),
    ),
    target="debugging_2",
    small=small.DEBUGGING_2,
    handed_over=broken_2,
)

# --- debugging-3 -------------------------------------------------------------------------


def _weights(i: Names) -> Array:
    """The causal weights of a layer."""
    X = floats(i.X)
    scores = scaled_scores(X @ i.W_Q, X @ i.W_K)
    return visible_softmax(scores, np.broadcast_to(causal(X.shape[-2]), scores.shape))


def _output(i: Names, weights: Array) -> Array:
    return np.asarray(weights @ (floats(i.X) @ i.W_V) @ i.W_O)


def _output_allowed(i: Names, e: Names, r: Rounding) -> Array:
    """The chain's bound, from the input to the output."""
    d_model, weights, nothing = i.X.shape[-1], _weights(i), Names()
    visible = np.broadcast_to(causal(i.X.shape[-2]), weights.shape)
    chain_V = chain(i, nothing, "W_V", "V")
    slack = scores_bound(chain(i, nothing, "W_Q", "Q"), chain(i, nothing, "W_K", "K"), d_model, r)
    scores = scaled_scores(floats(i.X) @ i.W_Q, floats(i.X) @ i.W_K)
    drift = weights_bound(scores, visible, r, np.where(visible, slack, 0.0))
    own = output_bound(weights, chain_V, weights @ chain_V, i.W_O, d_model, r)
    return np.asarray(own + drift @ chain_V @ np.abs(i.W_O))


def _layer(
    name: str, *sizes: int, public: bool = False, dtype: Any = np.float64, **how: Any
) -> Case:
    """``sizes`` is ([B,] T, d_model, d_k, d_v); a batch has d_k = d_model, so that one of the two
    mistakes shows there, and the other one in the single sequences."""
    inputs = layer(f"practice debugging-3 {name}", sizes, W_O=True, dtype=dtype, **how)
    check = "one sequence" if len(sizes) == 4 else "a batch"
    return Case(name, inputs, public=public, check=check, extreme="moved" in how)


def _one_token(case: Case) -> Case:
    return replace(case, name="one token", inputs={**case.inputs, "X": case.inputs["X"][:1]})


DEBUGGING_3 = Part(
    "debugging-3",
    1,
    (
        Stage(
            "output",
            "numerical",
            want=lambda i, e: _output(i, _weights(i)),
            allow=_output_allowed,
            axes=("token", "feature"),
        ),
    ),
    (
        _layer("three tokens", 3, 4, 2, 5, public=True),
        _layer("five tokens", 5, 3, 6, 2),
        _one_token(_layer("three of width 5", 3, 5, 2, 3)),
        _layer("twenty tokens of width 6", 20, 6, 3, 5),
        _layer("one sequence in float32", 4, 5, 2, 3, dtype=np.float32),
        _layer("one sequence of integers", 3, 4, 2, 5, dtype=np.int64),
        _layer("equal sizes", 4, 3, 3, 3),
        _layer("large scores", 5, 6, 4, 3, moved="up"),
        _layer("rows far apart", 6, 5, 4, 3, moved="rows"),
        _layer("a key dominates, seen or hidden", 6, 6, 4, 3, moved="third key"),
        _layer("a batch of two", 2, 3, 4, 4, 5, public=True),
        _layer("a batch in which a key dominates", 3, 6, 4, 4, 6, moved="third key"),
        _layer("as many items as tokens", 4, 4, 3, 3, 2),
        _layer("a batch of equal sizes", 3, 3, 3, 3, 3),
        _layer("a batch in float32", 3, 5, 4, 4, 2, dtype=np.float32),
        _layer("one item, of integers", 1, 4, 3, 3, 5, dtype=np.int64),
        _layer("a batch with rows far apart", 2, 6, 4, 4, 3, moved="rows"),
    ),
    misconceptions=(*wrong.outputs(without=("scores-masked", "mask-first-item", *_FULL_ROWS)),),
    target="debugging_3",
    small=small.DEBUGGING_3,
    handed_over=broken_3,
)

DEBUGGING = (DEBUGGING_1, DEBUGGING_2, DEBUGGING_3)
