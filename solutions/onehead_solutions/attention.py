"""Single-head self-attention as the chapter's equations, and its stages with their tolerance.

    Q = X W_Q    K = X W_K    V = X W_V        scores  = Q K^T / sqrt(d_k)
    weights = softmax of the visible scores    context = weights V    output = context W_O

The functions at the top are the reference and the source of the solved notebooks: plain numpy that
a learner could have written. The stages below are what a trace is judged by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from onehead.compare import context_bound, output_bound, product_bound, scores_bound, weights_bound
from onehead.model import Array, Names, Rounding, Stage


def floats(x: np.ndarray) -> np.ndarray:
    """Integers as float64; floating arrays keep their dtype."""
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def causal(T: int) -> np.ndarray:
    """bool (T, T): each token may read itself and what came before it."""
    return np.tril(np.ones((T, T), dtype=bool))


def scaled_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Q (..., T_q, d_k), K (..., T_k, d_k) -> (..., T_q, T_k)."""
    return Q @ K.swapaxes(-1, -2) / math.sqrt(K.shape[-1])


def visible_softmax(scores: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """Softmax over the visible keys: hidden keys get exactly 0, a row without any gets zeros."""
    peak = np.max(scores, axis=-1, keepdims=True, where=visible, initial=-np.inf)
    shifted = np.where(visible, scores - np.where(np.isfinite(peak), peak, 0), -np.inf)
    exp = np.exp(shifted)
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


# --- stages ------------------------------------------------------------------------------

Visible = Callable[[Names], Array]


def _abs(x: Any) -> Array:
    return np.abs(np.asarray(x, dtype=np.float64))


def chain(i: Names, e: Names, matrix: str, stage: str) -> Array:
    """|X||W|, or the learner's own projection where that is larger."""
    own = e.get(stage)
    size = _abs(i.X) @ _abs(i[matrix])
    return size if own is None else np.maximum(size, _abs(own))


def projection(name: str, matrix: str, source: Callable[[Names], Array] = lambda i: i.X) -> Stage:
    """``name = source @ matrix``."""
    return Stage(
        name,
        "projection",
        want=lambda i, e: floats(source(i)) @ floats(i[matrix]),
        allow=lambda i, e, r: product_bound(source(i), i[matrix], r),
        axes=("token", "feature"),
    )


def _scores_allowed(i: Names, e: Names, r: Rounding) -> Array:
    d_model = np.shape(i.X)[-1]
    return scores_bound(chain(i, e, "W_Q", "Q"), chain(i, e, "W_K", "K"), d_model, r)


SCORES = Stage(
    "scores",
    "numerical",
    want=lambda i, e: scaled_scores(e.Q, e.K),
    allow=_scores_allowed,
    axes=("query", "key"),
)
CONTEXT = Stage(
    "context",
    "numerical",
    want=lambda i, e: e.weights @ e.V,
    allow=lambda i, e, r: context_bound(e.weights, chain(i, e, "W_V", "V"), r, np.shape(i.X)[-1]),
    axes=("query", "feature"),
)
OUTPUT = Stage(
    "output",
    "projection",
    want=lambda i, e: e.context @ floats(i.W_O),
    allow=lambda i, e, r: output_bound(
        e.weights, chain(i, e, "W_V", "V"), e.context, i.W_O, np.shape(i.X)[-1], r
    ),
    axes=("query", "feature"),
)


def visible_stage(visible: Visible) -> Stage:
    return Stage("visible", "masking", want=lambda i, e: visible(i), axes=("query", "key"))


def weights_stage(visible: Callable[[Names, Names], Array]) -> Stage:
    return Stage(
        "weights",
        "numerical",
        want=lambda i, e: visible_softmax(e.scores, np.broadcast_to(visible(i, e), e.scores.shape)),
        allow=lambda i, e, r: weights_bound(e.scores, visible(i, e), r),
        axes=("query", "key"),
    )


def trace_stages(
    visible: Visible, *, shows_visible: bool, output: bool = False
) -> tuple[Stage, ...]:
    """The stages of a trace in dependency order. ``visible(inputs)`` is what may be read."""
    return (
        projection("Q", "W_Q"),
        projection("K", "W_K"),
        projection("V", "W_V"),
        SCORES,
        *([visible_stage(visible)] if shows_visible else []),
        weights_stage((lambda i, e: e.visible) if shows_visible else (lambda i, e: visible(i))),
        CONTEXT,
        *([OUTPUT] if output else []),
    )
