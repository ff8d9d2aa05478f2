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
from onehead_solutions.wrong.rules import T, first_axis, items_share, over_items
from onehead_solutions.wrong.steps import (
    CONTEXT,
    KEYS,
    OUTPUT,
    QUERIES,
    SCORES,
    SCORES_UNDER_GIVEN,
    VALUES,
    Step,
    all_of,
    by_rule,
    causal_steps,
    changed,
    own_mask,
    past,
    product,
    projected,
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


def _scaled(matrix: str, power: float) -> Wrong:
    return lambda i, e: projected(matrix)(i, e) / i.W_K.shape[1] ** power


SCALE_MOVED = (
    of_stages("scale-in-projection", {"Q": _scaled("W_Q", 0.5)}),
    of_stages("scale-in-projection", {"K": _scaled("W_K", 0.5)}),
    of_stages("scale-in-projection", {"Q": _scaled("W_Q", 0.25), "K": _scaled("W_K", 0.25)}),
)
TRACE_WEIGHTS = step_sets(weights=weight_steps(without=FULL_ROWS))
_TRACE = step_sets(
    Q=QUERIES,
    K=KEYS,
    V=VALUES,
    scores=SCORES,
    visible=causal_steps(),
    weights=[*weight_steps(without=FULL_ROWS), *_weights_by(causal_steps())],
    context=CONTEXT,
)
TRACE = (*_TRACE, *SCALE_MOVED)
# A trace whose causality has no switch, and that does not show its mask.
CAUSAL_TRACE = tuple(m for m in TRACE if m.name != "causal-always" and "visible" not in m.wrong)


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


# Which keys of other items a query sees, and of its own: (B, T, B, T) from (B, T, T).
Across = Callable[[Array], Array]


def _as_in_its_own(visible: Array) -> Array:
    return np.broadcast_to(visible[:, :, None, :], (*visible.shape[:2], *visible.shape[::2]))


def _as_theirs(visible: Array) -> Array:
    return np.broadcast_to(np.moveaxis(visible, 0, 1)[None], _as_in_its_own(visible).shape)


def _all_of_others(visible: Array) -> Array:
    seen = np.ones(_as_in_its_own(visible).shape, dtype=bool)
    for b, own in enumerate(visible):
        seen[b, :, b] = own
    return seen


def _one_past(visible: Array) -> Array:
    """The past of one long sequence."""
    shape = _as_in_its_own(visible).shape
    return causal(shape[0] * shape[1]).reshape(shape)


ACROSS: tuple[Across, ...] = (_as_in_its_own, _as_theirs, _all_of_others, _one_past)


def _flattened(e: Names, across: Across) -> Array:
    """(B T, B T): one softmax over the visible keys of all items."""
    if e.Q.ndim < 3:
        raise NotReached("items")
    B, n = e.Q.shape[:2]
    Q, K = (x.reshape(B * n, -1) for x in (e.Q, e.K))
    seen = across(e.visible if "visible" in e else np.ones((B, n, n), dtype=bool))
    return visible_softmax(scaled_scores(Q, K), seen.reshape(B * n, B * n))


def _block(across: Across) -> Wrong:
    """Each item's own block of the flattened weights: all that a trace can show."""

    def weights(i: Names, e: Names) -> Array:
        flat = _flattened(e, across)
        B, n = e.Q.shape[:2]
        return np.stack([flat.reshape(B, n, B, n)[b, :, b] for b in range(B)])

    return weights


def _mixed(across: Across) -> Wrong:
    def context(i: Names, e: Names) -> Array:
        flat = _flattened(e, across) @ e.V.reshape(-1, e.V.shape[-1])
        return np.asarray(flat.reshape(e.V.shape))

    return context


def _of_all(x: Array, share: bool = False) -> Array:
    """The same places of all items, added up or averaged."""
    if x.ndim < 3:
        raise NotReached("items")
    return np.asarray(x.mean(axis=0) if share else x.sum(axis=0))


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


def _all_shown(across: Across) -> tuple[Wrong, ...]:
    """What may be shown of flattened weights."""

    def flat(i: Names, e: Names) -> Array:
        return _flattened(e, across)

    return _block(across), _wide(flat), flat


ITEM_WEIGHTS: tuple[Step, ...] = (
    ("batch-softmax", by_rule(over_items)),
    ("mask-first-item", by_rule(visible_softmax, lambda i, e: first(own_mask(i, e)))),
    ("batch-first-item", _first_of(by_rule(visible_softmax))),
    ("batch-softmax", by_rule(items_share)),
    *(("batch-flattened", way) for across in ACROSS for way in _all_shown(across)),
)
BATCH_STEPS = step_sets(
    Q=[*QUERIES, ("batch-first-item", lambda i, e: first(floats(i.X)) @ i.W_Q)],
    K=[*KEYS, ("batch-first-item", lambda i, e: first(floats(i.X)) @ i.W_K)],
    V=[*VALUES, ("batch-first-item", lambda i, e: first(floats(i.X)) @ i.W_V)],
    scores=[
        *SCORES,
        *SCORES_UNDER_GIVEN,
        ("transpose-all-axes", _all_axes),
        ("batch-first-item", lambda i, e: first(scaled_scores(e.Q, e.K))),
        ("batch-flattened", _long_scores),
        ("batch-flattened", _across_scores),
        ("batch-flattened", _wide(_long_scores)),
        ("batch-first-item", lambda i, e: scaled_scores(e.Q, first(e.K))),
        ("batch-first-item", lambda i, e: scaled_scores(first(e.Q), e.K)),
        ("batch-flattened", lambda i, e: scaled_scores(e.Q, _of_all(e.K))),
        ("batch-flattened", lambda i, e: scaled_scores(e.Q, _of_all(e.K, share=True))),
    ],
    context=[
        *CONTEXT,
        ("batch-first-item", lambda i, e: first(e.weights @ e.V)),
        ("batch-first-item", lambda i, e: e.weights @ first(e.V)),
        ("batch-first-item", lambda i, e: first(e.weights) @ e.V),
        *(("batch-flattened", _mixed(across)) for across in ACROSS),
        ("batch-flattened", lambda i, e: e.weights @ _of_all(e.V)),
        ("batch-flattened", lambda i, e: e.weights @ _of_all(e.V, share=True)),
        ("batch-flattened", lambda i, e: _of_all(e.weights) @ e.V),
        ("batch-flattened", lambda i, e: _of_all(e.weights, share=True) @ e.V),
    ],
    output=[*OUTPUT, ("batch-first-item", lambda i, e: first(product(i, e)))],
)
BATCHED_TRACE = (
    *BATCH_STEPS,
    *SCALE_MOVED,
    *step_sets(
        visible=BATCH_MASKS,
        weights=[*weight_steps(), *ITEM_WEIGHTS, *_weights_by(iter(BATCH_MASKS))],
    ),
)

# --- layers ------------------------------------------------------------------------------


def _shape(i: Names) -> tuple[int, ...]:
    return (*np.shape(i.X)[:-1], tokens(i))


def _layer_given(i: Names, e: Names) -> Array:
    return np.ones(_shape(i), dtype=bool) & (True if not _masked(i) else i.visible)


def _layer_due(i: Names, e: Names) -> Array:
    """What a layer's token may read: the given mask, and the past where it is causal."""
    return _layer_given(i, e) & past(i, e)


def _both(mask: Wrong, order: Wrong) -> Wrong:
    return lambda i, e: mask(i, e) & order(i, e)


def _first_given(i: Names, e: Names) -> Array:
    mask = _layer_given(i, e)
    return np.broadcast_to(mask[:1], mask.shape) if mask.ndim == 3 else mask


def _either(i: Names, e: Names) -> Array:
    mask, order = _layer_given(i, e), past(i, e)
    if not _masked(i):
        return mask & order
    return mask | order if i.get("causal", True) else mask


def _layer_masks() -> Iterator[Step]:
    by_causal = _is_causal
    yield from ((name, _both(m, past)) for name, m in changed(_layer_given, _masked))
    yield from ((name, _both(_layer_given, m)) for name, m in changed(past, by_causal))
    yield from (
        (name, _both(m, o))
        for (name, m), (other, o) in zip(
            changed(_layer_given, _masked), changed(past, by_causal), strict=True
        )
        if name == other
    )
    yield from changed(_layer_due)
    yield from changed(_layer_due, lambda i: _masked(i) or _is_causal(i))
    yield "mask-first-item", _both(_first_given, past)
    yield (
        "mask-missing",
        _both(
            _layer_given,
            lambda i, e: all_of(tokens(i)) if "causal" not in i else past(i, e),
        ),
    )
    yield "causal-always", _both(_layer_given, lambda i, e: causal(tokens(i)))
    yield "masks-joined-by-or", _either
    yield "masks-joined-by-or", lambda i, e: _layer_given(i, e) | past(i, e)
    yield (
        "mask-missing",  # the given one, where causality hides something
        lambda i, e: (
            (past if _is_causal(i) else _layer_given)(i, e) & np.ones(_shape(i), dtype=bool)
        ),
    )
    # The causal one, where a mask is given.
    yield "mask-missing", lambda i, e: (_layer_given if _masked(i) else _layer_due)(i, e)


def _is_causal(i: Names) -> bool:
    return bool(i.get("causal", True))


def _kept(*names: str) -> Misconception:
    """A layer is asked with other arguments first, and keeps some of them."""

    def visible(i: Names, e: Names) -> Array:
        first_asked = {"visible": None, "causal": not _is_causal(i)}
        return _layer_due(Names({**i, **{name: first_asked[name] for name in names}}), e)

    return replace(signature.GENERAL["hidden-state"], wrong={"visible": visible})


def _kept_tokens(stage: str, matrix: str) -> Misconception:
    """Asked with the same tokens in another order, a layer gives that answer again."""

    def wrong(i: Names, e: Names) -> Array:
        return np.asarray(floats(i.X)[..., ::-1, :] @ floats(i[matrix]))

    return replace(signature.GENERAL["hidden-state"], wrong={stage: wrong})


def _numbers(count: Callable[[int, int, int], int]) -> Wrong:
    """``num_parameters`` by a count of (d_model, d_k, d_v)."""
    return lambda i, e: count(i.W_Q.shape[0], i.W_Q.shape[1], i.W_V.shape[1])


def _layer_norm(x: Array) -> Array:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True)))


def _of_normed(matrix: str) -> Wrong:
    return lambda i, e: _layer_norm(floats(i.X)) @ i[matrix]


def keys_of_matrix(i: Names, e: Names) -> Array:
    """Softmax along axis 1: the keys of one sequence, the queries of a batch."""
    seen = own_mask(i, e)
    if e.scores.ndim == 2:
        return visible_softmax(e.scores, seen)
    return T(visible_softmax(T(e.scores), T(seen)))


def _called(i: Names, e: Names) -> Array:
    """The output that a call gives with other arguments."""
    weights = visible_softmax(e.scores, np.broadcast_to(_layer_due(i, e), e.scores.shape))
    return np.asarray(weights @ e.V @ floats(i.W_O))


def _called_without(*dropped: str, **other: bool) -> Wrong:
    """A call that does not hand on what it was given, where it was given something."""

    def call(i: Names, e: Names) -> Array:
        kept = Names({name: value for name, value in i.items() if name not in dropped})
        if all(i.get(name) is None for name in dropped):
            raise NotReached("nothing to drop")
        return _called(Names({**kept, **other}), e)

    return call


LAYER_MASKS = tuple(_layer_masks())
_LAYER_STEPS = step_sets(
    Q=[("norm-added", _of_normed("W_Q"))],
    K=[("norm-added", _of_normed("W_K"))],
    V=[("norm-added", _of_normed("W_V"))],
    visible=LAYER_MASKS,
    weights=[*weight_steps(), *ITEM_WEIGHTS, *_weights_by(iter(LAYER_MASKS))],
    call=[
        ("output-skipped", lambda i, e: e.context),
        ("call-drops-mask", _called_without("visible")),
        ("call-drops-mask", _called_without("visible", "causal")),
    ],
    num_parameters=[
        ("count-output-missing", _numbers(lambda d, k, v: 2 * d * k + d * v)),
        ("count-bias-always", _numbers(lambda d, k, v: 2 * d * k + 2 * d * v + 2 * k + v + d)),
        ("count-square", _numbers(lambda d, k, v: 4 * d * d)),
    ],
)


LAYER = (
    *BATCH_STEPS,
    *SCALE_MOVED,
    *_LAYER_STEPS,
    _kept("causal"),
    _kept("visible", "causal"),
    *map(_kept_tokens, "QKV", ("W_Q", "W_K", "W_V")),
    known(
        "softmax-over-queries",
        "The softmax runs along axis 1: the keys of one sequence, but the queries of a batch.",
        weights=keys_of_matrix,
    ),
    known(
        "batch-softmax",
        "The softmax runs along axis 0: the queries of one sequence, the items of a batch.",
        weights=by_rule(first_axis),
    ),
)
