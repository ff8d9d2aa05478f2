"""Known mistakes where a part shows less than a trace: the chain runs on behind what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from onehead.model import Array, Misconception, Names, NotReached
from onehead_solutions.attention import causal, floats, scaled_scores, visible_softmax
from onehead_solutions.fixtures import FOUR_TOKENS
from onehead_solutions.wrong.names import Wrong, always, answering, known, of_stages
from onehead_solutions.wrong.rules import (
    ADDED,
    CHANGES,
    FILLS,
    KEPT,
    RULES,
    Rule,
    T,
    misaligned,
    over_matrix,
    over_queries,
)
from onehead_solutions.wrong.steps import (
    CONTEXT,
    KEYS,
    QUERIES,
    SCORES,
    VALUES,
    Step,
    all_of,
    by_rule,
    changed,
    step_sets,
    through,
    two_steps,
    weight_steps,
)
from onehead_solutions.wrong.traces import FULL_ROWS, first

# --- a reading ---------------------------------------------------------------------------


def _reading_given(i: Names) -> dict[str, Array]:
    """One query as a layer's only row."""
    keys = floats(i["keys"])
    mask = i.get("visible")
    visible = np.ones(len(keys), dtype=bool) if mask is None else mask
    return {
        "Q": floats(i.query)[None],
        "K": keys,
        "V": floats(i["values"]),
        "visible": visible[None],
    }


def _reading_weights(stage: str, wrong: Wrong) -> Wrong:
    return lambda i, e: through(i, _reading_given(i), {stage: wrong}, "weights").weights[0]


def _of_reading(i: Names, e: Names) -> Names:
    return Names({**_reading_given(i), "weights": e.weights[None]})


def _reading_context(wrong: Wrong) -> Wrong:
    return lambda i, e: np.asarray(wrong(i, _of_reading(i, e)))[0]


def _compressed(i: Names, e: Names) -> Array:
    given = _reading_given(i)
    weights = through(i, given, {}, "weights").weights[0]
    return np.asarray(weights[given["visible"][0]])


def _inverted_where_given(i: Names, e: Names) -> Array:
    return np.asarray(e.visible if i.get("visible") is None else ~e.visible)


def _whole_scores(whole: Callable[[Array], Array]) -> Wrong:
    """Scores of whole numbers, cut off or rounded down."""

    def scores(i: Names, e: Names) -> Array:
        right = scaled_scores(e.Q, e.K)
        return whole(right) if np.asarray(i.query).dtype.kind == "i" else right

    return scores


# A reading has one row: what takes another row, or a square mask, has nothing to say on it.
# Its one maximum is that of the row: subtracting a hidden one is masking after the softmax.
_NOT_OF_A_ROW = (
    "mask-transposed",
    "mask-excludes-self",
    "mask-off-by-one",
    "softmax-over-queries",
    "softmax-global",
    "softmax-global-max",
    "softmax-misaligned",
)
_ROW_STEPS = [
    *weight_steps(without=_NOT_OF_A_ROW),
    ("mask-inverted", by_rule(visible_softmax, _inverted_where_given)),
]
READING = (
    *(of_stages(name, {"weights": _reading_weights("weights", step)}) for name, step in _ROW_STEPS),
    *(
        of_stages(name, {"weights": _reading_weights("scores", step)})
        for name, step in SCORES
        if (name.startswith("scale") and name != "scale-by-dmodel") or name == "keys-reshaped"
    ),
    *(
        of_stages("integer-truncation", {"weights": _reading_weights("scores", _whole_scores(w))})
        for w in (np.trunc, np.floor)
    ),
    known("weights-of-visible-only", weights=_compressed),
    *(
        of_stages(name, {"reading": _reading_context(step)})
        for name, step in CONTEXT
        if name in ("values-from-keys", "context-over-tokens")
    ),
)

# --- sources -----------------------------------------------------------------------------


def _crossing(i: Names) -> Array:
    if i.get("context") is None:
        raise NotReached("context")
    return np.asarray(i.context)


def _source(i: Names) -> Array:
    return np.asarray(i.X if i.get("context") is None else i.context)


def _of_input(matrix: str) -> Wrong:
    return lambda i, e: floats(i.X) @ i[matrix]


def _asked_by_context(i: Names, e: Names) -> Array:
    return np.asarray(floats(_crossing(i)) @ i.W_Q)


SOURCES = (
    known("context-ignored", K=_of_input("W_K"), V=_of_input("W_V")),
    known("context-ignored", K=_of_input("W_K")),
    known("context-ignored", V=_of_input("W_V")),
    *(
        of_stages(
            "sources-swapped",
            {"Q": _asked_by_context} | {stage: _of_input(f"W_{stage}") for stage in others},
        )
        for others in ("KV", "K", "V", "")
    ),
    *step_sets(
        K=[("keys-from-queries", lambda i, e: floats(_source(i)) @ i.W_Q)],
        V=[
            ("values-from-keys", lambda i, e: e.K),
            ("values-from-input", lambda i, e: floats(i.X)),
            ("values-from-input", lambda i, e: floats(_source(i))),
            ("values-from-keys", lambda i, e: floats(_source(i)) @ i.W_K),
            ("values-from-keys", _of_input("W_K")),
        ],
        Q=[("queries-from-keys", lambda i, e: floats(i.X) @ i.W_K)],
    ),
    known(
        "projection-order",
        Q=lambda i, e: floats(_source(i)) @ i.W_K,
        K=lambda i, e: floats(i.X) @ i.W_Q,
    ),
    known(
        "projection-order",
        Q=lambda i, e: floats(_source(i)) @ i.W_K,
        K=lambda i, e: floats(_source(i)) @ i.W_V,
        V=lambda i, e: floats(i.X) @ i.W_Q,
    ),
)

# --- masks -------------------------------------------------------------------------------


def _mask_due(i: Names, e: Names) -> Array:
    if "T" in i:
        return causal(i.T)
    return causal(i.T_q) if i["causal"] else np.ones((i.T_q, i.T_k), dtype=bool)


def _always(i: Names, e: Names) -> Array:
    return np.tri(i.T_q, i.T_k, dtype=bool)


def _exchanged(i: Names, e: Names) -> Array:
    return T(_mask_due(i, e))


_CAUSAL = [*changed(_mask_due), *changed(_mask_due, lambda i: "T" in i or bool(i["causal"]))]
CAUSAL_MASK = step_sets(visible=_CAUSAL)
VISIBILITY = (
    *step_sets(
        visible=[
            *_CAUSAL,
            ("causal-always", _always),
            ("queries-and-keys-exchanged", _exchanged),
        ]
    ),
    answering("causal-offset", lambda i: np.tri(i.T_q, i.T_k, dtype=bool)),
    answering("causal-offset", lambda i: np.tri(i.T_q, i.T_k, i.T_k - i.T_q, dtype=bool)),
)


def _real(i: Names, longer: int = 0) -> Array:
    """(B, 1, T): the keys that are no padding."""
    return (np.arange(i.T) < np.asarray(i.lengths)[:, None] + longer)[:, None, :]


def _in_front(i: Names, e: Names) -> Array:
    return (np.arange(i.T) >= i.T - np.asarray(i.lengths)[:, None])[:, None, :]


PADDING = (
    *step_sets(
        visible=[
            ("mask-missing", lambda i, e: np.ones_like(_real(i))),
            ("mask-inverted", lambda i, e: ~_real(i)),
            ("mask-first-item", lambda i, e: first(_real(i))),
            ("padding-hides-queries", lambda i, e: T(_real(i))),
            ("padding-hides-both", lambda i, e: _real(i) & T(_real(i))),
            ("padding-in-front", _in_front),
            ("length-off-by-one", lambda i, e: _real(i, 1)),
            ("length-off-by-one", lambda i, e: _real(i, -1)),
        ]
    ),
    answering("lengths-unchecked", _real),
)


def _broadcast_due(i: Names, e: Names) -> Array:
    return np.ones((i.B, i.T_q, i.T_k), dtype=bool) & (True if i.visible is None else i.visible)


def _stretched(i: Names) -> Array:
    return np.broadcast_to(i.visible, (i.B, i.T_q, i.T_k)).copy()


def _of_lengths(i: Names) -> Array:
    """A mask of two axes as one of lengths, where that fits."""
    lengths = np.ndim(i.visible) == 2 and np.shape(i.visible) == (i.B, i.T_k)
    return _stretched(Names({**i, "visible": i.visible[:, None, :]}) if lengths else i)


def _turned(i: Names, e: Names) -> Array:
    """A square mask is transposed before it is spread."""
    due = _broadcast_due(i, e)
    is_square = i.T_q == i.T_k and np.shape(i.visible)[-2:] == (i.T_q, i.T_k)
    return np.broadcast_to(T(i.visible), due.shape) if is_square else due


BROADCAST = (
    *step_sets(
        visible=[
            ("mask-missing", lambda i, e: np.ones_like(_broadcast_due(i, e))),
            ("mask-inverted", lambda i, e: ~_broadcast_due(i, e)),
            (
                "mask-inverted",
                lambda i, e: (
                    ~_broadcast_due(i, e) if i.visible is not None else _broadcast_due(i, e)
                ),
            ),
            ("mask-first-item", lambda i, e: first(_broadcast_due(i, e))),
            ("mask-transposed", _turned),
        ]
    ),
    answering("mask-fits-by-accident", _stretched),
    answering("padding-taken-for-mask", _of_lengths, visible=lambda i, e: _of_lengths(i)),
)

# --- softmax alone -----------------------------------------------------------------------


def _along(i: Names, rule: Rule, axis: int | None = None) -> Array:
    axis = i.get("axis", -1) if axis is None else axis
    scores = np.moveaxis(np.asarray(i.scores, dtype=np.float64), axis, -1)
    return np.moveaxis(rule(scores, ~np.isneginf(scores)), -1, axis)


def _by(rule: Rule) -> Wrong:
    return lambda i, e: _along(i, rule)


def _other_axis(axis: int) -> Wrong:
    def weights(i: Names, e: Names) -> Array:
        if not -np.ndim(i.scores) <= axis < np.ndim(i.scores):
            raise NotReached("axis")
        return _along(i, visible_softmax, axis)

    return weights


def _misaligned(keep_peak: bool, keep_sum: bool) -> Wrong:
    return lambda i, e: misaligned(floats(i.scores), i.get("axis", -1), keep_peak, keep_sum)


def _everywhere(i: Names, e: Names) -> Array:
    flat = floats(i.scores).reshape(1, -1)
    return visible_softmax(flat, ~np.isneginf(flat)).reshape(i.scores.shape)


def _everywhere_by_rows(i: Names, e: Names) -> Array:
    """One sum for all, after each row has been brought down by its own maximum."""
    scores = floats(i.scores)
    top = scores.max(axis=i.get("axis", -1), keepdims=True)
    shares = np.exp(scores - np.where(np.isfinite(top), top, 0))
    return np.asarray(shares / (shares.sum() or 1))


def _whole_exponentials(i: Names, e: Names) -> Array:
    """Exponentials of whole numbers, put into an array of whole numbers."""
    if np.asarray(i.scores).dtype.kind not in "iu":
        raise NotReached("integers")

    def rule(scores: Array, visible: Array) -> Array:
        exp = np.trunc(np.exp(scores - scores.max(axis=-1, keepdims=True)))
        return np.asarray(exp / exp.sum(axis=-1, keepdims=True))

    return _along(i, rule)


_NO_MASK = {name for name, _ in CHANGES} | {
    "mask-after-softmax",
    "mask-renormalised",
    "mask-tiny-fill",
    "mask-added",
    "mask-positive-infinity",
    "softmax-over-queries",
    "softmax-global",
    "softmax-misaligned",
    "mask-finite-fill",
}
SOFTMAX = step_sets(
    weights=[
        *((name, _by(rule)) for name, rule in RULES if name not in _NO_MASK),
        *(("mask-finite-fill", _by(rule)) for rule in (*FILLS[:4], *ADDED[:4])),
        ("softmax-global", _everywhere),
        ("softmax-global", _everywhere_by_rows),
        *(("softmax-misaligned", _misaligned(*kept)) for kept in KEPT),
        ("softmax-over-queries", _other_axis(-2)),
        ("integer-truncation", _whole_exponentials),
        ("softmax-axis-ignored", _other_axis(-1)),
        ("softmax-axis-ignored", _other_axis(0)),
        ("softmax-axis-ignored", _other_axis(1)),
    ]
)

# --- the output projection ---------------------------------------------------------------


def _projected(i: Names, W_O: Array, bias: float = 1) -> Array:
    output = floats(i.context) @ W_O
    return output if i.get("b_O") is None else output + bias * i.b_O


def _turned_to_fit(i: Names) -> Array:
    """Transposed, then reshaped: no mistake shows where W_O is a row or a column."""
    return T(floats(i.W_O)).reshape(i.W_O.shape)


def _of_first_item(i: Names, e: Names) -> Array:
    """The first item's rows, in each place of the axes before them."""
    if np.ndim(i.context) < 3:
        raise NotReached("batch")
    rows = floats(i.context).reshape(-1, *i.context.shape[-2:])[0]
    return _projected(
        Names({**i, "context": np.broadcast_to(rows, i.context.shape)}), floats(i.W_O)
    )


def _fitted(i: Names, e: Names) -> Array:
    """The context itself, made as wide as the model by zeros or a cut."""
    rows, columns = i.W_O.shape
    return _projected(i, np.eye(rows, columns, dtype=floats(i.W_O).dtype))


def _activation(change: Callable[[Array], Array]) -> Wrong:
    return lambda i, e: change(_projected(i, floats(i.W_O)))


OUTPUT_PROJECTION = step_sets(
    output=[
        ("output-skipped", lambda i, e: floats(i.context)),
        ("output-skipped", _fitted),
        ("output-transposed", lambda i, e: _projected(i, T(floats(i.W_O)))),
        ("output-transposed", lambda i, e: _projected(i, _turned_to_fit(i))),
        ("batch-first-item", _of_first_item),
        ("output-activated", _activation(lambda x: np.maximum(x, 0))),
        ("output-activated", _activation(np.tanh)),
        ("residual-added", lambda i, e: _projected(i, floats(i.W_O)) + i.context),
        ("bias-ignored", lambda i, e: _projected(i, floats(i.W_O), 0)),
        ("bias-subtracted", lambda i, e: _projected(i, floats(i.W_O), -1)),
    ]
)
FOLD = step_sets(
    W_VO=[
        ("output-skipped", lambda i, e: floats(i.W_V)),
        ("output-transposed", lambda i, e: floats(i.W_V) @ T(floats(i.W_O))),
        ("output-transposed", lambda i, e: floats(i.W_V) @ _turned_to_fit(i)),
        ("fold-swapped", lambda i, e: floats(i.W_O) @ i.W_V),
        ("fold-transposed", lambda i, e: T(floats(i.W_V) @ i.W_O)),
        ("fold-elementwise", lambda i, e: floats(i.W_V) * i.W_O),
        ("fold-elementwise", lambda i, e: floats(i.W_V) * T(floats(i.W_O))),
    ]
)

# --- one row, and what a token does ------------------------------------------------------


def _row_of(steps: Mapping[str, Wrong]) -> Wrong:
    """The target's weights at the end of a causal chain with wrong steps, by stage."""

    def weights(i: Names, e: Names) -> Array:
        made = through(i, {"visible": causal(len(i.X))}, steps, "weights")
        return np.asarray(made.weights[i.target])

    return weights


def _rows(steps: Mapping[str, Iterable[Step]]) -> Iterator[Misconception]:
    for stage, of_stage in steps.items():
        for name, wrong in of_stage:
            yield of_stages(name, {"weights": _row_of({stage: wrong})})


def _column(i: Names, e: Names) -> Array:
    made = through(i, {"visible": causal(len(i.X))}, {}, "weights")
    return np.asarray(made.weights[:, i.target])


def _lost(i: Names, e: Names) -> Array:
    """What the output loses with each token's value: (T, d_model)."""
    return np.asarray(e.weights[:, None] * (floats(i.X) @ floats(i.W_V) @ floats(i.W_O)))


def _norm(x: Array) -> Array:
    return np.asarray(np.sqrt(np.sum(x * x, axis=-1)))


def _shared_out(i: Names, e: Names) -> Array:
    effects = _norm(_lost(i, e))
    return np.asarray(effects / effects.sum())


def _output(i: Names, X: Array | None = None, hidden: int | None = None) -> Array:
    X = floats(i.X) if X is None else X
    visible = causal(len(X))
    if hidden is not None:
        visible[:, hidden] = False
    weights = visible_softmax(scaled_scores(X @ i.W_Q, X @ i.W_K), visible)
    return np.asarray(weights @ (X @ i.W_V) @ i.W_O)


def _without(change: Callable[[Names, int], Array]) -> Wrong:
    """Effects of another intervention on each token."""

    def effects(i: Names, e: Names) -> Array:
        before = _output(i)[i.target]
        return np.array([_norm(change(i, k)[i.target] - before) for k in range(len(i.X))])

    return effects


def _zeroed(i: Names, k: int) -> Array:
    X = floats(i.X).copy()
    X[k] = 0
    return _output(i, X)


def _effects_of(values: Callable[[Names], Array]) -> Wrong:
    """Effects of other values than the layer's; their own sizes where W_O does not take them."""

    def effects(i: Names, e: Names) -> Array:
        V, W_O = values(i), floats(i.W_O)
        return _norm(e.weights[:, None] * (V @ W_O if V.shape[1] == len(W_O) else V))

    return effects


def _sizes_of(values: Callable[[Names], Array]) -> Wrong:
    """The same before the output projection, which other values may not fit."""
    return lambda i, e: _norm(e.weights[:, None] * values(i))


def _projected_sizes_of(values: Callable[[Names], Array]) -> Wrong:
    """The same behind it, where only values of one width fit."""
    return lambda i, e: _norm(e.weights[:, None] * (values(i) @ floats(i.W_O)))


def _all_rows(i: Names, e: Names) -> Array:
    visible = causal(len(i.X))
    weights = visible_softmax(scaled_scores(floats(i.X) @ i.W_Q, floats(i.X) @ i.W_K), visible)
    each = _norm(floats(i.X) @ floats(i.W_V) @ floats(i.W_O))
    return np.asarray(np.sqrt(np.sum(weights * weights, axis=0)) * each)


OBSERVED = (
    *_rows(
        {
            "Q": QUERIES,
            "K": KEYS,
            "scores": [s for s in SCORES if s[0] != "scores-masked"],
            "visible": changed(lambda i, e: causal(len(i.X))),
            "weights": weight_steps(without=FULL_ROWS),
        }
    ),
    *(
        of_stages(name, {"weights": _row_of(two)})
        for name, two in two_steps(lambda i, e: causal(len(i.X)))
    ),
    known("column-for-row", weights=_column),
    *step_sets(
        effects=[
            (
                "output-skipped",
                lambda i, e: e.weights * np.linalg.norm(floats(i.X) @ i.W_V, axis=-1),
            ),
            (
                "output-transposed",
                lambda i, e: _norm(e.weights[:, None] * (floats(i.X) @ i.W_V @ T(i.W_O))),
            ),
            ("weight-as-effect", lambda i, e: e.weights),
            ("weight-ignored", lambda i, e: _norm(floats(i.X) @ floats(i.W_V) @ floats(i.W_O))),
            ("weight-ignored", lambda i, e: _norm(floats(i.X) @ floats(i.W_V))),
            ("effect-norm", lambda i, e: np.sum(_lost(i, e) ** 2, axis=-1)),
            ("effect-norm", lambda i, e: np.sum(np.abs(_lost(i, e)), axis=-1)),
            ("effect-norm", lambda i, e: np.max(np.abs(_lost(i, e)), axis=-1)),
            ("effect-norm", lambda i, e: np.sum(_lost(i, e), axis=-1)),
            ("effect-norm", lambda i, e: np.abs(np.sum(_lost(i, e), axis=-1))),
            ("effect-norm", lambda i, e: _norm(_lost(i, e)) / np.sqrt(i.X.shape[-1])),
            ("effects-shared-out", _shared_out),
            ("token-zeroed", _without(_zeroed)),
            ("token-removed", _without(lambda i, k: _output(i, hidden=k))),
            ("effect-of-all-rows", _all_rows),
            ("values-from-input", _effects_of(lambda i: floats(i.X))),
            ("values-from-input", _projected_sizes_of(lambda i: floats(i.X))),
            ("values-from-input", _sizes_of(lambda i: floats(i.X))),
            ("values-from-keys", _effects_of(lambda i: floats(i.X) @ i.W_K)),
            ("values-from-keys", _projected_sizes_of(lambda i: floats(i.X) @ i.W_K)),
            ("values-from-keys", _sizes_of(lambda i: floats(i.X) @ i.W_K)),
        ]
    ),
)

# --- the trace by hand -------------------------------------------------------------------

_FOUR = Names(FOUR_TOKENS)
_ASKED = ("scores[3]", "weights[1]", "weights[3]", "context[2]")


def _by_hand(stage: str, wrong: Wrong) -> dict[str, Array] | None:
    """The numbers that a wrong step moves, of those that are asked for."""
    try:
        with np.errstate(all="ignore"):
            made = through(_FOUR, {}, {stage: wrong}, "context")
    except (NotReached, ValueError, IndexError):
        return None
    right = through(_FOUR, {}, {}, "context")

    def entry(key: str) -> Any:
        name, row = key[:-1].split("[")
        return made[name][int(row)], right[name][int(row)]

    moved = {}
    for key in _ASKED:
        value, due = entry(key)
        if np.shape(value) != np.shape(due) or not np.max(np.abs(value - due)) <= 0.01:
            moved[key] = value
    return moved


def _worked(name: str, values: Mapping[str, Array]) -> Misconception:
    return of_stages(name, {key: always(value) for key, value in values.items()})


def _same_by_hand(a: Mapping[str, Array], b: Mapping[str, Array]) -> bool:
    return a.keys() == b.keys() and all(
        np.shape(a[key]) == np.shape(b[key]) and np.max(np.abs(a[key] - b[key])) <= 0.01
        for key in a
    )


def _hand_made() -> Iterator[Misconception]:
    steps: Mapping[str, Iterable[Step]] = {
        "Q": QUERIES,
        "K": KEYS,
        "V": VALUES,
        "scores": SCORES,
        "visible": changed(lambda i, e: causal(4)),
        "weights": weight_steps(without=FULL_ROWS),
        "context": CONTEXT,
    }
    found: list[tuple[str, Mapping[str, Array]]] = []
    for stage, of_stage in steps.items():
        for name, wrong in of_stage:
            values = _by_hand(stage, wrong)
            if values and not any(_same_by_hand(values, other) for _, other in found):
                found.append((name, values))
    yield from (_worked(name, values) for name, values in found)
    right = through(_FOUR, {}, {}, "context")
    shifted = {key: right[key.split("[")[0]][int(key[-2]) - 1] for key in _ASKED}
    yield _worked("rows-from-one", shifted)


TRACE_BY_HAND = tuple(_hand_made())

__all__ = ["all_of", "over_matrix", "over_queries"]
