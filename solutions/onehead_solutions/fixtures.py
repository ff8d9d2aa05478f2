"""Inputs that can tell: a known mistake shows, and no right answer is at the edge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from onehead.model import Array, Case
from onehead_solutions.attention import causal, scaled_scores, visible_softmax
from onehead_solutions.draw import Draw

FOUR_TOKENS = {
    "X": np.array([[1.0, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]]),
    "W_Q": np.array([[1.0, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]]),
    "W_K": np.array([[-1.0, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]]),
    "W_V": np.array([[0.0, -1], [-1, 2], [1, 2]]),
}
FOUR_TOKENS_W_O = np.array([[1.0, 0, 0], [1, 1, 1]])

Moved = Literal["up", "down", "rows", "third key", "last key"]


def with_identity(case: Case, *matrices: str) -> Case:
    """With identities in place of square matrices: who takes a short cut gives an input back."""
    eyes = {name: np.eye(len(case.inputs[name])) for name in matrices}
    return replace(case, inputs={**case.inputs, **eyes})


def with_zeros(case: Case, name: str, *at: int) -> Case:
    """With zeros there, or all over: scores of exactly 0 are not those of hidden keys."""
    array = case.inputs[name].copy()
    array[at] = 0
    return replace(case, inputs={**case.inputs, name: array})


# The shapes of three tokens with d_model 4, d_k 2 and d_v 5, turned into six with d_model 2.
HALF_AS_WIDE = {"X": (6, 2), "W_Q": (2, 4), "W_K": (2, 4), "W_V": (2, 10)}


def in_other_shapes(case: Case, **shapes: tuple[int, ...]) -> Case:
    """The same numbers one after another, in other shapes: no answer may be kept by bytes alone."""
    reshaped = {name: case.inputs[name].reshape(shape) for name, shape in shapes.items()}
    inputs = {**case.inputs, **reshaped}
    return replace(case, name=f"{case.name}, in other shapes", inputs=inputs, public=False)


def tells(weights: Array) -> bool:
    """Whether some row's largest weight lies between 0.4 and 0.9: neither saturated nor uniform."""
    largest = weights.max(axis=-1)
    return bool(
        np.any((largest >= 0.4) & (largest <= 0.9) & (np.count_nonzero(weights, axis=-1) > 1))
    )


def telling(
    name: str, make: Callable[[Draw], dict[str, Any]], weights: Callable[..., Array]
) -> dict[str, Any]:
    """The first of the name's draws whose weights tell."""
    for attempt in range(200):
        inputs = make(Draw(f"{name} {attempt}"))
        if tells(weights(inputs)):
            return inputs
    raise ValueError(f"no draw of {name!r} gives weights between 0.4 and 0.9")


def natural_weights(inputs: Mapping[str, Any]) -> Array:
    """A layer's weights under its mask and its ``causal`` flag; causal without either."""
    X = np.asarray(inputs["X"], dtype=np.float64)
    scores = scaled_scores(X @ inputs["W_Q"], X @ inputs["W_K"])
    visible = inputs.get("visible")
    if visible is None or inputs.get("causal"):
        allowed = causal(X.shape[-2]) if inputs.get("causal", "visible" not in inputs) else np.True_
        visible = allowed if visible is None else visible & allowed
    return visible_softmax(scores, np.broadcast_to(visible, scores.shape))


def layer(
    name: str,
    sizes: tuple[int, ...],
    *,
    dtype: Any = np.float64,
    moved: Moved | None = None,
    W_O: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """X and the projections of one layer. ``sizes`` is ([B,] T, d_model, d_k, d_v).

    With ``moved`` the scores keep their differences and are moved by 1e4, by integers with d_k = 4,
    so that two equal formulas stay equal: "up" and "down" for all, "rows" up and down in turn,
    "third key" and "last key" for that key alone.
    """
    *batch, T, d_model, d_k, d_v = sizes

    def make(draw: Draw) -> dict[str, Any]:
        def numbers(*shape: int) -> Array:
            whole = dtype is np.int64 or moved
            return draw.integers(-2, 2, *shape) if whole else draw.reals(*shape, scale=1.6)

        inputs = {
            "X": numbers(*batch, T, d_model),
            "W_Q": numbers(d_model, d_k),
            "W_K": numbers(d_model, d_k),
            "W_V": numbers(d_model, d_v),
        }
        if W_O:
            inputs["W_O"] = numbers(d_v, d_model)
        if moved:
            _move(inputs, moved)
        return {k: x.astype(dtype) for k, x in inputs.items()} | more

    return telling(name, make, natural_weights)


def _move(inputs: dict[str, Array], moved: Moved) -> None:
    """Give the last two features of X and the last of Q and K to a shift of 100 * 200 / sqrt(4)."""
    X, W_Q, W_K = inputs["X"], inputs["W_Q"], inputs["W_K"]
    T, d_k = X.shape[-2], W_Q.shape[-1]
    if d_k != 4 or X.shape[-1] < 3:
        raise ValueError(f"moved scores need d_k = 4 and d_model >= 3, not {d_k} and {X.shape[-1]}")
    alone = {"third key": 2, "last key": T - 1}
    X[..., -2] = {"down": -1, "rows": (-1) ** np.arange(T)}.get(moved, 1)
    X[..., -1] = np.arange(T) == alone[moved] if moved in alone else 1
    for W, feature, size in ((W_Q, -2, 100), (W_K, -1, 200)):
        W[-2:] = 0
        W[:, -1] = 0
        W[feature, -1] = size
