"""Lesson 4: self-attention in matrix form."""

from __future__ import annotations

from typing import Any

import numpy as np

from onehead.compare import weights_bound
from onehead.model import Array, Case, Exercise, Names, Part, Rounding, Stage
from onehead_solutions import small, wrong
from onehead_solutions.attention import causal, floats, scaled_scores, trace_stages, visible_softmax
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import (
    FOUR_TOKENS,
    HALF_AS_WIDE,
    in_other_shapes,
    layer,
    with_identity,
    with_zeros,
)

# --- reference ---------------------------------------------------------------------------


def causal_mask(T: int) -> np.ndarray:
    """bool (T, T), True on and below the diagonal."""
    return np.tril(np.ones((T, T), dtype=bool))


def stable_softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Entries of -inf get 0, a slice of all -inf zeros."""
    scores = floats(scores)
    peak = np.max(scores, axis=axis, keepdims=True)
    exp = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=axis, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def self_attention(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray, causal: bool = True
) -> dict[str, np.ndarray]:
    """The trace of one sequence X (T, d_model)."""
    X = floats(X)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = scaled_scores(Q, K)
    visible = causal_mask(len(X)) if causal else np.ones(scores.shape, dtype=bool)
    weights = stable_softmax(np.where(visible, scores, -np.inf))
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": weights @ V,
    }


_TRACE = self_attention(
    FOUR_TOKENS["X"], FOUR_TOKENS["W_Q"], FOUR_TOKENS["W_K"], FOUR_TOKENS["W_V"]
)
TRACE = {
    "scores[3]": _TRACE["scores"][3].tolist(),
    "weights[1]": _TRACE["weights"][1].tolist(),
    "weights[3]": _TRACE["weights"][3].tolist(),
    "context[2]": _TRACE["context"][2].tolist(),
}

# --- checks ------------------------------------------------------------------------------

CAUSAL_MASK = Part(
    "causal_mask",
    1,
    (Stage("visible", "masking", want=lambda i, e: causal(i.T), axes=("query", "key")),),
    tuple(Case(f"T = {T}", {"T": T}, public=T in (1, 4)) for T in (4, 1, 2, 40)),
    behaviour=True,
    misconceptions=wrong.CAUSAL_MASK,
    small=small.CAUSAL_MASK,
)


def _last(x: Any, axis: int) -> Array:
    return np.moveaxis(np.asarray(x, dtype=np.float64), axis, -1)


def _softmax_due(i: Names, e: Names) -> Array:
    axis = i.get("axis", -1)
    scores = _last(i.scores, axis)
    return np.moveaxis(visible_softmax(scores, ~np.isneginf(scores)), -1, axis)


def _softmax_allowed(i: Names, e: Names, r: Rounding) -> Array:
    axis = i.get("axis", -1)
    scores = _last(i.scores, axis)
    return np.moveaxis(weights_bound(scores, ~np.isneginf(scores), r), -1, axis)


def _softmax(
    name: str,
    shape: tuple[int, ...],
    check: str,
    *,
    axis: int | None = None,
    dtype: Any = np.float64,
    shift: Any = 0,
    hidden: Any = None,
    public: bool = False,
) -> Case:
    """Scores of natural size, moved by ``shift``; ``hidden`` picks the entries that are -inf."""
    draw = Draw(f"lesson-04 softmax {name}")
    moved = np.any(shift)
    whole = moved or dtype is np.int64
    scores = draw.integers(-2, 2, *shape) + shift if whole else draw.reals(*shape, scale=2.0)
    scores = scores.astype(dtype)
    if hidden is not None:
        scores[hidden] = -np.inf
    inputs = {"scores": scores} if axis is None else {"scores": scores, "axis": axis}
    return Case(name, inputs, public=public, check=check, extreme=bool(moved))


_MATRIX = _softmax("a matrix", (3, 4), "values", public=True)
SOFTMAX = Part(
    "stable_softmax",
    3,
    (
        Stage(
            "weights", "numerical", want=_softmax_due, allow=_softmax_allowed, axes=("query", "key")
        ),
    ),
    (
        _MATRIX,
        in_other_shapes(_MATRIX, scores=(4, 3)),
        _softmax("a vector", (5,), "rank and axis", public=True),
        _softmax("three axes", (2, 3, 5), "rank and axis"),
        _softmax("three axes, axis 0", (4, 2, 3), "rank and axis", axis=0),
        _softmax("four axes, axis 2", (2, 4, 3, 5), "rank and axis", axis=2),
        _softmax("five axes, axis -3", (2, 1, 4, 3, 5), "rank and axis", axis=-3),
        _softmax("axis 0", (4, 3), "rank and axis", axis=0, public=True),
        _softmax("axis -2", (2, 5, 3), "rank and axis", axis=-2),
        _softmax("integers", (3, 5), "values", dtype=np.int64),
        _softmax("a square", (3, 3), "values"),
        _softmax("float32", (4, 6), "values", dtype=np.float32, public=True),
        _softmax(
            "some -inf", (3, 4), "-inf entries", hidden=([0, 0, 1, 2], [1, 3, 0, 2]), public=True
        ),
        _softmax(
            "some -inf, axis 0", (4, 3), "-inf entries", axis=0, hidden=([0, 1, 3], [0, 0, 2])
        ),
        _softmax("a row of -inf", (3, 4), "all -inf", hidden=1, public=True),
        _softmax("one entry", (2, 3, 1), "all -inf", hidden=(0, 1)),
        _softmax(
            "three axes, a slice of -inf along axis 1",
            (2, 4, 3),
            "all -inf",
            axis=1,
            hidden=([0, 0, 0, 0, 1], [0, 1, 2, 3, 1], [2, 2, 2, 2, 0]),
        ),
        _softmax("a vector of -inf", (4,), "all -inf", axis=0, hidden=slice(None)),
        _softmax("large scores", (3, 4), "large scores", shift=10_000, public=True),
        _softmax(
            "items far apart, axis 1",
            (2, 4, 3),
            "large scores",
            axis=1,
            shift=np.array([[[10_000]], [[-10_000]]]),
        ),
        _softmax(
            "rows far apart", (3, 4), "large scores", shift=np.array([[10_000], [0], [-10_000]])
        ),
        _softmax(
            "a row from one end to the other",
            (2, 4),
            "large scores",
            shift=np.array([[-10_000, 10_000, 9_970, 0], [-10_000, -9_999, 10_000, -10_000]]),
        ),
        _softmax(
            "three axes, large float32 scores",
            (2, 2, 5),
            "large scores",
            shift=np.array([[[1_000], [-1_000]], [[-1_000], [1_000]]]),
            dtype=np.float32,
        ),
        _softmax(
            "-inf among very negative", (3, 4), "large scores", shift=-10_000, hidden=(0, [0, 2])
        ),
    ),
    behaviour=True,
    misconceptions=wrong.SOFTMAX,
    small=small.SOFTMAX,
)


def _is_visible(i: Names) -> Array:
    T = len(i.X)
    return causal(T) if i.get("causal", True) else np.ones((T, T), dtype=bool)


def _attention(name: str, *sizes: int, public: bool = False, **how: Any) -> Case:
    return Case(
        name, layer(f"lesson-04 {name}", sizes, **how), public=public, extreme="moved" in how
    )


_THREE = _attention("three tokens", 3, 4, 2, 5, public=True)
SELF_ATTENTION = Part(
    "self_attention",
    4,
    trace_stages(_is_visible, shows_visible=True),
    (
        Case("four tokens", FOUR_TOKENS, public=True),
        _THREE,
        in_other_shapes(_THREE, **HALF_AS_WIDE),
        _attention("all visible", 4, 3, 2, 5, causal=False, public=True),
        _attention("five tokens, widths of 1", 5, 1, 1, 1),
        _attention("six tokens, all visible", 6, 4, 5, 3, causal=False),
        with_zeros(_attention("causal by name, twenty tokens", 20, 2, 3, 5, causal=True), "X", 6),
        with_identity(_attention("equal sizes", 3, 3, 3, 3), "W_Q"),
        Case(
            "one token", layer("lesson-04 one", (2, 4, 3, 2)) | {"X": Draw("lesson-04").reals(1, 4)}
        ),
        _attention("float32", 5, 3, 4, 2, dtype=np.float32, public=True),
        _attention("integers", 4, 5, 3, 2, dtype=np.int64, public=True),
        _attention("large scores", 5, 6, 4, 3, moved="up"),
        _attention("very negative scores", 5, 6, 4, 3, moved="down"),
        _attention("rows far apart", 6, 5, 4, 3, moved="rows"),
        _attention("rows far apart, all visible", 5, 7, 4, 3, moved="rows", causal=False),
        _attention("a hidden key dominates", 4, 6, 4, 3, moved="third key"),
    ),
    answer="trace",
    behaviour=True,
    misconceptions=wrong.TRACE,
    small=small.SELF_ATTENTION,
)


def _numbers(key: str) -> Stage:
    """Right to 0.001, worked by hand or by code."""
    return Stage(
        key,
        "numerical",
        want=lambda i, e: np.array(TRACE[key]),
        allow=lambda i, e, r: np.full(len(TRACE[key]), np.nextafter(0.001 / 2, 0)),
        axes=("entry",),
        secret=True,
        by_hand=True,
    )


PARTS = (
    CAUSAL_MASK,
    SOFTMAX,
    SELF_ATTENTION,
    Part(
        "TRACE",
        2,
        tuple(map(_numbers, TRACE)),
        (Case("TRACE"),),
        "value",
        "dict",
        misconceptions=wrong.TRACE_BY_HAND,
    ),
)
EXERCISE = Exercise("lesson-04", "04_matrix_form", "Self-Attention in Matrix Form", PARTS)
