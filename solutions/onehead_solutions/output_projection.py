"""Lesson 5: the output projection restores the model width."""

from __future__ import annotations

from typing import Any

import numpy as np

from onehead.compare import product_bound
from onehead.model import Array, Case, Exercise, Names, Part, Rounding, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import choices, counts, refused
from onehead_solutions.attention import floats
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import in_other_shapes, with_identity

# --- reference ---------------------------------------------------------------------------


def output_projection(
    context: np.ndarray, W_O: np.ndarray, b_O: np.ndarray | None = None
) -> np.ndarray:
    """context (..., d_v), W_O (d_v, d_model), b_O (d_model,) -> (..., d_model)."""
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"context has width {context.shape[-1]}, W_O has {W_O.shape[0]} rows")
    if b_O is None:
        return floats(context) @ W_O
    if b_O.shape != W_O.shape[1:]:
        raise ValueError(f"b_O has shape {b_O.shape}, W_O has {W_O.shape[1]} columns")
    return floats(context) @ W_O + b_O


def parameter_count(d_model: int, d_k: int, d_v: int, bias: bool = False) -> dict[str, int]:
    counts = {
        "W_Q": d_model * d_k + bias * d_k,
        "W_K": d_model * d_k + bias * d_k,
        "W_V": d_model * d_v + bias * d_v,
        "W_O": d_v * d_model + bias * d_model,
    }
    return counts | {"total": sum(counts.values())}


def fold_output_projection(W_V: np.ndarray, W_O: np.ndarray) -> np.ndarray:
    """weights @ (X @ W_VO) == (weights @ (X @ W_V)) @ W_O, since products associate."""
    return floats(W_V) @ W_O


OUTPUT_ABLATIONS = {
    "zero": "output is zero",
    "identity, d_v == d_model": "output equals context",
    "transposed, d_v != d_model": "shapes do not fit",
    "orthogonal, d_v == d_model": "output is context rotated",
}

# --- checks ------------------------------------------------------------------------------


def _output(i: Names, e: Names) -> Array:
    output = floats(i.context) @ floats(i.W_O)
    return output if i.get("b_O") is None else output + i.b_O


def _allowed(i: Names, e: Names, r: Rounding) -> Array:
    """A bias is one product more of the sum, wherever it is added."""
    if i.get("b_O") is None:
        return product_bound(i.context, i.W_O, r)
    one = np.ones((*np.shape(i.context)[:-1], 1))
    return product_bound(np.concatenate([i.context, one], -1), np.vstack([i.W_O, i.b_O]), r)


def _project(
    name: str,
    lead: tuple[int, ...],
    d_v: int,
    d_model: int,
    bias: bool = False,
    dtype: Any = np.float64,
    public: bool = False,
) -> Case:
    draw = Draw(f"lesson-05 {name}")
    numbers = (lambda *s: draw.integers(-4, 4, *s)) if dtype is np.int64 else draw.reals
    inputs = {"context": numbers(*lead, d_v), "W_O": numbers(d_v, d_model)}
    if bias:
        inputs["b_O"] = numbers(d_model)
    check = "with a bias" if bias else "without a bias"
    return Case(name, {k: x.astype(dtype) for k, x in inputs.items()}, public=public, check=check)


def _misfit(
    lead: tuple[int, ...], d_v: int, rows: int, bias: int | None = None, columns: int = 5
) -> Case:
    draw = Draw(f"lesson-05 misfit {d_v} {rows} {bias}")
    token = "" if lead else ", one token"
    inputs = {"context": draw.reals(*lead, d_v), "W_O": draw.reals(rows, columns)}
    if bias is None:
        name = f"context of width {d_v}, {rows} rows{token}"
        return refused(name, inputs, d_v, rows, check="raises: context")
    inputs["b_O"] = draw.reals(bias)
    name = f"a bias of {bias} for {columns} column{'s' * (columns > 1)}{token}"
    return refused(name, inputs, bias, columns, check="raises: b_O")


_THREE = _project("three tokens", (3,), 2, 4, public=True)
OUTPUT_PROJECTION = Part(
    "output_projection",
    3,
    (Stage("output", "projection", want=_output, allow=_allowed, axes=("token", "feature")),),
    (
        _THREE,
        in_other_shapes(_THREE, context=(6, 1), W_O=(1, 8)),
        _project("a batch", (2, 3), 4, 5, public=True),
        _project("with a bias", (3,), 2, 4, bias=True, public=True),
        _project("one token's context", (), 3, 5),
        _project("one token's context with a bias", (), 4, 3, bias=True),
        _project("four leading axes", (2, 1, 3, 2), 5, 2),
        _project("equal sizes", (3,), 3, 3),
        _project("two batch axes with a bias", (2, 3, 4), 3, 6, bias=True),
        _project("as many tokens as features, with a bias", (4,), 3, 4, bias=True),
        _project("float32", (4,), 3, 2, dtype=np.float32, public=True),
        _project("one token, float32, with a bias", (1,), 3, 5, bias=True, dtype=np.float32),
        _project("integers", (3,), 4, 2, dtype=np.int64, public=True),
        _project("integers, widths of 1, with a bias", (1, 3), 1, 1, bias=True, dtype=np.int64),
        with_identity(_project("the identity for W_O", (3,), 4, 4), "W_O"),
        _misfit((3,), 4, 2),
        _misfit((3,), 1, 3),
        _misfit((3,), 5, 3),
        _misfit((), 1, 3),
        _misfit((2, 3), 6, 4),
        _misfit((3,), 2, 2, bias=3, columns=1),
        _misfit((2, 3), 2, 2, bias=1),
        _misfit((), 2, 2, bias=1),
    ),
    behaviour=True,
    misconceptions=wrong.no_later("lesson-05", wrong.OUTPUT_PROJECTION),
    small=small.OUTPUT_PROJECTION,
)


def _count(d_model: int, d_k: int, d_v: int, *bias: bool, public: bool = False) -> Case:
    sizes: dict[str, Any] = {"d_model": d_model, "d_k": d_k, "d_v": d_v}
    name = f"d_model = {d_model}, d_k = {d_k}, d_v = {d_v}{', bias' * any(bias)}"
    return Case(name, sizes | ({"bias": bias[0]} if bias else {}), public=public)


PARAMETER_COUNT = Part(
    "parameter_count",
    3,
    counts("parameter-count", parameter_count),
    (
        _count(6, 2, 3, public=True),
        _count(6, 2, 3, True, public=True),
        _count(512, 64, 48),
        _count(10, 13, 7, False),
        _count(7, 5, 11, True),
        _count(12, 12, 12, True),
    ),
    answer="dict",
    misconceptions=wrong.COUNTS,
    small=small.COUNT,
)


def _fold(name: str, d_model: int, d_v: int, dtype: Any = np.float64, public: bool = False) -> Case:
    draw = Draw(f"lesson-05 fold {name}")
    numbers = (lambda *s: draw.integers(-4, 4, *s)) if dtype is np.int64 else draw.reals
    inputs = {"W_V": numbers(d_model, d_v), "W_O": numbers(d_v, d_model)}
    return Case(name, {k: x.astype(dtype) for k, x in inputs.items()}, public=public)


_NARROW = _fold("narrow values", 4, 2, public=True)
FOLD = Part(
    "fold_output_projection",
    2,
    (
        Stage(
            "W_VO",
            "projection",
            want=lambda i, e: floats(i.W_V) @ floats(i.W_O),
            allow=lambda i, e, r: product_bound(i.W_V, i.W_O, r),
            axes=("row", "column"),
        ),
    ),
    (
        _NARROW,
        in_other_shapes(_NARROW, W_V=(2, 4), W_O=(4, 2)),
        _fold("wide values of one feature", 1, 5),
        _fold("equal sizes", 4, 4),
        _fold("float32, one value", 5, 1, np.float32),
        _fold("integers", 3, 2, np.int64, public=True),
        with_identity(_fold("the identity for W_V", 3, 3), "W_V"),
        with_identity(_fold("the identity for W_O", 3, 3), "W_O"),
    ),
    behaviour=True,
    misconceptions=wrong.FOLD,
    small=small.FOLD,
)

PARTS = (
    OUTPUT_PROJECTION,
    PARAMETER_COUNT,
    FOLD,
    Part(
        "OUTPUT_ABLATIONS",
        2,
        choices("projection", OUTPUT_ABLATIONS),
        (Case("OUTPUT_ABLATIONS"),),
        "value",
        "dict",
        misconceptions=wrong.OUTPUT_ABLATIONS,
    ),
)
EXERCISE = Exercise(
    "lesson-05", "05_output_projection", "The Output Projection Restores the Model Width", PARTS
)
