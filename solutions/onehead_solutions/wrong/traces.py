"""Known mistakes in traces: of one sequence, of a batch, of a layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from onehead import signature
from onehead.model import Array, Misconception, Names, NotReached
from onehead_solutions.attention import causal, floats, scaled_scores, visible_softmax
from onehead_solutions.wrong.names import Wrong, known, of_stages
from onehead_solutions.wrong.rules import T, over_items
from onehead_solutions.wrong.steps import (
    CONTEXT,
    KEYS,
    OUTPUT,
    QUERIES,
    SCORES,
    VALUES,
    Step,
    all_of,
    by_rule,
    causal_steps,
    changed,
    own_mask,
    product,
    step_sets,
    tokens,
    weight_steps,
)

# Under a causal mask each query sees itself: no row is empty.
FULL_ROWS = ("empty-row-nan", "padding-hides-queries")

# --- one sequence ------------------------------------------------------------------------


def _weights_by(masks: Iterator[Step]) -> Iterator[Step]:
    """Weights under another mask than the one that is due."""

    def step(mask: Wrong) -> Wrong:
        return by_rule(visible_softmax, mask)

    return ((name, step(mask)) for name, mask in masks)


TRACE_WEIGHTS = step_sets(weights=weight_steps(without=FULL_ROWS))
TRACE = step_sets(
    Q=QUERIES,
    K=KEYS,
    V=VALUES,
    scores=SCORES,
    visible=causal_steps(),
    weights=[*weight_steps(without=FULL_ROWS), *_weights_by(causal_steps())],
    context=CONTEXT,
)
# A trace whose causality has no switch.
CAUSAL_TRACE = tuple(m for m in TRACE if m.name != "causal-always")


def _ablated(m: Misconception) -> Misconception:
    def with_replacement(wrong: Wrong) -> Wrong:
        return lambda i, e: wrong(Names({**i, i.which: i.replacement}), e)

    return replace(m, wrong={stage: with_replacement(wrong) for stage, wrong in m.wrong.items()})


def _whole(made: Callable[[Names], Names]) -> dict[str, Wrong]:
    """A mistake in the inputs: each stage as it comes of other ones."""

    def stage(name: str) -> Wrong:
        return lambda i, e: _attend(made(i))[name]

    return {name: stage(name) for name in ("Q", "K", "V", "scores", "weights", "context")}


def _attend(i: Names) -> Names:
    X = floats(i.X)
    e = Names(Q=X @ i.W_Q, K=X @ i.W_K, V=X @ i.W_V)
    e["scores"] = scaled_scores(e.Q, e.K)
    e["weights"] = visible_softmax(e.scores, causal(len(X)))
    e["context"] = e.weights @ e.V
    return e


def _in_part(name: str) -> Wrong:
    """The stages after the ablated one as they were before."""

    def wrong(i: Names, e: Names) -> Array:
        own = {"W_Q": "Q", "W_K": "K", "W_V": "V"}[i.which]
        made = _attend(i if name != own else Names({**i, i.which: i.replacement}))
        return np.asarray(made[name])

    return wrong


_LATER = ("scores", "weights", "context")
ABLATE = (
    *map(_ablated, CAUSAL_TRACE),
    of_stages(
        "ablation-in-part", {name: _in_part(name) for name in ("scores", "weights", "context")}
    ),
    of_stages("replacement-ignored", _whole(lambda i: i)),
    of_stages("ablation-by-zero", _whole(lambda i: Names({**i, i.which: 0 * i.replacement}))),
    of_stages(
        "replacement-added",
        _whole(lambda i: Names({**i, i.which: i[i.which] + i.replacement})),
    ),
)

# --- batches -----------------------------------------------------------------------------


def given(i: Names, e: Names) -> Array:
    """The mask that a batch was given, for every item."""
    B, n = np.shape(i.X)[:2]
    return np.ones((B, n, n), dtype=bool) & (True if i.get("visible") is None else i.visible)


def first(x: Array) -> Array:
    if x.ndim < 3:
        raise NotReached("items")
    return np.broadcast_to(x[:1], x.shape)


def last(x: Array) -> Array:
    if x.ndim < 3:
        raise NotReached("items")
    return np.broadcast_to(x[-1:], x.shape)


def _first_of(wrong: Wrong) -> Wrong:
    return lambda i, e: first(np.asarray(wrong(i, e)))


def _all_axes(i: Names, e: Names) -> Array:
    if e.K.ndim < 3:
        raise NotReached("axes")
    return np.asarray(e.Q @ e.K.T / math.sqrt(e.K.shape[-1]))


def _flattened(e: Names) -> Array:
    """(B T, B T): one softmax over the visible keys of all items."""
    if e.Q.ndim < 3:
        raise NotReached("items")
    B, n = e.Q.shape[:2]
    Q, K = (x.reshape(B * n, -1) for x in (e.Q, e.K))
    visible = np.broadcast_to(e.visible[:, :, None, :], (B, n, B, n)).reshape(B * n, B * n)
    return visible_softmax(scaled_scores(Q, K), visible)


def _block(i: Names, e: Names) -> Array:
    """Each item's own block of the flattened weights: all that a trace can show."""
    B, n = e.Q.shape[:2]
    weights = _flattened(e).reshape(B, n, B, n)
    return np.stack([weights[b, :, b] for b in range(B)])


def _mixed(i: Names, e: Names) -> Array:
    flat = _flattened(e) @ e.V.reshape(-1, e.V.shape[-1])
    return np.asarray(flat.reshape(e.V.shape))


def _averaged(i: Names, e: Names) -> Array:
    """Each query reads the same places of all items."""
    if e.V.ndim < 3:
        raise NotReached("items")
    return np.asarray(e.weights @ e.V.mean(axis=0))


def _wide(of: Wrong) -> Wrong:
    """One row a query over the keys of all items: (B, T, B T)."""

    def wide(i: Names, e: Names) -> Array:
        return np.asarray(of(i, e).reshape(*e.Q.shape[:2], -1))

    return wide


def _long(x: Array) -> Array:
    """A batch as one long sequence."""
    if x.ndim < 3:
        raise NotReached("items")
    return x.reshape(-1, x.shape[-1])


def _long_scores(i: Names, e: Names) -> Array:
    return scaled_scores(_long(e.Q), _long(e.K))


def _across(x: Array) -> Array:
    """Sequence first: the batch axis where the tokens should be."""
    if x.ndim < 3:
        raise NotReached("items")
    return x.swapaxes(0, 1)


def _across_scores(i: Names, e: Names) -> Array:
    return scaled_scores(_across(e.Q), _across(e.K))


def _hides_queries(i: Names, e: Names) -> Array:
    """A mask of keys along the queries."""
    mask = i.get("visible")
    if mask is None or np.shape(mask)[-2] != 1:
        return given(i, e)
    return given(Names({**i, "visible": T(mask)}), e)


def _hides_both(i: Names, e: Names) -> Array:
    mask = given(i, e)
    return np.asarray(mask & np.expand_dims(mask.any(-2), -1))


def _masked(i: Names) -> bool:
    return i.get("visible") is not None


BATCH_MASKS: tuple[Step, ...] = (
    *changed(given),
    *changed(given, _masked),
    ("mask-first-item", _first_of(given)),
    ("causal-always", lambda i, e: given(i, e) & causal(tokens(i))),
    ("causal-always", lambda i, e: given(i, e) if _masked(i) else given(i, e) & causal(tokens(i))),
    ("padding-hides-queries", _hides_queries),
    ("padding-hides-both", _hides_both),
)
_ITEM_WEIGHTS: tuple[Step, ...] = (
    ("batch-softmax", by_rule(over_items)),
    ("mask-first-item", by_rule(visible_softmax, lambda i, e: first(own_mask(i, e)))),
    ("batch-first-item", _first_of(by_rule(visible_softmax))),
    ("batch-flattened", _block),
    ("batch-flattened", _wide(lambda i, e: _flattened(e))),
    ("batch-flattened", lambda i, e: _flattened(e)),
)
BATCH_STEPS = step_sets(
    Q=[*QUERIES, ("batch-first-item", lambda i, e: first(floats(i.X)) @ i.W_Q)],
    K=[*KEYS, ("batch-first-item", lambda i, e: first(floats(i.X)) @ i.W_K)],
    V=[*VALUES, ("batch-first-item", lambda i, e: first(floats(i.X)) @ i.W_V)],
    scores=[
        *SCORES,
        ("transpose-all-axes", _all_axes),
        ("batch-first-item", lambda i, e: first(scaled_scores(e.Q, e.K))),
        ("batch-flattened", _long_scores),
        ("batch-flattened", _across_scores),
        ("batch-flattened", _wide(_long_scores)),
    ],
    context=[
        *CONTEXT,
        ("batch-first-item", lambda i, e: first(e.weights @ e.V)),
        ("batch-flattened", _mixed),
        ("batch-flattened", _averaged),
    ],
    output=[*OUTPUT, ("batch-first-item", lambda i, e: first(product(i, e)))],
)
BATCHED_TRACE = (
    *BATCH_STEPS,
    *step_sets(
        visible=BATCH_MASKS,
        weights=[*weight_steps(), *_ITEM_WEIGHTS, *_weights_by(iter(BATCH_MASKS))],
    ),
)

# --- layers ------------------------------------------------------------------------------


def _shape(i: Names) -> tuple[int, ...]:
    return (*np.shape(i.X)[:-1], tokens(i))


def _layer_given(i: Names, e: Names) -> Array:
    return np.ones(_shape(i), dtype=bool) & (True if not _masked(i) else i.visible)


def _layer_causal(i: Names, e: Names) -> Array:
    return causal(tokens(i)) if i.get("causal", True) else all_of(tokens(i))


def _layer_due(i: Names, e: Names) -> Array:
    """What a layer's token may read: the given mask, and the past where it is causal."""
    return _layer_given(i, e) & _layer_causal(i, e)


def _both(mask: Wrong, order: Wrong) -> Wrong:
    return lambda i, e: mask(i, e) & order(i, e)


def _first_given(i: Names, e: Names) -> Array:
    mask = _layer_given(i, e)
    return np.broadcast_to(mask[:1], mask.shape) if mask.ndim == 3 else mask


def _either(i: Names, e: Names) -> Array:
    mask, order = _layer_given(i, e), _layer_causal(i, e)
    if not _masked(i):
        return mask & order
    return mask | order if i.get("causal", True) else mask


def _off_by_default(i: Names, e: Names) -> Array:
    return _layer_due(Names({"causal": False, **i}), e)


def _causal_alone(i: Names, e: Names) -> Array:
    return _layer_due(Names({**i, "visible": None}), e) if _is_causal(i) else _layer_given(i, e)


def _layer_masks() -> Iterator[Step]:
    by_causal = _is_causal
    yield from ((name, _both(m, _layer_causal)) for name, m in changed(_layer_given, _masked))
    yield from ((name, _both(_layer_given, m)) for name, m in changed(_layer_causal, by_causal))
    yield from (
        (name, _both(m, o))
        for (name, m), (other, o) in zip(
            changed(_layer_given, _masked), changed(_layer_causal, by_causal), strict=True
        )
        if name == other
    )
    yield from changed(_layer_due)
    yield from changed(_layer_due, lambda i: _masked(i) or _is_causal(i))
    yield "mask-first-item", _both(_first_given, _layer_causal)
    yield (
        "mask-missing",
        _both(
            _layer_given,
            lambda i, e: all_of(tokens(i)) if "causal" not in i else _layer_causal(i, e),
        ),
    )
    yield "causal-always", _both(_layer_given, lambda i, e: causal(tokens(i)))
    yield "masks-joined-by-or", _either
    yield "masks-joined-by-or", lambda i, e: _layer_given(i, e) | _layer_causal(i, e)
    yield (
        "causal-drops-mask",
        lambda i, e: (
            (_layer_causal if _is_causal(i) else _layer_given)(i, e)
            & np.ones(_shape(i), dtype=bool)
        ),
    )
    yield "mask-drops-causal", lambda i, e: (_layer_given if _masked(i) else _layer_due)(i, e)


def _is_causal(i: Names) -> bool:
    return bool(i.get("causal", True))


def _kept(*names: str) -> Misconception:
    """A layer is asked with other arguments first, and keeps some of them."""

    def visible(i: Names, e: Names) -> Array:
        first_asked = {"visible": None, "causal": not _is_causal(i)}
        return _layer_due(Names({**i, **{name: first_asked[name] for name in names}}), e)

    return replace(signature.GENERAL["hidden-state"], wrong={"visible": visible})


def _numbers(count: Callable[[int, int, int], int]) -> Wrong:
    """``num_parameters`` by a count of (d_model, d_k, d_v)."""
    return lambda i, e: count(i.W_Q.shape[0], i.W_Q.shape[1], i.W_V.shape[1])


def _layer_norm(x: Array) -> Array:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True)))


def _of_normed(matrix: str) -> Wrong:
    return lambda i, e: _layer_norm(floats(i.X)) @ i[matrix]


def _keys_of_matrix(i: Names, e: Names) -> Array:
    """Softmax along axis 1: the keys of one sequence, the queries of a batch."""
    seen = own_mask(i, e)
    if e.scores.ndim == 2:
        return visible_softmax(e.scores, seen)
    return T(visible_softmax(T(e.scores), T(seen)))


LAYER_MASKS = tuple(_layer_masks())
_LAYER_STEPS = step_sets(
    Q=[("norm-added", _of_normed("W_Q"))],
    K=[("norm-added", _of_normed("W_K"))],
    V=[("norm-added", _of_normed("W_V"))],
    visible=LAYER_MASKS,
    weights=[*weight_steps(), *_ITEM_WEIGHTS, *_weights_by(iter(LAYER_MASKS))],
    call=[
        ("output-skipped", lambda i, e: e.context),
        ("call-drops-mask", lambda i, e: _called(Names({**i, "visible": None}), e)),
    ],
    num_parameters=[
        ("count-output-missing", _numbers(lambda d, k, v: 2 * d * k + d * v)),
        ("count-bias-always", _numbers(lambda d, k, v: 2 * d * k + 2 * d * v + 2 * k + v + d)),
        ("count-square", _numbers(lambda d, k, v: 4 * d * d)),
    ],
)


def _called(i: Names, e: Names) -> Array:
    """The output that a call gives with other arguments."""
    weights = visible_softmax(e.scores, np.broadcast_to(_layer_due(i, e), e.scores.shape))
    return np.asarray(weights @ e.V @ floats(i.W_O))


LAYER = (
    *BATCH_STEPS,
    *_LAYER_STEPS,
    _kept("causal"),
    _kept("visible", "causal"),
    known(
        "softmax-over-queries",
        "The softmax runs along axis 1: the keys of one sequence, but the queries of a batch.",
        weights=_keys_of_matrix,
    ),
)
