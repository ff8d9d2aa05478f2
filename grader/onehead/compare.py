"""The tolerance: the one place that says how close is close enough.

An answer is compared with a plain float64 reference, entry by entry, against a bound on the
rounding error that any right way of computing it can make. ``u`` is the unit roundoff of the
inputs' dtype. The bounds hold for every order of summation, blocking and fused multiply-add
(Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., ch. 3) and for every stable
softmax (Blanchard, Higham & Higham 2021, IMA J. Numer. Anal. 41(4)). For float64 inputs the
reference rounds as well, so the bound counts twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Comparison, Names, Opaque, Rounding, Stage

FLOAT64 = Rounding(2.0**-53, float(np.finfo(np.float64).tiny))
FLOAT32 = Rounding(2.0**-24, float(np.finfo(np.float32).tiny))
LIKELY_FLOAT32 = Rounding(2.0**-24, float(np.finfo(np.float32).tiny), likely=True)
LIKELY_FLOAT16 = Rounding(2.0**-11, 2.0**-24, likely=True)


def is_float32(inputs: Mapping[str, Any]) -> bool:
    """Whether a case's arrays are float32 (the arrays of one call share one kind of dtype)."""
    return any(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in inputs.values())


# --- bounds, one a formula ---------------------------------------------------------------


def _abs(x: Any) -> Array:
    return np.abs(np.asarray(x, dtype=np.float64))


def _T(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def product_bound(A: Any, B: Any, r: Rounding, extra: int = 4) -> Array:
    """Error of ``A @ B``: ``(n + extra) u |A||B|`` for an inner length n."""
    inner = np.shape(A)[-1]
    return r.of(inner + extra) * (_abs(A) @ _abs(B)) + inner * r.tiny


def scores_bound(chain_Q: Any, chain_K: Any, d_model: int, r: Rounding) -> Array:
    """Error of ``Q @ K.T / sqrt(d_k)``, where ``chain_Q = |X||W_Q|`` bounds what Q was made from.

    With ``d_model = 0`` Q and K are given, not projected.
    """
    d_k = np.shape(chain_Q)[-1]
    size = _abs(chain_Q) @ _T(_abs(chain_K)) / math.sqrt(d_k)
    return r.of(2 * d_model + d_k + 8) * size + d_k * r.tiny


def weights_bound(scores: Any, visible: Any, r: Rounding, slack: Any = 0.0) -> Array:
    """Error of the softmax of the visible scores; 0 where a key is hidden: that weight is exactly
    0.

    ``slack`` is the error that the scores may carry themselves, where they are not part of the
    answer. A visible key's weight may be off by u² more: exponents cut off from below, far from
    where it matters, are right.
    """
    scores = np.asarray(scores, dtype=np.float64)
    visible = np.broadcast_to(np.asarray(visible, dtype=bool), scores.shape)
    some = visible.any(axis=-1, keepdims=True)
    peak = np.where(some, np.max(np.where(visible, scores, -np.inf), axis=-1, keepdims=True), 0.0)
    exp = np.where(visible, np.exp(np.where(visible, scores - peak, 0.0)), 0.0)
    weights = exp / np.where(some, exp.sum(axis=-1, keepdims=True), 1.0)
    g = 4 * r.unit * (np.abs(np.where(visible, scores, 0.0)) + np.abs(peak)) + slack
    g = np.where(visible, g, 0.0)
    spread = np.log(
        np.where(some, np.sum(weights * np.exp(np.minimum(g, 700.0)), -1, keepdims=True), 1.0)
    )
    e = r.of(scores.shape[-1] + 16) + g + spread
    bound: Array = np.where(visible, weights * np.expm1(np.minimum(e, 700.0)) + r.unit**2, 0.0)
    return bound


def context_bound(weights: Any, chain_V: Any, r: Rounding, d_model: int = 0) -> Array:
    """Error of ``weights @ V``, where ``chain_V = |X||W_V|`` bounds what V was made from.

    The chain lets ``(weights @ X) @ W_V`` through. With ``d_model = 0`` V is given, not projected.
    """
    return product_bound(weights, chain_V, r, extra=d_model + 8)


def output_bound(
    weights: Any, chain_V: Any, context: Any, W_O: Any, d_model: int, r: Rounding
) -> Array:
    """Error of ``context @ W_O``, where ``chain_V = |X||W_V|`` bounds what V was made from."""
    T, d_v = np.shape(weights)[-1], np.shape(W_O)[0]
    chain = np.maximum(_abs(weights) @ _abs(chain_V), _abs(context))
    return r.of(d_model + T + d_v + 8) * (chain @ _abs(W_O)) + d_v * r.tiny


# --- one value against another -----------------------------------------------------------


def as_array(value: Any) -> Array | None:
    """A learner's value as an array, or None where it is none. Nested lists are taken for arrays.

    >>> as_array([[1, 2], [3, 4]]).shape
    (2, 2)
    >>> as_array([[1, 2], [3]]) is None
    True
    """
    if isinstance(value, list | tuple) and not _holds_numbers(value):
        return None  # texts above all: numpy gives each entry the room of the longest
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return array if array.dtype.kind in "biuf" else None


def _holds_numbers(value: list[Any] | tuple[Any, ...]) -> bool:
    return all(
        _holds_numbers(x)
        if isinstance(x, list | tuple)
        else isinstance(x, bool | int | float | np.ndarray | np.generic)
        for x in value
    )


def has_dtype(value: Any) -> bool:
    """Whether a dtype is asked of a value.

    Of arrays and numpy scalars, not of lists and numbers.
    """
    return isinstance(value, np.ndarray | np.generic)


def compare_arrays(stage: Stage, got: Any, want: Any, allowed: Any) -> Comparison:
    """Hold ``got`` against ``want``: kind, then shape, then finiteness, then each entry's error."""
    array = as_array(got)
    want = np.asarray(want)
    if got is None or array is None:
        return Comparison(stage.name, "missing" if got is None else "type", got=got, want=want)
    if array.shape != want.shape:
        return Comparison(stage.name, "shape", got=array, want=want)
    numbers, due = array.astype(np.float64), want.astype(np.float64)
    allowed = np.broadcast_to(np.asarray(allowed, dtype=np.float64), due.shape)
    with np.errstate(all="ignore"):
        error = np.abs(numbers - due)
    wrong = ~(error <= allowed)
    if not wrong.any():
        return Comparison(stage.name, "ok", got=array, want=want, size=due.size)
    non_finite = int(np.count_nonzero(~np.isfinite(numbers) & np.isfinite(due)))
    hidden = wrong & (allowed == 0) & (due == 0)
    kind: Any = "non-finite" if non_finite else "value"
    if kind == "value" and hidden.any() and want.dtype != bool and "key" in stage.axes:
        kind = "hidden"
    first = {"non-finite": wrong & ~np.isfinite(numbers), "hidden": hidden}.get(kind, wrong)
    index = tuple(int(i) for i in np.argwhere(first)[0])
    return Comparison(
        stage.name,
        kind,
        got=array,
        want=want,
        at=name_axes(index, stage.axes),
        got_at=_plain(array[index]),
        want_at=_plain(want[index]),
        tolerances=0.0 if want.dtype == bool else _in_tolerances(error, allowed, due),
        differing=int(np.count_nonzero(wrong)),
        size=due.size,
        non_finite=non_finite,
        wrong=wrong,
    )


def _in_tolerances(error: Array, allowed: Array, due: Array) -> float:
    """The largest finite error in units of what was allowed; where nothing was, of one rounding."""
    unit = np.where(allowed > 0, allowed, FLOAT64.unit * np.maximum(1.0, np.abs(due)))
    with np.errstate(all="ignore"):
        ratio = np.where(np.isfinite(error), error / unit, 0.0)
    return float(np.max(ratio, initial=0.0))


def _plain(x: Any) -> float | bool:
    return bool(x) if np.asarray(x).dtype == bool else float(x)


def name_axes(index: tuple[int, ...], axes: tuple[str, ...]) -> dict[str, int]:
    """An index by axis name: the last axes have names, an axis before them is the batch's.

    >>> name_axes((2, 0, 1), ("query", "key"))
    {'item': 2, 'query': 0, 'key': 1}
    """
    front = (
        ["item"]
        if len(index) == len(axes) + 1
        else [f"axis {i}" for i in range(len(index) - len(axes))]
    )
    return dict(zip(front + list(axes)[-len(index) :] if index else [], index, strict=False))


def allowed_error(stage: Stage, inputs: Names, earlier: Names) -> Array | float:
    """The bound of a stage on one case, for the dtype of its inputs."""
    if stage.allow is None:
        return 0.0
    if is_float32(inputs):
        return stage.allow(inputs, earlier, FLOAT32)
    return 2 * stage.allow(inputs, earlier, FLOAT64)


def near_miss(stage: Stage, inputs: Names, earlier: Names, comparison: Comparison) -> Comparison:
    """Mark a wrong value as a near miss where the next lower precision would explain it."""
    if stage.allow is None or comparison.kind != "value":
        return comparison
    low = LIKELY_FLOAT16 if is_float32(inputs) else LIKELY_FLOAT32
    slack = 2.0**-24 if is_float32(inputs) else 0.0
    got, want = np.asarray(comparison.got, np.float64), np.asarray(comparison.want, np.float64)
    most = (0.02 if stage.name == "weights" else 0.01) * np.maximum(np.abs(want), np.abs(got))
    with np.errstate(all="ignore"):
        likely = np.minimum(stage.allow(inputs, earlier, low), most) + slack
        exact = np.asarray(allowed_error(stage, inputs, earlier))
        near = np.abs(got - want) <= np.maximum(likely, exact)
    return replace(comparison, verdict="near-miss") if bool(near.all()) else comparison


def compare_plain(stage: Stage, got: Any, want: Any) -> Comparison:
    """Hold plain data (counts, names, tuples, lists of names) against what is due, exactly."""
    if got is None or got is ... or isinstance(got, Opaque):
        kind: Any = "type" if isinstance(got, Opaque) else "missing"
        return Comparison(stage.name, kind, got=got, want=want)
    same = plain_equal(got, want)
    return Comparison(
        stage.name, "ok" if same else "value", got=got, want=want, size=1, differing=int(not same)
    )


def plain_equal(got: Any, want: Any) -> bool:
    """Equality of plain data: a float is no count, a bool is no int, a list stands for a tuple.

    >>> plain_equal([2, 3], (2, 3)), plain_equal(6.0, 6)
    (True, False)
    >>> plain_equal(np.int64(6), 6), plain_equal(1, True)
    (True, False)
    """
    if isinstance(got, np.ndarray) and got.ndim == 0:
        got = got[()]
    if isinstance(want, bool):
        return isinstance(got, bool | np.bool_) and bool(got) == want
    if isinstance(want, int):
        return isinstance(got, int | np.integer) and not isinstance(got, bool) and int(got) == want
    if isinstance(want, str):
        return isinstance(got, str) and got == want
    if isinstance(want, list | tuple):
        items = got.tolist() if isinstance(got, np.ndarray) else got
        return (
            isinstance(items, list | tuple)
            and len(items) == len(want)
            and all(plain_equal(g, w) for g, w in zip(items, want, strict=True))
        )
    raise TypeError(
        f"no rule compares {type(want).__name__}: what a stage wants is an array, a number, a str, "
        "True or False, or a list or tuple of these"
    )
