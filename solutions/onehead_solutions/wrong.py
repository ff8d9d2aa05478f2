"""Known mistakes: what each computes, given the inputs and the learner's own earlier stages.

A mistake is recognised by what it computes. Each set below goes with the parts of one kind. A name
that stands twice is one mistake that people make in several ways.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Misconception, Names
from onehead_solutions.attention import causal, floats, scaled_scores, visible_softmax

Wrong = Callable[[Names, Names], Any]
Rule = Callable[[Array, Array], Array]  # scores, visible -> weights


def _T(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def _all(scores: Array) -> Array:
    return np.ones(scores.shape, dtype=bool)


def _naive(scores: Array, visible: Array) -> Array:
    exp = np.where(visible, np.exp(scores), 0)
    return np.asarray(exp / exp.sum(-1, keepdims=True))


def _guarded(rule: Rule) -> Rule:
    """The rule of one who divides by 1 where the sum is 0."""

    def weights(scores: Array, visible: Array) -> Array:
        given = rule(scores, visible)
        nothing = ~visible.any(-1, keepdims=True)
        return np.where(nothing, 0.0, given)

    return weights


def _over_queries(scores: Array, visible: Array) -> Array:
    return _T(visible_softmax(_T(scores), _T(visible)))


def _global(scores: Array, visible: Array) -> Array:
    flat = (*scores.shape[:-2], 1, -1)
    return visible_softmax(scores.reshape(flat), visible.reshape(flat)).reshape(scores.shape)


def _over_items(scores: Array, visible: Array) -> Array:
    return np.moveaxis(
        visible_softmax(np.moveaxis(scores, 0, -1), np.moveaxis(visible, 0, -1)), -1, 0
    )


def _global_max(scores: Array, visible: Array) -> Array:
    exp = np.where(visible, np.exp(scores - scores.max()), 0)
    return np.asarray(exp / exp.sum(-1, keepdims=True))


def _unnormalised(scores: Array, visible: Array) -> Array:
    return np.where(visible, np.exp(scores), 0)


def _unnormalised_shifted(scores: Array, visible: Array) -> Array:
    peak = np.max(np.where(visible, scores, -np.inf), axis=-1, keepdims=True)
    return np.where(visible, np.exp(scores - peak), 0)


def _after_softmax(scores: Array, visible: Array) -> Array:
    return np.where(visible, visible_softmax(scores, _all(scores)), 0)


def _renormalised(scores: Array, visible: Array) -> Array:
    weights = _after_softmax(scores, visible)
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def _filled(fill: float) -> Rule:
    return lambda scores, visible: visible_softmax(np.where(visible, scores, fill), _all(scores))


def _added(fill: float) -> Rule:
    return lambda scores, visible: visible_softmax(
        scores + np.where(visible, 0.0, fill), _all(scores)
    )


def _masked_by(mask: Callable[[Array], Array]) -> Rule:
    return lambda scores, visible: visible_softmax(
        scores, np.broadcast_to(mask(visible), scores.shape)
    )


def _excludes_self(visible: Array) -> Array:
    return (
        visible & ~np.eye(visible.shape[-1], dtype=bool)
        if visible.shape[-1] == visible.shape[-2]
        else visible
    )


def _one_ahead(visible: Array) -> Array:
    T_q, T_k = visible.shape[-2:]
    return np.broadcast_to(np.tri(T_q, T_k, 1, dtype=bool), visible.shape)


SAYS = {
    "scale-missing": "The scores are not divided by the square root of d_k, so the softmax is "
    "too sharp.",
    "scale-by-dk": "The scores are divided by d_k itself; the chapter's scale is its square root.",
    "scale-by-dmodel": "The scale comes from the model width; it belongs to the width in which "
    "queries meet keys.",
    "softmax-over-queries": "The softmax runs along the queries: it is each query that shares "
    "out one unit of weight over the keys.",
    "softmax-global": "The whole matrix shares one unit of weight; each query has one of its own.",
    "softmax-unstable": "Large scores overflow in the exponential. Softmax does not change when "
    "a row is shifted.",
    "softmax-global-max": "One maximum is subtracted from all rows: a row far below it has "
    "nothing left to divide by.",
    "softmax-unnormalised": "The exponentials are not divided by their sum, so a row does not "
    "sum to 1.",
    "mask-missing": "Nothing is hidden: every query reads every key.",
    "mask-inverted": "Visible and hidden are exchanged: True means that this query may read this "
    "key.",
    "mask-transposed": "Queries and keys are exchanged in the mask: a token sees the future "
    "instead of the past.",
    "mask-excludes-self": "A token cannot see itself: the diagonal belongs to what may be read.",
    "mask-off-by-one": "A token sees one token of its future.",
    "mask-after-softmax": "Weights are set to zero after the softmax, so what is left no longer "
    "sums to 1.",
    "mask-renormalised": "Masking after the softmax and dividing again is right on paper; where "
    "a hidden key dominates, it is 0/0.",
    "mask-zero-fill": "A hidden score is set to 0, and the exponential of 0 is 1: hidden keys "
    "keep weight.",
    "mask-finite-fill": "Hidden scores become a finite number: it leaks among very low scores "
    "and fills a row that sees no key.",
    "mask-first-item": "Every item of the batch uses the first item's mask.",
    "qk-swapped": "Keys ask and queries answer: row i of the scores belongs to query i.",
    "keys-reshaped": "K is reshaped where its axes should change places: the numbers land in "
    "other cells.",
    "values-from-keys": "The keys are used as values. A value has a projection of its own.",
    "values-from-input": "The input itself is used as values. A value has a projection of its own.",
    "context-ignored": "Cross-attention reads the input where it should read the context.",
    "sources-swapped": "Queries come from the context, keys and values from the input: it is the "
    "other way round.",
    "output-skipped": "The output projection is not applied.",
    "output-transposed": "The output projection is applied transposed.",
    "batch-flattened": "Tokens of different items attend to each other: the batch is no longer "
    "sequence.",
    "batch-softmax": "The softmax runs along the batch: items share weight that belongs to keys.",
    "batch-first-item": "Every item gets the first item's result.",
    "count-output-missing": "The count leaves out the output projection.",
    "count-bias-missing": "With bias=True each projection has a bias vector as well.",
    "count-bias-always": "Biases are counted although there are none.",
    "count-square": "The count takes d_k and d_v for d_model.",
    "cost-linear": "Every query meets every key: the number of scores grows with the square of T.",
    "cost-flops": "A multiply-add is counted as two operations; the chapter counts it as one.",
    "cost-causal-discount": "The mask hides scores after they were computed: the dense cost stays.",
}


READ = {
    "lesson-02": ("context-ignored", "sources-swapped"),
    "lesson-03": ("values-from-keys", "values-from-input"),
    "lesson-05": ("output-skipped", "output-transposed", "count-output-missing", "count-square"),
    "lesson-06": ("mask-first-item", "batch-flattened", "batch-softmax", "batch-first-item"),
    "lesson-07": ("cost-linear", "cost-flops", "cost-causal-discount"),
}
READ["lesson-05"] += ("count-bias-missing", "count-bias-always")
REREAD = dict.fromkeys(SAYS, "lesson-04") | {
    name: lesson for lesson, names in READ.items() for name in names
}


def _named(stage: str, **wrongs: Wrong) -> tuple[Misconception, ...]:
    return tuple(
        Misconception(name.rstrip("0123456789").replace("_", "-").rstrip("-"), {stage: wrong}, "")
        for name, wrong in wrongs.items()
    )


def _spoken(*groups: tuple[Misconception, ...]) -> tuple[Misconception, ...]:
    return tuple(
        replace(m, says=SAYS[m.name], reread=REREAD[m.name]) for group in groups for m in group
    )


# --- masks and weights -------------------------------------------------------------------

_FILL_1E4 = _filled(-1e4)
_WEIGHT_RULES: dict[str, Rule] = {
    "softmax_over_queries": _over_queries,
    "softmax_global": _global,
    "softmax_unstable": _naive,
    "softmax_unstable_2": _guarded(_naive),
    "softmax_global_max": _global_max,
    "softmax_global_max_2": _guarded(_global_max),
    "softmax_unnormalised": _unnormalised,
    "softmax_unnormalised_2": _unnormalised_shifted,
    "mask_missing": _masked_by(np.ones_like),
    "mask_inverted": _masked_by(np.logical_not),
    "mask_transposed": _masked_by(_T),
    "mask_excludes_self": _masked_by(_excludes_self),
    "mask_off_by_one": _masked_by(_one_ahead),
    "mask_after_softmax": _after_softmax,
    "mask_renormalised": _renormalised,
    "mask_renormalised_2": _guarded(_renormalised),
    "mask_zero_fill": _filled(0.0),
    "mask_finite_fill": _filled(-1e9),
    "mask_finite_fill_2": _FILL_1E4,
    "mask_finite_fill_3": _filled(-1e5),
    "mask_finite_fill_4": _filled(-1e10),
    "mask_finite_fill_5": _added(-1e9),
    "mask_finite_fill_6": _added(-1e4),
}


# Where every query sees itself, a fill far below all scores is as good as minus infinity.
_CAUSAL_RULES = {
    name: rule
    for name, rule in _WEIGHT_RULES.items()
    if not name.startswith("mask_finite_fill") or rule is _FILL_1E4
}


def _weights(
    scores: Wrong, visible: Wrong, rules: Mapping[str, Rule] = _WEIGHT_RULES, **more: Rule
) -> tuple[Misconception, ...]:
    def apply(rule: Rule) -> Wrong:
        def wrong(i: Names, e: Names) -> Array:
            s = np.asarray(scores(i, e))
            return rule(s, np.broadcast_to(visible(i, e), s.shape))

        return wrong

    return _named("weights", **{name: apply(rule) for name, rule in {**rules, **more}.items()})


def _visible(
    due: Wrong, masked: Callable[[Names], bool] = lambda i: True
) -> tuple[Misconception, ...]:
    """Mistakes in the mask itself, where there is one: ``masked(inputs)``."""

    def seen(change: Callable[[Array], Array]) -> Wrong:
        def wrong(i: Names, e: Names) -> Array:
            visible = np.asarray(due(i, e))
            return change(visible) if masked(i) else visible

        return wrong

    return _named(
        "visible",
        mask_missing=seen(np.ones_like),
        mask_inverted=seen(np.logical_not),
        mask_transposed=seen(_T),
        mask_excludes_self=seen(_excludes_self),
        mask_off_by_one=seen(_one_ahead),
    )


# --- projections and scores --------------------------------------------------------------

_SCORES = _named(
    "scores",
    scale_missing=lambda i, e: e.Q @ _T(e.K),
    scale_by_dk=lambda i, e: e.Q @ _T(e.K) / e.K.shape[-1],
    scale_by_dmodel=lambda i, e: e.Q @ _T(e.K) / math.sqrt(np.shape(i.X)[-1]),
    qk_swapped=lambda i, e: scaled_scores(e.K, e.Q),
    keys_reshaped=lambda i, e: e.Q @ e.K.reshape(_T(e.K).shape) / math.sqrt(e.K.shape[-1]),
)
_VALUES = _named(
    "V",
    values_from_keys=lambda i, e: e.K,
    values_from_input=lambda i, e: floats(i.X),
)
_CONTEXT = _named(
    "context",
    values_from_keys=lambda i, e: e.weights @ e.K,
    values_from_input=lambda i, e: e.weights @ floats(i.X),
)
_OUTPUT = _named(
    "output",
    output_skipped=lambda i, e: e.context,
    output_transposed=lambda i, e: e.context @ _T(floats(i.W_O)),
)


def _shown(i: Names, e: Names) -> Array:
    """What the trace shows as visible, else the causal mask."""
    T = np.shape(i.X)[-2]
    return (
        e["visible"]
        if "visible" in e
        else (causal(T) if i.get("causal", True) else np.ones((T, T), dtype=bool))
    )


def _causal_or_all(i: Names, e: Names) -> Array:
    T = np.shape(i.X)[-2]
    return causal(T) if i.get("causal", True) else np.ones((T, T), dtype=bool)


TRACE_WEIGHTS = _weights(lambda i, e: e.scores, _shown, _CAUSAL_RULES)
TRACE = _spoken(
    _VALUES,
    _SCORES,
    _visible(_causal_or_all),
    _visible(_causal_or_all, lambda i: i.get("causal", True)),
    TRACE_WEIGHTS,
    _CONTEXT,
)


def _ablated(m: Misconception) -> Misconception:
    def with_replacement(wrong: Wrong) -> Wrong:
        return lambda i, e: wrong(Names({**i, i.which: i.replacement}), e)

    return replace(m, wrong={stage: with_replacement(wrong) for stage, wrong in m.wrong.items()})


ABLATE = tuple(map(_ablated, TRACE))

# --- batches -----------------------------------------------------------------------------


def _given(i: Names, e: Names) -> Array:
    """The mask that a batch was given, for every item."""
    B, T = np.shape(i.X)[:2]
    return np.ones((B, T, T), dtype=bool) & (True if i.get("visible") is None else i.visible)


def _first(x: Array) -> Array:
    return np.broadcast_to(x[:1], x.shape)


def _flattened_weights(i: Names, e: Names) -> Array:
    """One softmax over the keys of all items; a trace can show its own item's block only."""
    B, T = e.Q.shape[:2]
    Q, K = (x.reshape(B * T, -1) for x in (e.Q, e.K))
    visible = np.broadcast_to(e.visible[:, :, None, :], (B, T, B, T)).reshape(B * T, B * T)
    weights = visible_softmax(scaled_scores(Q, K), visible).reshape(B, T, B, T)
    return np.stack([weights[b, :, b] for b in range(B)])


BATCHED_TRACE = _spoken(
    _VALUES,
    _SCORES,
    _visible(_given),
    _visible(_given, lambda i: i.get("visible") is not None),
    _named("visible", mask_first_item=lambda i, e: _first(_given(i, e))),
    _weights(
        lambda i, e: e.scores,
        lambda i, e: e.visible,
        batch_softmax=_over_items,
        mask_first_item=lambda scores, visible: visible_softmax(scores, _first(visible)),
        batch_first_item=lambda scores, visible: _first(visible_softmax(scores, visible)),
    ),
    _named("weights", batch_flattened=_flattened_weights),
    _named(
        "weights",
        mask_inverted=lambda i, e: visible_softmax(
            e.scores, e.visible if i.get("visible") is None else ~e.visible
        ),
    ),
    _named("scores", batch_first_item=lambda i, e: _first(scaled_scores(e.Q, e.K))),
    _CONTEXT,
    _named("context", batch_first_item=lambda i, e: _first(e.weights @ e.V)),
    _OUTPUT,
    _named("output", batch_first_item=lambda i, e: _first(e.context @ floats(i.W_O))),
)


def _layer_due(i: Names, e: Names) -> Array:
    """What a layer's token may read: the given mask, and the past where it is causal."""
    shape = (*np.shape(i.X)[:-1], np.shape(i.X)[-2])
    visible = np.ones(shape, dtype=bool) & (True if i.get("visible") is None else i.visible)
    return visible & (causal(shape[-1]) if i.get("causal", True) else True)


def _layer_visible(causal_mask: Callable[[int], Array]) -> Wrong:
    """The combination with another causal mask."""

    def wrong(i: Names, e: Names) -> Array:
        everything = _layer_due(Names({**i, "causal": False}), e)
        return everything & (causal_mask(np.shape(i.X)[-2]) if i.get("causal", True) else True)

    return wrong


def _numbers(count: Callable[[int, int, int], int]) -> Wrong:
    """``num_parameters`` by a count of (d_model, d_k, d_v)."""
    return lambda i, e: count(i.W_Q.shape[0], i.W_Q.shape[1], i.W_V.shape[1])


LAYER = (
    *BATCHED_TRACE,
    *_spoken(
        _named(
            "visible",
            mask_missing=_layer_visible(lambda T: np.ones((T, T), dtype=bool)),
            mask_missing_2=lambda i, e: np.ones(_layer_due(i, e).shape, dtype=bool),
            mask_transposed=_layer_visible(lambda T: causal(T).T),
            mask_excludes_self=_layer_visible(lambda T: np.tri(T, k=-1, dtype=bool)),
            mask_off_by_one=_layer_visible(lambda T: np.tri(T, k=1, dtype=bool)),
            mask_inverted=lambda i, e: ~_layer_due(i, e),
            mask_inverted_2=_layer_visible(lambda T: ~causal(T)),
            mask_first_item=lambda i, e: (
                _first(_layer_due(i, e)) if np.ndim(i.X) == 3 else _layer_due(i, e)
            ),
        ),
        _named("call", output_skipped=lambda i, e: e.context),
        _named(
            "num_parameters",
            count_output_missing=_numbers(lambda d, k, v: 2 * d * k + d * v),
            count_bias_always=_numbers(lambda d, k, v: 2 * d * k + 2 * d * v + 2 * k + v + d),
            count_square=_numbers(lambda d, k, v: 4 * d * d),
        ),
    ),
)

# --- parts that return no trace ----------------------------------------------------------


def _reading_scores(i: Names, e: Names, scale: float | None = None) -> Array:
    return np.asarray(floats(i["keys"]) @ floats(i.query) / (scale or math.sqrt(len(i.query))))


def _reading_visible(i: Names, e: Names) -> Array:
    return np.ones(len(i["keys"]), dtype=bool) if i.get("visible") is None else i.visible


def _inverted_if_given(i: Names, e: Names) -> Array:
    visible = _reading_visible(i, e)
    return visible if i.get("visible") is None else ~visible


# A reading has one row: what takes another row, or a square mask, has nothing to say on it.
_ROW_RULES = {
    name: rule
    for name, rule in _WEIGHT_RULES.items()
    if rule not in (_over_queries, _global)
    and name not in ("mask_transposed", "mask_excludes_self", "mask_off_by_one")
}
READING = _spoken(
    _weights(_reading_scores, _reading_visible, _ROW_RULES),
    _named(
        "weights",
        mask_inverted=lambda i, e: visible_softmax(_reading_scores(i, e), _inverted_if_given(i, e)),
    ),
    _named(
        "weights",
        scale_missing=lambda i, e: visible_softmax(
            _reading_scores(i, e, 1.0), _reading_visible(i, e)
        ),
        scale_by_dk=lambda i, e: visible_softmax(
            _reading_scores(i, e, float(len(i.query))), _reading_visible(i, e)
        ),
    ),
    _named("reading", values_from_keys=lambda i, e: e.weights @ floats(i["keys"])),
)

SOURCES = _spoken(
    _named(
        "Q",
        sources_swapped=lambda i, e: floats(i.context) @ i.W_Q,
    ),
    _named(
        "K",
        context_ignored=lambda i, e: floats(i.X) @ i.W_K,
        sources_swapped=lambda i, e: floats(i.X) @ i.W_K,
    ),
    _named(
        "V",
        context_ignored=lambda i, e: floats(i.X) @ i.W_V,
        sources_swapped=lambda i, e: floats(i.X) @ i.W_V,
        values_from_keys=lambda i, e: e.K,
        values_from_input=lambda i, e: floats(i.X),
    ),
)


def _mask_due(i: Names, e: Names) -> Array:
    if "T" in i:
        return causal(i.T)
    return causal(i.T_q) if i["causal"] else np.ones((i.T_q, i.T_k), dtype=bool)


MASKS = _spoken(_visible(_mask_due, lambda i: "T" in i or i["causal"]))


def _padding_due(i: Names, e: Names) -> Array:
    return (np.arange(i.T) < np.asarray(i.lengths)[:, None])[:, None, :]


PADDING = _spoken(
    _named(
        "visible",
        mask_missing=lambda i, e: np.ones_like(_padding_due(i, e)),
        mask_inverted=lambda i, e: ~_padding_due(i, e),
        mask_first_item=lambda i, e: _first(_padding_due(i, e)),
    )
)


def _broadcast_due(i: Names, e: Names) -> Array:
    return np.ones((i.B, i.T_q, i.T_k), dtype=bool) & (True if i.visible is None else i.visible)


BROADCAST = _spoken(
    _named(
        "visible",
        mask_missing=lambda i, e: np.ones_like(_broadcast_due(i, e)),
        mask_inverted=lambda i, e: ~_broadcast_due(i, e),
        mask_first_item=lambda i, e: _first(_broadcast_due(i, e)),
    )
)


def _along(i: Names, rule: Rule) -> Array:
    axis = i.get("axis", -1)
    scores = np.moveaxis(np.asarray(i.scores, dtype=np.float64), axis, -1)
    return np.moveaxis(rule(scores, ~np.isneginf(scores)), -1, axis)


SOFTMAX = _spoken(
    _named(
        "weights",
        softmax_unstable=lambda i, e: _along(i, _naive),
        softmax_global_max=lambda i, e: _along(i, _global_max),
        softmax_unstable_2=lambda i, e: _along(i, _guarded(_naive)),
        softmax_global_max_2=lambda i, e: _along(i, _guarded(_global_max)),
        mask_finite_fill=lambda i, e: _along(i, _filled(-1e9)),
        mask_finite_fill_2=lambda i, e: _along(i, _filled(-1e4)),
        softmax_unnormalised=lambda i, e: _along(i, _unnormalised),
        softmax_unnormalised_2=lambda i, e: _along(i, _unnormalised_shifted),
        softmax_global=lambda i, e: visible_softmax(
            floats(i.scores).reshape(1, -1), ~np.isneginf(i.scores.reshape(1, -1))
        ).reshape(i.scores.shape),
        softmax_over_queries=lambda i, e: _along(
            Names(i, axis=-2), lambda s, v: visible_softmax(s, v)
        ),
    )
)


def _projected(i: Names, W_O: Array) -> Array:
    output = floats(i.context) @ W_O
    return output if i.get("b_O") is None else output + i.b_O


OUTPUT_PROJECTION = _spoken(
    _named(
        "output",
        output_skipped=lambda i, e: floats(i.context),
        output_transposed=lambda i, e: _projected(i, _T(floats(i.W_O))),
    )
)
FOLD = _spoken(
    _named(
        "W_VO",
        output_skipped=lambda i, e: floats(i.W_V),
        output_transposed=lambda i, e: floats(i.W_V) @ _T(floats(i.W_O)),
    )
)
INTERACT: tuple[Misconception, ...] = ()


def _observed_weights(scores: Wrong) -> Wrong:
    return lambda i, e: visible_softmax(np.asarray(scores(i, e)), causal(len(i.X)))


OBSERVED = _spoken(
    _named(
        "weights",
        scale_missing=_observed_weights(lambda i, e: (floats(i.X) @ i.W_Q) @ (i.X @ i.W_K).T),
        scale_by_dk=_observed_weights(
            lambda i, e: (floats(i.X) @ i.W_Q) @ (i.X @ i.W_K).T / i.W_Q.shape[1]
        ),
        scale_by_dmodel=_observed_weights(
            lambda i, e: (floats(i.X) @ i.W_Q) @ (i.X @ i.W_K).T / math.sqrt(len(i.W_Q))
        ),
        qk_swapped=_observed_weights(
            lambda i, e: scaled_scores(floats(i.X) @ i.W_K, floats(i.X) @ i.W_Q)
        ),
    ),
    _weights(
        lambda i, e: scaled_scores(floats(i.X) @ i.W_Q, floats(i.X) @ i.W_K),
        lambda i, e: causal(len(i.X)),
        _CAUSAL_RULES,
    ),
)


def _row_of(m: Misconception) -> Misconception:
    def row(wrong: Wrong) -> Wrong:
        return lambda i, e: wrong(i, e)[i.target]

    return replace(m, wrong={stage: row(wrong) for stage, wrong in m.wrong.items()})


OBSERVED = (
    *map(_row_of, OBSERVED),
    *_spoken(
        _named(
            "effects",
            output_skipped=lambda i, e: e.weights * np.linalg.norm(floats(i.X) @ i.W_V, axis=-1),
        )
    ),
)

# --- counts and costs --------------------------------------------------------------------


def _counted(count: Callable[[Names], Mapping[str, int]], name: str, *keys: str) -> Misconception:
    def entry(key: str) -> Wrong:
        return lambda i, e: count(i)[key]

    return Misconception(name, {key: entry(key) for key in keys}, SAYS[name], REREAD[name])


def _parameters(i: Names, bias: bool | None = None, square: bool = False) -> dict[str, int]:
    d, k, v = i.d_model, (i.d_model if square else i.d_k), (i.d_model if square else i.d_v)
    b = i.get("bias", False) if bias is None else bias
    counts = {
        "W_Q": d * k + b * k,
        "W_K": d * k + b * k,
        "W_V": d * v + b * v,
        "W_O": v * d + b * d,
    }
    return counts | {"total": sum(counts.values())}


_COUNTED = ("W_Q", "W_K", "W_V", "W_O", "total")
COUNTS = (
    _counted(
        lambda i: {"W_O": 0, "total": (c := _parameters(i))["total"] - c["W_O"]},
        "count-output-missing",
        "W_O",
        "total",
    ),
    _counted(lambda i: _parameters(i, bias=False), "count-bias-missing", *_COUNTED),
    _counted(lambda i: _parameters(i, bias=True), "count-bias-always", *_COUNTED),
    _counted(lambda i: _parameters(i, square=True), "count-square", *_COUNTED),
)


def _costs(i: Names, keys: int | None = None, times: float = 1) -> dict[str, int]:
    """``keys`` is how many keys a query meets; ``times`` the operations of a multiply-add."""
    B, T = i.get("batch", 1), i.T
    pairs = B * T * (T if keys is None else keys)
    cost = {
        "projections": B * T * i.d_model * (2 * i.d_k + i.d_v),
        "scores": pairs * i.d_k,
        "weighted_sum": pairs * i.d_v,
        "output_projection": B * T * i.d_v * i.d_model,
    }
    total = {"total": sum(cost.values()), "score_entries": pairs}
    return {key: int(times * n) for key, n in (cost | total).items()}


def _triangle(i: Names, pairs: int) -> dict[str, int]:
    """Only the visible half of the scores is counted: ``pairs`` of each item."""
    dense, B = _costs(i), i.get("batch", 1)
    cost = dense | {
        "scores": B * pairs * i.d_k,
        "weighted_sum": B * pairs * i.d_v,
        "score_entries": B * pairs,
    }
    parts = ("projections", "scores", "weighted_sum", "output_projection")
    return cost | {"total": sum(cost[part] for part in parts)}


_SQUARE = ("scores", "weighted_sum", "score_entries", "total")
COSTS = (
    _counted(lambda i: _costs(i, keys=1), "cost-linear", *_SQUARE),
    _counted(
        lambda i: _costs(i, times=2),
        "cost-flops",
        "projections",
        "scores",
        "weighted_sum",
        "output_projection",
        "total",
    ),
    _counted(lambda i: _triangle(i, i.T * (i.T + 1) // 2), "cost-causal-discount", *_SQUARE),
    _counted(lambda i: _triangle(i, i.T * i.T // 2), "cost-causal-discount", *_SQUARE),
)
