"""Practice problems on projections."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from onehead.compare import product_bound
from onehead.model import Array, Case, Misconception, Names, Part, Rounding, Stage
from onehead_solutions import small_practice as small
from onehead_solutions import wrong
from onehead_solutions.attention import floats
from onehead_solutions.draw import Draw

# --- references --------------------------------------------------------------------------


def projection_1(
    X: np.ndarray, W: np.ndarray, d_k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One product with [W_Q W_K W_V] side by side, cut into Q, K and V."""
    both = floats(X) @ W
    return both[:, :d_k], both[:, d_k : 2 * d_k], both[:, 2 * d_k :]


def projection_2(W_Q: np.ndarray, W_K: np.ndarray) -> np.ndarray:
    """The one matrix (d_model, d_model) with X @ W_QK @ X.T equal to the scores."""
    return floats(W_Q) @ W_K.T / math.sqrt(W_K.shape[1])


def projection_3(W_K: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Keys for queries turned by A: (Q A)(K A^-T)^T = Q A A^-1 K^T."""
    return floats(W_K) @ np.linalg.inv(floats(A)).T


# --- checks ------------------------------------------------------------------------------


def _mistake(
    stage: str, name: str, compute: Callable[[Names], Array], says: str = "", reread: str = ""
) -> Misconception:
    return Misconception(
        name, {stage: lambda i, e: compute(i)}, says or wrong.SAYS[name], reread or "lesson-04"
    )


def _cut(i: Names, part: int) -> slice:
    """The columns of the joint matrix that make Q, K or V."""
    return slice(part * i.d_k, (part + 1) * i.d_k if part < 2 else None)


def _third(name: str, part: int) -> Stage:
    return Stage(
        name,
        "projection",
        want=lambda i, e: floats(i.X) @ floats(i.W)[:, _cut(i, part)],
        allow=lambda i, e, r: product_bound(i.X, i.W[:, _cut(i, part)], r),
        axes=("token", "feature"),
    )


def _joint(
    T: int, d_model: int, d_k: int, d_v: int, dtype: Any = np.float64, public: bool = False
) -> Case:
    name = f"T = {T}, d_model = {d_model}, d_k = {d_k}, d_v = {d_v}, {np.dtype(dtype).name}"
    draw = Draw(f"practice projection-1 {name}")
    numbers = (lambda *s: draw.integers(-4, 4, *s)) if dtype is np.int64 else draw.reals
    X, W = numbers(T, d_model), numbers(d_model, 2 * d_k + d_v)
    inputs = {"X": X.astype(dtype), "W": W.astype(dtype), "d_k": d_k}
    return Case(name, inputs, public=public, check="Q, K and V")


PROJECTION_1 = Part(
    "projection-1",
    1,
    (_third("Q", 0), _third("K", 1), _third("V", 2)),
    (
        _joint(3, 4, 2, 5, public=True),
        _joint(2, 5, 3, 3, public=True),
        _joint(4, 6, 5, 1),
        _joint(5, 3, 1, 4),
        _joint(1, 4, 3, 2),
        _joint(3, 3, 3, 3),
        _joint(4, 3, 2, 6, dtype=np.float32, public=True),
        _joint(3, 4, 2, 3, dtype=np.int64, public=True),
    ),
    answer="tuple",
    behaviour=True,
    misconceptions=(
        _mistake(
            "Q",
            "values-first",
            lambda i: floats(i.X) @ floats(i.W)[:, -i.d_k :],
            "The columns are W_Q, W_K, W_V from left to right.",
            "lesson-03",
        ),
        _mistake("V", "values-from-keys", lambda i: floats(i.X) @ floats(i.W)[:, _cut(i, 1)]),
    ),
    target="projection_1",
    small=small.PROJECTION_1,
)


def _product(i: Names) -> Array:
    return np.asarray(floats(i.W_Q) @ floats(i.W_K).T)


def _reshaped(i: Names) -> Array:
    W_K = floats(i.W_K)
    return np.asarray(floats(i.W_Q) @ W_K.reshape(W_K.shape[::-1]) / math.sqrt(W_K.shape[1]))


def _one_matrix(d_model: int, d_k: int, dtype: Any = np.float64, public: bool = False) -> Case:
    name = f"d_model = {d_model}, d_k = {d_k}, {np.dtype(dtype).name}"
    draw = Draw(f"practice projection-2 {name}")
    numbers = (lambda *s: draw.integers(-4, 4, *s)) if dtype is np.int64 else draw.reals
    inputs = {W: numbers(d_model, d_k).astype(dtype) for W in ("W_Q", "W_K")}
    return Case(name, inputs, public=public)


PROJECTION_2 = Part(
    "projection-2",
    1,
    (
        Stage(
            "W_QK",
            "projection",
            want=lambda i, e: _product(i) / math.sqrt(i.W_K.shape[1]),
            allow=lambda i, e, r: (
                product_bound(i.W_Q, i.W_K.T, r, extra=8) / math.sqrt(i.W_K.shape[1])
            ),
            axes=("row", "column"),
        ),
    ),
    (
        _one_matrix(3, 2, public=True),
        _one_matrix(4, 6, public=True),
        _one_matrix(5, 1),
        _one_matrix(3, 3),
        _one_matrix(1, 7),
        _one_matrix(4, 5, dtype=np.float32, public=True),
        _one_matrix(5, 2, dtype=np.int64, public=True),
    ),
    behaviour=True,
    misconceptions=(
        _mistake("W_QK", "scale-missing", _product),
        _mistake("W_QK", "scale-by-dk", lambda i: _product(i) / i.W_K.shape[1]),
        _mistake("W_QK", "scale-by-dmodel", lambda i: _product(i) / math.sqrt(len(i.W_K))),
        _mistake("W_QK", "keys-reshaped", _reshaped),
        _mistake("W_QK", "qk-swapped", lambda i: _product(i).T / math.sqrt(i.W_K.shape[1])),
    ),
    target="projection_2",
    small=small.PROJECTION_2,
)


def _inverse_allowed(i: Names, e: Names, r: Rounding) -> Array:
    """A row, however it is solved for, errs by no more than |W_K||A^-1||A||A^-1| and growth.

    Orthogonal factorisations (a pseudoinverse, least squares) keep that for a row as a whole, not
    for its entries: where elimination leaves an exact 0, they may leave a rounding error.
    """
    inverse, n = np.abs(np.linalg.inv(floats(i.A).astype(np.float64))), len(i.A)
    size = np.abs(floats(i.W_K)) @ (inverse @ np.abs(i.A) @ inverse).T
    size = np.broadcast_to(size.max(axis=-1, keepdims=True), size.shape)
    return np.asarray(r.of(32 * n * n + 16) * size)


def _turned(d_model: int, *A: list[float], dtype: Any = np.float64, public: bool = False) -> Case:
    name = f"d_model = {d_model}, d_k = {len(A)}, {np.dtype(dtype).name}"
    W_K = Draw(f"practice projection-3 {name}").reals(d_model, len(A), scale=2.0)
    return Case(name, {"W_K": W_K.astype(dtype), "A": np.array(A, dtype=dtype)}, public=public)


PROJECTION_3 = Part(
    "projection-3",
    1,
    (
        Stage(
            "W_K",
            "projection",
            want=lambda i, e: projection_3(i.W_K, i.A),
            allow=_inverse_allowed,
            axes=("row", "column"),
        ),
    ),
    (
        _turned(3, [2, 1], [0, 1], public=True),
        _turned(4, [1, 2, 0], [0, 1, 1], [1, 0, 2], public=True),
        _turned(5, [1, -1], [2, 3]),
        _turned(1, [3, 1, 0], [1, 2, 1], [0, -1, 2]),
        _turned(4, [1, 0, 2, 0], [0, 2, 1, 0], [1, 0, -1, 1], [0, 1, 0, 3]),
        _turned(3, [0.5]),
        _turned(3, [1, 1, 0], [0, 1, 2], [2, 0, 1]),
        _turned(4, [2, 1], [-1, 1], dtype=np.float32, public=True),
        _turned(3, [2, 1], [1, -3], dtype=np.int64),
        _turned(6, [1, 0], [0, 1]),
    ),
    behaviour=True,
    misconceptions=(
        _mistake(
            "W_K",
            "inverse-not-transposed",
            lambda i: floats(i.W_K) @ np.linalg.inv(i.A),
            "The inverse has to be transposed, since K enters the scores transposed.",
            "lesson-03",
        ),
        _mistake(
            "W_K",
            "turned-alike",
            lambda i: floats(i.W_K) @ i.A,
            "Turning both by A keeps scores only where A is orthogonal.",
            "lesson-03",
        ),
        _mistake(
            "W_K",
            "transposed-not-inverted",
            lambda i: floats(i.W_K) @ i.A.T,
            "The transpose of A is not its inverse.",
            "lesson-03",
        ),
    ),
    target="projection_3",
    small=small.PROJECTION_3,
)


PROJECTION = (PROJECTION_1, PROJECTION_2, PROJECTION_3)
