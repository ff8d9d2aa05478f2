"""Lesson 7: what self-attention changes and what it costs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.compare import as_array, output_bound, scores_bound, weights_bound
from onehead.model import Array, Case, Exercise, Names, Part, Rounding, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import choices, counts, near_spellings, plain, refused
from onehead_solutions.attention import causal, chain, floats, scaled_scores, visible_softmax
from onehead_solutions.claims import ATTENTION_CLAIMS
from onehead_solutions.fixtures import (
    FOUR_TOKENS,
    FOUR_TOKENS_W_O,
    HALF_AS_WIDE,
    in_other_shapes,
    layer,
    with_zeros,
)

# --- reference ---------------------------------------------------------------------------


def attention_cost(T: int, d_model: int, d_k: int, d_v: int, batch: int = 1) -> dict[str, int]:
    """Multiply-adds of a dense layer, and the numbers held in its score matrices."""
    cost = {
        "projections": batch * T * d_model * (2 * d_k + d_v),
        "scores": batch * T * T * d_k,
        "weighted_sum": batch * T * T * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    return cost | {"total": sum(cost.values()), "score_entries": batch * T * T}


def path_length(architecture: str, distance: int, kernel: int = 3) -> int:
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return math.ceil(distance / (kernel - 1))
    raise ValueError(f"no path length is known for {architecture!r}")


def sequential_passes(tokens: int, mode: str) -> int:
    if mode == "training":
        return 1
    if mode == "generation":
        return tokens
    raise ValueError(f"mode is 'training' or 'generation', not {mode!r}")


def observed_and_causal(
    X: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    W_O: np.ndarray,
    target: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Without token k's value, output[target] loses weights[target, k] * V[k] @ W_O."""
    X = floats(X)
    scores = scaled_scores(X @ W_Q, X @ W_K)
    weights = visible_softmax(scores, causal(len(X)))[target]
    lost = weights[:, None] * (X @ W_V @ W_O)
    return weights, np.sqrt(np.sum(lost * lost, axis=-1))


def misleading_example() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Token 1 is attended most, and its value vector is small: token 0 has the larger effect."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    W_Q = np.array([[1.0, 0.0], [0.0, 1.0]])
    W_K = np.array([[1.0, 0.0], [0.0, 1.0]])
    W_V = np.array([[3.0, 0.0], [0.0, 0.1]])
    W_O = np.array([[1.0, 0.0], [0.0, 1.0]])
    return X, W_Q, W_K, W_V, W_O, 1


CLAIMS = ATTENTION_CLAIMS

# --- checks ------------------------------------------------------------------------------


def _cost(T: int, d_model: int, d_k: int, d_v: int, *batch: int, public: bool = False) -> Case:
    sizes = {"T": T, "d_model": d_model, "d_k": d_k, "d_v": d_v}
    sizes |= {"batch": batch[0]} if batch else {}
    return Case(", ".join(f"{key} = {size}" for key, size in sizes.items()), sizes, public=public)


ATTENTION_COST = Part(
    "attention_cost",
    3,
    counts("cost", attention_cost),
    (
        _cost(5, 8, 3, 4, public=True),
        _cost(5, 8, 3, 4, 2, public=True),
        # One size changes at a time: who keeps costs by the others hands out an old one.
        _cost(1, 8, 3, 4, 2),
        _cost(5, 48, 3, 4, 2),
        _cost(5, 48, 11, 4, 2),
        _cost(5, 48, 11, 25, 2),
        _cost(5, 48, 25, 11, 2),
        # Beyond 2**53, where floats lose count; few tokens, so that a loop over pairs ends.
        _cost(40, 100_000_007, 7_000_003, 5_000_011, 3),
    ),
    answer="dict",
    misconceptions=wrong.COSTS,
    small=small.COST,
)


def _path(architecture: str, distance: int, *kernel: int, public: bool = False) -> Case:
    inputs: dict[str, Any] = {"architecture": architecture, "distance": distance}
    inputs |= {"kernel": kernel[0]} if kernel else {}
    name = f"{architecture}, {distance} apart, kernel {inputs.get('kernel', 'left out')}"
    return Case(name, inputs, public=public, check=architecture)


PATH_LENGTH = Part(
    "path_length",
    1,
    plain("cost", path_length, "length"),
    (
        _path("self-attention", 5, public=True),
        _path("self-attention", 1),
        _path("self-attention", 900, 5),
        _path("recurrent", 5, public=True),
        _path("recurrent", 1),
        _path("recurrent", 77, 9),
        _path("convolution", 4, public=True),
        _path("convolution", 305),
        _path("convolution", 1, 200),
        _path("convolution", 9, 4),
        _path("convolution", 12, 12),
        _path("convolution", 305, 2),
        *(
            refused(
                f"{name!r} is unknown",
                {"architecture": name, "distance": 3},
                name,
                family="cost",
                check="raises: name",
            )
            for name in near_spellings(
                *("self-attention", "recurrent", "convolution"),
                others=("attention", "transformer", "conv", "cnn", "rnn", "RNN"),
            )
        ),
    ),
    misconceptions=wrong.PATHS,
    small=small.PATH,
)


def _passes(tokens: int, mode: str, public: bool = False) -> Case:
    return Case(
        f"{mode}, {tokens} tokens", {"tokens": tokens, "mode": mode}, public=public, check=mode
    )


SEQUENTIAL_PASSES = Part(
    "sequential_passes",
    1,
    plain("cost", sequential_passes, "passes"),
    (
        _passes(6, "training", public=True),
        _passes(6, "generation", public=True),
        _passes(1, "generation"),
        _passes(250, "generation"),
        _passes(250, "training"),
        *(
            refused(
                f"{name!r} is unknown",
                {"tokens": 4, "mode": name},
                name,
                family="cost",
                check="raises: name",
            )
            for name in near_spellings(
                *("training", "generation"),
                others=("inference", "train", "generate", "evaluation"),
            )
        ),
    ),
    misconceptions=wrong.PASSES,
    small=small.PASSES,
)


def _row(i: Names) -> tuple[Array, Array]:
    """The target's scores and what it may see."""
    X = floats(i.X)
    scores = scaled_scores(X @ i.W_Q, X @ i.W_K)
    return scores[i.target], causal(len(X))[i.target]


def _weights_allowed(i: Names, e: Names, r: Rounding) -> Array:
    scores, visible = _row(i)
    slack = scores_bound(chain(i, e, "W_Q", "Q"), chain(i, e, "W_K", "K"), i.X.shape[-1], r)[
        i.target
    ]
    return weights_bound(scores, visible, r, np.where(visible, slack, 0.0))


def _effects(i: Names, e: Names) -> Array:
    lost = e.weights[:, None] * (floats(i.X) @ floats(i.W_V) @ floats(i.W_O))
    return np.asarray(np.sqrt(np.sum(lost * lost, axis=-1)))


def _effects_allowed(i: Names, e: Names, r: Rounding) -> Array:
    """A difference of two whole output rows is a right way.

    An absolute bound, the same for each k.
    """
    scores, visible = _row(i)
    weights = np.maximum(e.weights, visible_softmax(scores, visible))[None]
    chain_V = chain(i, e, "W_V", "V")
    row = output_bound(weights, chain_V, weights @ chain_V, i.W_O, i.X.shape[-1], r)[0]
    drift = np.sum(_weights_allowed(i, e, r)[:, None] * (chain_V @ np.abs(i.W_O)), axis=0)
    return np.full(len(i.X), 2 * float(np.sqrt(np.sum((row + drift) ** 2))) * (1 + r.of(8)))


def _observed(name: str, target: int, *sizes: int, public: bool = False, **how: Any) -> Case:
    inputs = layer(f"lesson-07 {name}", sizes, W_O=True, **how)
    return Case(name, inputs | {"target": target}, public=public, extreme="moved" in how)


def _from_another(case: Case, name: str, target: int) -> Case:
    """The same layer: who keeps what was found for its arrays hands out another target's."""
    return replace(case, name=name, inputs={**case.inputs, "target": target})


_ONE_TOKEN = {**FOUR_TOKENS, "X": np.array([[0.7, -1.2, 0.4]]), "W_O": FOUR_TOKENS_W_O}
_LAST = _observed("the last of three", 2, 3, 4, 2, 5, public=True)
_ROWS_APART = _observed("rows far apart", 4, 6, 5, 4, 3, moved="rows")
OBSERVED = Part(
    "observed_and_causal",
    2,
    (
        Stage(
            "weights",
            "numerical",
            want=lambda i, e: visible_softmax(*_row(i)),
            allow=_weights_allowed,
            axes=("key",),
        ),
        Stage("effects", "interpretation", want=_effects, allow=_effects_allowed, axes=("key",)),
    ),
    (
        Case("four tokens", {**FOUR_TOKENS, "W_O": FOUR_TOKENS_W_O, "target": 3}, public=True),
        _LAST,
        in_other_shapes(_LAST, **HALF_AS_WIDE, W_O=(10, 2)),
        _observed("the middle of five", 2, 5, 4, 3, 2),
        _observed("the first of four", 0, 4, 1, 2, 5),
        Case("a single token", {**_ONE_TOKEN, "target": 0}),
        with_zeros(_observed("the second of six tokens", 1, 6, 3, 5, 3), "X", 1),
        _observed("equal sizes", 2, 3, 3, 3, 3),
        _observed("float32", 3, 5, 4, 3, 2, dtype=np.float32, public=True),
        _observed("integers", 3, 4, 5, 3, 2, dtype=np.int64, public=True),
        # Not the first key, the token's own, one next to it, or one in the middle.
        _observed("a visible key dominates", 6, 7, 6, 4, 3, moved="third key"),
        _observed("very negative scores", 2, 5, 6, 4, 3, moved="down"),
        _ROWS_APART,
        _from_another(_ROWS_APART, "rows far apart, from a low one", 3),
        _observed("a hidden key dominates", 2, 4, 6, 4, 3, moved="last key"),
    ),
    answer="tuple",
    behaviour=True,
    misconceptions=wrong.OBSERVED,
    small=small.OBSERVED,
)


def _as_example(value: Any) -> tuple[list[Array], int] | str:
    """The learner's example as float64 arrays and a target, or what is wrong with its form."""
    if not isinstance(value, list | tuple) or len(value) != 6:
        return "six things are due: X, W_Q, W_K, W_V, W_O and target"
    *matrices, target = value
    if isinstance(target, bool) or not isinstance(target, int | np.integer):
        return "target is an int"
    arrays = []
    for name, matrix in zip(("X", "W_Q", "W_K", "W_V", "W_O"), matrices, strict=True):
        entries = as_array(matrix)
        if entries is None:
            return f"{name} is no matrix of numbers"
        arrays.append(entries.astype(np.float64))
        if arrays[-1].ndim != 2 or arrays[-1].size == 0 or not np.isfinite(arrays[-1]).all():
            return f"{name} is no finite matrix of rank 2"
    X, W_Q, W_K, W_V, W_O = arrays
    d_model = X.shape[1]
    fits = W_Q.shape[0] == W_K.shape[0] == W_V.shape[0] == d_model == W_O.shape[1]
    if not fits or W_Q.shape[1] != W_K.shape[1] or W_V.shape[1] != W_O.shape[0]:
        return "the matrices do not fit together: " + ", ".join(str(a.shape) for a in arrays)
    if len(X) > 512 or max(max(a.shape) for a in arrays) > 512:
        return "512 rows and columns are enough for an example"
    if not 0 <= target < len(X):
        return f"target {target} is no token of {len(X)}"
    return arrays, int(target)


def _form(i: Names, value: Any) -> str | None:
    example = _as_example(value)
    return example if isinstance(example, str) else None


def _clear_winner(values: Array) -> int | None:
    """The index of the largest value, or None where a second is within 1e-6 of it."""
    order = np.argsort(values)
    if len(values) < 2 or values[order[-1]] - values[order[-2]] <= 1e-6 * values[order[-1]]:
        return None
    return int(order[-1])


def _misleads(i: Names, value: Any) -> str | None:
    example = _as_example(value)
    if isinstance(example, str):
        return example
    (X, W_Q, W_K, W_V, W_O), target = example
    weights, effects = observed_and_causal(X, W_Q, W_K, W_V, W_O, target)
    if target == 0:
        return "token 0 sees itself alone: nothing can mislead there"
    if not np.isfinite(effects).all():
        return "the numbers are so large that the effects overflow"
    most_attended, most_effect = (
        _clear_winner(weights[: target + 1]),
        _clear_winner(effects[: target + 1]),
    )
    if most_attended is None:
        return "two visible tokens share the largest weight"
    if most_effect is None:
        return "two visible tokens share the largest effect"
    if most_attended == most_effect:
        return f"token {most_attended} is attended most and has the largest effect as well"
    return None


MISLEADING = Part(
    "misleading_example",
    2,
    (
        Stage("form", "shape", judge=_form, secret=True),
        Stage("misleads", "interpretation", judge=_misleads, secret=True),
    ),
    (Case("your example", public=True),),
    answer="whole",
)

PARTS = (
    ATTENTION_COST,
    PATH_LENGTH,
    SEQUENTIAL_PASSES,
    OBSERVED,
    MISLEADING,
    Part(
        "CLAIMS",
        1,
        choices("interpretation", CLAIMS),
        (Case("CLAIMS"),),
        "value",
        "dict",
        misconceptions=wrong.ATTENTION_CLAIMS,
    ),
)
EXERCISE = Exercise("lesson-07", "07_costs", "What Self-Attention Changes and What It Costs", PARTS)
