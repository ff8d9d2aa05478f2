"""Wrong ways from scores and a mask to weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from onehead.model import Array, NotReached
from onehead_solutions.attention import visible_softmax

Rule = Callable[[Array, Array], Array]  # scores, visible -> weights
Named = tuple[str, Rule]


def T(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def everything(scores: Array) -> Array:
    return np.ones(scores.shape, dtype=bool)


# --- exponentials and what they are divided by -------------------------------------------


def _divided(exponentials: Rule) -> Rule:
    """Exponentials by their sum: 0/0 or inf/inf in a row that is lost, however it is guarded."""

    def weights(scores: Array, visible: Array) -> Array:
        exp = exponentials(scores, visible)
        return np.asarray(exp / exp.sum(-1, keepdims=True))

    return weights


def _exp(scores: Array, visible: Array) -> Array:
    return np.where(visible, np.exp(scores), 0)


def _exp_times(scores: Array, visible: Array) -> Array:
    return np.exp(scores) * visible


def _less_the_mean(scores: Array, visible: Array) -> Array:
    """The mean is no bound: one high score among low ones overflows. An empty row stays empty."""
    total = np.where(visible, scores, 0).sum(-1, keepdims=True)
    return _less(scores, visible, total / np.maximum(visible.sum(-1, keepdims=True), 1))


def _less(scores: Array, visible: Array, shift: Array) -> Array:
    """Exponentials above another score than the highest."""
    exp = np.where(visible, np.exp(scores - shift), 0)
    return np.asarray(exp / np.where(visible.any(-1, keepdims=True), exp.sum(-1, keepdims=True), 1))


def _less_the_first(scores: Array, visible: Array) -> Array:
    """The first score that is seen is no bound either."""
    first = np.take_along_axis(scores, visible.argmax(-1)[..., None], -1)
    return _less(scores, visible, first)


def _less_its_own(scores: Array, visible: Array) -> Array:
    """Nor is a token's score for itself."""
    if scores.shape[-1] != scores.shape[-2]:
        raise NotReached("diagonal")
    return _less(scores, visible, np.diagonal(scores, axis1=-2, axis2=-1)[..., None])


def _exp_global(scores: Array, visible: Array) -> Array:
    return np.where(visible, np.exp(scores - scores.max()), 0)


def _exp_global_visible(scores: Array, visible: Array) -> Array:
    peak = np.max(np.where(visible, scores, -np.inf))
    return np.where(visible, np.exp(scores - (peak if np.isfinite(peak) else 0)), 0)


def after_softmax(scores: Array, visible: Array) -> Array:
    return np.where(visible, visible_softmax(scores, everything(scores)), 0)


def _renormalised_with(epsilon: float) -> Rule:
    def weights(scores: Array, visible: Array) -> Array:
        left = after_softmax(scores, visible)
        return np.asarray(left / (left.sum(-1, keepdims=True) + epsilon))

    return weights


# --- other axes --------------------------------------------------------------------------


def over_queries(scores: Array, visible: Array) -> Array:
    return T(visible_softmax(T(scores), T(visible)))


def over_matrix(scores: Array, visible: Array) -> Array:
    flat = (*scores.shape[:-2], 1, -1)
    return visible_softmax(scores.reshape(flat), visible.reshape(flat)).reshape(scores.shape)


def over_everything(scores: Array, visible: Array) -> Array:
    flat = visible_softmax(scores.reshape(1, -1), visible.reshape(1, -1))
    return np.asarray(flat.reshape(scores.shape))


def items_share(scores: Array, visible: Array) -> Array:
    """As ``over_items``, of exponentials of rows that were shifted one by one."""
    if scores.ndim < 3:
        raise NotReached("items")
    return _shared_over((0,), _row_shifted)(scores, visible)


def over_items(scores: Array, visible: Array) -> Array:
    if scores.ndim < 3:
        raise NotReached("items")
    moved = visible_softmax(np.moveaxis(scores, 0, -1), np.moveaxis(visible, 0, -1))
    return np.moveaxis(moved, -1, 0)


def first_axis(scores: Array, visible: Array) -> Array:
    """Softmax along axis 0: the queries of one sequence, the items of a batch."""
    return over_items(scores, visible) if scores.ndim > 2 else over_queries(scores, visible)


# --- a number a row, lined up with the columns -------------------------------------------


def misaligned(shown: Array, axis: int, keep_peak: bool, keep_sum: bool) -> Array:
    """A softmax in which the peaks or the sums do not keep their axis."""
    exp = np.exp(shown - shown.max(axis, keepdims=keep_peak))
    return np.asarray(exp / exp.sum(axis, keepdims=keep_sum))


def _misaligned(keep_peak: bool, keep_sum: bool) -> Rule:
    return lambda scores, visible: misaligned(
        np.where(visible, scores, -np.inf), -1, keep_peak, keep_sum
    )


def _misaligned_sum(exponentials: Rule) -> Rule:
    def weights(scores: Array, visible: Array) -> Array:
        exp = exponentials(scores, visible)
        return np.asarray(exp / exp.sum(-1))

    return weights


KEPT = ((True, False), (False, False), (False, True))  # the peaks' axis, the sums' axis

# --- other exponentials ------------------------------------------------------------------


def _row_shifted(scores: Array, visible: Array) -> Array:
    peak = np.max(np.where(visible, scores, -np.inf), axis=-1, keepdims=True)
    return np.where(visible, np.exp(scores - np.where(np.isfinite(peak), peak, 0)), 0)


def _row_shifted_all(scores: Array, visible: Array) -> Array:
    return np.where(visible, np.exp(scores - scores.max(-1, keepdims=True)), 0)


def _shared_over(axes: tuple[int, ...] | None, exponentials: Rule) -> Rule:
    """Exponentials of rows that were shifted one by one, by a sum over other axes."""

    def weights(scores: Array, visible: Array) -> Array:
        exp = exponentials(scores, visible)
        total = exp.sum(axis=axes, keepdims=True)
        return np.asarray(exp / np.where(total == 0, 1, total))

    return weights


def _base_two(scores: Array, visible: Array) -> Array:
    return visible_softmax(scores * np.log(2), visible)


def _twice(scores: Array, visible: Array) -> Array:
    return visible_softmax(visible_softmax(scores, visible), visible)


def _twice_without_mask(scores: Array, visible: Array) -> Array:
    return visible_softmax(visible_softmax(scores, visible), everything(scores))


def _hard(scores: Array, visible: Array) -> Array:
    shown = np.where(visible, scores, -np.inf)
    best = np.arange(scores.shape[-1]) == shown.argmax(-1)[..., None]
    return np.where(best & visible, 1.0, 0.0)


def _sigmoid(scores: Array, visible: Array) -> Array:
    return np.where(visible, 1 / (1 + np.exp(-scores)), 0)


def _clipped(limit: float) -> Rule:
    return lambda scores, visible: visible_softmax(np.clip(scores, -limit, limit), visible)


def _clipped_above(limit: float) -> Rule:
    return lambda scores, visible: visible_softmax(np.minimum(scores, limit), visible)


def _clipped_below(limit: float) -> Rule:
    """Exponents are cut off so far below the highest."""

    def weights(scores: Array, visible: Array) -> Array:
        peak = np.max(np.where(visible, scores, -np.inf), axis=-1, keepdims=True)
        return visible_softmax(np.maximum(scores, peak - limit), visible)

    return weights


def _cut(least: float) -> Rule:
    def weights(scores: Array, visible: Array) -> Array:
        right = visible_softmax(scores, visible)
        return np.where(right < least, 0.0, right)

    return weights


def _empty_row(rule: Rule, fill: float) -> Rule:
    """A rule that is right but for a row in which nothing is seen."""

    def weights(scores: Array, visible: Array) -> Array:
        return np.where(visible.any(-1, keepdims=True), rule(scores, visible), fill)

    return weights


def _in_precision(dtype: type, *, shifted: bool) -> Rule:
    """Exponentials that are taken or kept in a lower precision, as much as the rest is not."""

    def exponentials(scores: Array, visible: Array) -> Array:
        exp: Array
        if not shifted:
            exp = _row_shifted(scores, visible).astype(dtype)
        else:
            peak = np.max(np.where(visible, scores, -np.inf), axis=-1, keepdims=True)
            below = np.where(visible, scores - np.where(np.isfinite(peak), peak, 0), -np.inf)
            exp = np.exp(below.astype(dtype))
        return np.asarray(exp.astype(scores.dtype))

    return _shared_over((-1,), exponentials)


# --- fills -------------------------------------------------------------------------------


def filled(fill: float) -> Rule:
    return lambda scores, visible: visible_softmax(
        np.where(visible, scores, fill), everything(scores)
    )


def added(fill: float) -> Rule:
    return lambda scores, visible: visible_softmax(
        scores + np.where(visible, 0.0, fill).astype(scores.dtype), everything(scores)
    )


def _plus_infinity(scores: Array, visible: Array) -> Array:
    return filled(np.inf)(scores, visible)


def _infinity_takes_all(scores: Array, visible: Array) -> Array:
    """``inf - inf`` is NaN wherever something is hidden."""
    hidden = ~visible.all(-1, keepdims=True)
    return np.where(hidden, np.nan, visible_softmax(scores, everything(scores)))


def _mask_added(scores: Array, visible: Array) -> Array:
    return visible_softmax(scores + visible, everything(scores))


def _unmasked_where_empty(scores: Array, visible: Array) -> Array:
    """A row in which nothing is seen is attended as if nothing were hidden."""
    return visible_softmax(scores, visible | ~visible.any(-1, keepdims=True))


FILL_1E4 = filled(-1e4)
# The usual ones: each leaks among other scores, and all of them fill an empty row alike.
LOW_FILLS: tuple[Rule, ...] = tuple(map(filled, (-1e9, -1e5, -1e10, -1e6)))
FILLS: tuple[Rule, ...] = (
    FILL_1E4,
    *LOW_FILLS,
    *map(filled, (-1e3, -100.0, -50.0, -30.0, -20.0, -10.0, -5.0)),
)
LOW_ADDED: tuple[Rule, ...] = tuple(map(added, (-1e9, -1e5, -1e10, -1e6, -1e8, -1e7, -1e12, -1e15)))
ADDED: tuple[Rule, ...] = (
    added(-1e4),
    *LOW_ADDED,
    *map(added, (-1e3, -100.0, -50.0, -30.0, -20.0, -10.0, -5.0)),
)
# What shows in a row alone in which nothing is seen: no score that is asked for is as low.
EMPTY_ROWS = frozenset((*LOW_FILLS, *LOW_ADDED, _unmasked_where_empty))


# --- masks -------------------------------------------------------------------------------


def masked_by(mask: Callable[[Array], Array]) -> Rule:
    return lambda scores, visible: visible_softmax(
        scores, np.broadcast_to(mask(visible), scores.shape)
    )


def excludes_self(visible: Array) -> Array:
    if visible.shape[-1] != visible.shape[-2]:
        raise NotReached("diagonal")
    return visible & ~np.eye(visible.shape[-1], dtype=bool)


def one_ahead(visible: Array) -> Array:
    """Each query sees the key after each one that it may see: one of the future, if causal."""
    seen = np.array(visible)
    seen[..., 1:] |= visible[..., :-1]
    return seen


Change = Callable[[Array], Array]
CHANGES: tuple[tuple[str, Change], ...] = (
    ("mask-missing", np.ones_like),
    ("mask-inverted", np.logical_not),
    ("mask-transposed", T),
    ("mask-excludes-self", excludes_self),
    ("mask-off-by-one", one_ahead),
)


def _rules() -> Iterator[Named]:
    yield "softmax-over-queries", over_queries
    yield "softmax-global", over_matrix
    yield "softmax-global", over_everything
    for name, axes in (("softmax-over-queries", (-2,)), ("softmax-global", (-2, -1))):
        yield from ((name, _shared_over(axes, exp)) for exp in (_row_shifted, _row_shifted_all))
    yield from (
        ("softmax-global", _shared_over(None, exp)) for exp in (_row_shifted, _row_shifted_all)
    )
    yield "softmax-unstable", _divided(_exp)
    yield "softmax-unstable", _divided(_exp_times)
    yield "softmax-unstable", _less_the_mean
    yield "softmax-unstable", _less_the_first
    yield "softmax-unstable", _less_its_own
    yield "softmax-global-max", _divided(_exp_global)
    yield "softmax-global-max", _divided(_exp_global_visible)
    yield from (
        ("softmax-unnormalised", exp)
        for exp in (_exp, _row_shifted, _row_shifted_all, _exp_global, _exp_global_visible)
    )
    yield from (("softmax-misaligned", _misaligned(*kept)) for kept in KEPT)
    yield "softmax-misaligned", _misaligned_sum(_exp_global)
    yield from ((name, masked_by(change)) for name, change in CHANGES)
    yield "mask-after-softmax", after_softmax
    yield "mask-renormalised", _divided(after_softmax)
    yield "mask-renormalised", _divided(_row_shifted_all)
    yield from (
        ("mask-renormalised", _renormalised_with(e)) for e in (1e-6, 1e-8, 1e-9, 1e-10, 1e-12)
    )
    yield "mask-zero-fill", filled(0.0)
    yield "mask-zero-fill", _empty_row(filled(0.0), 0.0)
    yield from (("mask-finite-fill", rule) for rule in FILLS)
    yield from (("mask-finite-fill", rule) for rule in ADDED)
    yield "mask-finite-fill", _unmasked_where_empty
    yield "mask-tiny-fill", filled(-1e-9)
    yield "mask-tiny-fill", filled(1e-9)
    yield "mask-tiny-fill", added(-1e-9)
    yield "mask-positive-infinity", _plus_infinity
    yield "mask-positive-infinity", _infinity_takes_all
    yield "mask-added", _mask_added
    yield "empty-row-nan", _empty_row(visible_softmax, np.nan)
    for dtype in (np.float32, np.float16):
        yield from (("low-precision", _in_precision(dtype, shifted=s)) for s in (True, False))
    yield "softmax-base-two", _base_two
    yield "softmax-twice", _twice
    yield "softmax-twice", _twice_without_mask
    yield "softmax-hard", _hard
    yield "softmax-sigmoid", _sigmoid
    yield from (("softmax-clipped", _clipped(limit)) for limit in (50.0, 500.0, 700.0, 88.0, 100.0))
    yield from (("softmax-clipped", _clipped_above(limit)) for limit in (50.0, 500.0, 700.0))
    yield from (("softmax-clipped", _clipped_below(limit)) for limit in (10.0, 20.0, 30.0))
    yield from (("weights-cut", _cut(least)) for least in (0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-9))


RULES: tuple[Named, ...] = tuple(_rules())
