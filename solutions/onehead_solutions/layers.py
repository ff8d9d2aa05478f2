"""The layers that a learner's ``audit`` is asked about, right ones and broken ones.

A layer is a chain of steps, one a stage; a broken layer replaces a step or two. What a layer breaks
is not taken on faith: ``tests/test_layers.py`` measures it. No layer's answer depends on an earlier
call, so that what one submission does can't change the marks of another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import mul
from typing import Any, Literal

import numpy as np

from onehead.model import Array, Names
from onehead_solutions.attention import causal, scaled_scores, visible_softmax
from onehead_solutions.draw import Draw

Invariant = Literal["shape", "mask", "numerical", "output", "batching"]
INVARIANTS: tuple[Invariant, ...] = ("shape", "mask", "numerical", "output", "batching")
STAGES = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")
Step = Callable[[Names], Any]


def combined(t: Names) -> Array:
    """What may be read: ``given`` and ``causal`` combined by and, at the shape of the scores."""
    seen = np.ones(t.scores.shape, dtype=bool)
    if t.given is not None:
        seen &= t.given
    if t.causal:
        seen &= np.tri(t.X.shape[-2], dtype=bool)
    return seen


RIGHT_STEPS: Mapping[str, Step] = {
    "Q": lambda t: t.X @ t.W_Q,
    "K": lambda t: t.X @ t.W_K,
    "V": lambda t: t.X @ t.W_V,
    "scores": lambda t: scaled_scores(t.Q, t.K),
    "visible": combined,
    "weights": lambda t: visible_softmax(t.scores, t.visible),
    "context": lambda t: t.weights @ t.V,
    "output": lambda t: t.context @ t.W_O,
    "call": lambda t: t.output,
}


class Layer:
    """A self-attention layer made of steps; ``d_model``, ``d_k`` and ``d_v`` are its ``sizes``.

    Each step reads the stages before it, the matrices, ``X``, ``given`` (the mask handed over) and
    ``causal``. ``shown`` changes what the trace shows of a stage, not what is computed with it.
    """

    proxy_attributes = ("W_Q", "W_K", "W_V", "W_O", "num_parameters")
    proxy_methods = ("trace",)

    def __init__(
        self,
        name: str,
        sizes: tuple[int, int, int],
        *,
        scale: float = 1.2,
        matrices: Mapping[str, Array] | None = None,
        count: Callable[[int, int, int], int] | None = None,
        shown: Mapping[str, Callable[[Array], Array]] | None = None,
        **steps: Step,
    ) -> None:
        d_model, d_k, d_v = sizes
        draw, given = Draw(f"lesson-08 layer {name}"), matrices or {}
        self.name = name
        self.W_Q = given.get("W_Q", draw.reals(d_model, d_k, scale=scale))
        self.W_K = given.get("W_K", draw.reals(d_model, d_k, scale=scale))
        self.W_V = given.get("W_V", draw.reals(d_model, d_v, scale=scale))
        self.W_O = given.get("W_O", draw.reals(d_v, d_model, scale=scale))
        self.num_parameters = count(*sizes) if count else 2 * d_model * (d_k + d_v)
        self._shown = shown or {}
        self._steps = {**RIGHT_STEPS, **steps}
        self._latest: tuple[Any, Names] = (None, Names())

    def _run(self, X: Any, visible: Any, causal: Any) -> Names:
        """All stages; audits often ask for a trace and a call of the same tokens."""
        arrays = [np.asarray(x) for x in (X, visible, causal)]
        asked = [(x.dtype, x.shape, x.tobytes()) for x in arrays]
        if self._latest[0] != asked:
            self._latest = asked, self._stages(X, visible, causal)
        return self._latest[1]

    def _stages(self, X: Any, visible: Any, causal: Any) -> Names:
        given = None if visible is None else np.array(visible, dtype=bool)
        t = Names(X=np.array(X, dtype=np.float64), given=given, causal=bool(causal))
        t.update({W: getattr(self, W) for W in ("W_Q", "W_K", "W_V", "W_O")})
        with np.errstate(all="ignore"):
            for stage, step in self._steps.items():
                t[stage] = step(t)
        return t

    def trace(self, X: Any, visible: Any = None, causal: Any = True) -> dict[str, Array]:
        t = self._run(X, visible, causal)
        return {stage: self._shown.get(stage, np.array)(t[stage]) for stage in STAGES}

    def __call__(self, X: Any, visible: Any = None, causal: Any = True) -> Array:
        return np.array(self._run(X, visible, causal).call)


@dataclass(frozen=True)
class HiddenLayer:
    """A layer, the invariant that it was made to break, and those that may be named besides.

    Where its fault can be read as one of another invariant, to name the ``other`` one is enough.
    """

    layer: Layer
    broken: Invariant | None = None
    also: frozenset[Invariant] = frozenset()
    public: bool = False
    other: Invariant | None = None

    @property
    def name(self) -> str:
        return self.layer.name

    @property
    def kind(self) -> str:
        """What is said of it to somebody who did not find it: its kind, not which one it is."""
        return next(
            (kind for kind, names in KINDS.items() if self.name in names),
            f"that breaks `{self.broken}`" if self.broken else "that is right",
        )


def _batched(t: Names) -> bool:
    return bool(t.X.ndim == 3)


def _T(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def _row_sums(exp: Array) -> Array:
    """Sums over the keys to divide by: 1 in a row without any."""
    total = exp.sum(axis=-1, keepdims=True)
    return np.where(total == 0, 1, total)


# --- right -------------------------------------------------------------------------------


def _shifted_softmax(t: Names) -> Array:
    """Shifted by 3 below the peak: a constant cancels."""
    scores = np.where(t.visible, t.scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True, initial=-1e300)
    exp = np.exp(scores - peak + 3)
    return np.asarray(exp / _row_sums(exp))


def _looped_product(left: Array, right: Array) -> Array:
    """Entry by entry, with sums that ``math.fsum`` rounds once."""
    if left.ndim == 3:
        rights = right if right.ndim == 3 else [right] * len(left)
        return np.stack([_looped_product(a, b) for a, b in zip(left, rights, strict=True)])
    rows, columns = left.tolist(), right.T.tolist()
    return np.array([[math.fsum(map(mul, row, column)) for column in columns] for row in rows])


def _looped_softmax(t: Names) -> Array:
    weights = np.zeros(t.scores.shape)
    for row in np.ndindex(t.scores.shape[:-1]):
        seen = t.visible[row]
        if seen.any():
            exp = np.exp(t.scores[row][seen] - t.scores[row][seen].max())
            weights[row][seen] = exp / exp.sum()
    return weights


def _view(visible: Array) -> Array:
    """The same entries as a read-only view, of one matrix where the items share it."""
    shared = visible.ndim == 3 and bool((visible == visible[:1]).all())
    return np.broadcast_to(visible[0] if shared else visible, visible.shape)


def _right(name: str, sizes: tuple[int, int, int], public: bool = False, **how: Any) -> HiddenLayer:
    return HiddenLayer(Layer(name, sizes, **how), public=public)


_TURN = np.array([[2.0, -2, 1], [1, 2, 2], [2, 1, -2]]) / 3  # orthogonal

RIGHT = (
    _right("plain", (4, 3, 2), public=True),
    _right(
        "loops",
        (2, 4, 3),
        Q=lambda t: _looped_product(t.X, t.W_Q),
        K=lambda t: _looped_product(t.X, t.W_K),
        V=lambda t: _looped_product(t.X, t.W_V),
        scores=lambda t: _looped_product(t.Q, _T(t.K)) / math.sqrt(t.Q.shape[-1]),
        weights=_looped_softmax,
        context=lambda t: _looped_product(t.weights, t.V),
        output=lambda t: _looped_product(t.context, t.W_O),
    ),
    _right("a constant on every score", (3, 2, 6), weights=_shifted_softmax),
    _right(
        "folded",
        (4, 3, 6),
        scores=lambda t: t.X @ (t.W_Q @ t.W_K.T) @ _T(t.X) / math.sqrt(t.W_Q.shape[1]),
        output=lambda t: t.weights @ (t.X @ (t.W_V @ t.W_O)),
    ),
    _right("all sizes equal, W_O orthogonal", (3, 3, 3), matrices={"W_O": _TURN}),
    _right("wide values", (2, 3, 7), shown={"output": np.asfortranarray}),
    _right("large scores", (4, 4, 3), scale=18.0),
    _right("a view of the mask", (3, 2, 4), shown={"visible": _view}),
    _right("W_O is zero", (3, 2, 4), matrices={"W_O": np.zeros((4, 3))}),
)


# --- broken: shape -----------------------------------------------------------------------


def _in_batch(change: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: change(x) if x.ndim == 3 else x


def _padded(width: int) -> Callable[[Array], Array]:
    def pad(x: Array) -> Array:
        return np.concatenate([x, np.zeros((*x.shape[:-1], width))], axis=-1)

    return pad


def _everywhere(change: Callable[[Array], Array]) -> Mapping[str, Callable[[Array], Array]]:
    return dict.fromkeys(STAGES, change)


def _flat(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])


def _shape(name: str, sizes: tuple[int, int, int], **how: Any) -> HiddenLayer:
    """With a wrong shape nothing that is made from it can be judged: all others may be named."""
    return HiddenLayer(Layer(name, sizes, **how), "shape", frozenset(INVARIANTS) - {"shape"})


SHAPE = (
    _shape("K transposed", (4, 7, 3), shown={"K": _T}),
    _shape("context padded to d_model", (6, 3, 2), shown={"context": _padded(4)}),
    _shape(
        "a batch axis on one sequence",
        (4, 3, 2),
        shown=_everywhere(lambda x: x if x.ndim == 3 else x[None]),
        call=lambda t: t.output if _batched(t) else t.output[None],
    ),
    _shape("one visible for the batch", (4, 2, 3), shown={"visible": _in_batch(lambda x: x[:1])}),
    _shape("the first item's scores alone", (3, 2, 4), shown={"scores": _in_batch(lambda x: x[0])}),
    _shape("V with an axis of one", (5, 2, 3), shown={"V": lambda x: x[..., None]}),
    # An audit that finds both has to name them in order.
    _shape(
        "one set of weights for the batch, causal ignored",
        (4, 3, 5),
        visible=lambda t: combined(Names(t, causal=False)),
        shown={"weights": _in_batch(lambda x: x[:1])},
    ),
)


# --- broken: mask ------------------------------------------------------------------------


def _under(order: Callable[[int], Array]) -> Step:
    """``visible`` with another rule for ``causal``: ``order(T)``."""

    def visible(t: Names) -> Array:
        seen = combined(Names(t, causal=False))
        return seen & order(t.X.shape[-2]) if t.causal else seen

    return visible


def _tril(offset: int) -> Callable[[int], Array]:
    return lambda T: np.tril(np.ones((T, T), dtype=bool), offset)


def _either(t: Names) -> Array:
    if t.given is None or not t.causal:
        return combined(t)
    return np.broadcast_to(t.given | causal(t.X.shape[-2]), t.scores.shape)


def _given(change: Callable[[Array], Array]) -> Step:
    """``visible`` with a changed mask where one is given."""
    return lambda t: combined(t if t.given is None else Names(t, given=change(t.given)))


def _first_mask(given: Array) -> Array:
    return given[:1] if given.ndim == 3 else given


def _filled(fill: float, empty: bool = False) -> Step:
    """Softmax with ``fill`` for a hidden score; ``empty`` rows get zeros all the same."""

    def weights(t: Names) -> Array:
        full = visible_softmax(np.where(t.visible, t.scores, fill), np.ones_like(t.visible))
        return np.where(t.visible.any(axis=-1, keepdims=True), full, 0) if empty else full

    return weights


def _leaking_context(t: Names) -> Array:
    leak = (~t.visible).astype(float) @ t.V
    return np.asarray(t.weights @ t.V + 1e-4 * leak)


def _leaking_output(t: Names) -> Array:
    """The next token's value leaks where it is hidden; no other change of a token shows that."""
    output, hidden = t.context @ t.W_O, ~np.diagonal(t.visible, 1, -2, -1)[..., None]
    output[..., :-1, :] += 0.05 * hidden * (t.V @ t.W_O)[..., 1:, :]
    return np.asarray(output)


def _padded_queries(given: Array) -> Array:
    """Of a mask of rank 3, queries and keys are exchanged: padding hides queries."""
    return _T(given) if given.ndim == 3 else given


def _ones(given: Array) -> Array:
    return np.ones_like(given)


# Padding shows a mask that is not kept to: a short sequence then differs alone and in a batch.
def _mask(name: str, sizes: tuple[int, int, int], *also: Invariant, **how: Any) -> HiddenLayer:
    public, other = how.pop("public", False), how.pop("other", None)
    also_broken = frozenset({"numerical", *also})
    return HiddenLayer(Layer(name, sizes, **how), "mask", also_broken, public, other)


MASK = (
    _mask("two tokens ahead", (4, 3, 2), visible=_under(_tril(2)), public=True),
    _mask("causal ignored", (3, 4, 2), visible=lambda t: combined(Names(t, causal=False))),
    _mask("one token ahead", (4, 2, 3), visible=_under(_tril(1))),
    _mask("a token does not see itself", (5, 3, 2), visible=_under(_tril(-1))),
    _mask("the future instead of the past", (3, 2, 5), visible=_under(lambda T: causal(T).T)),
    _mask("visible ignored", (4, 5, 3), "batching", visible=_given(_ones)),
    _mask("visible and causal combined by or", (3, 5, 4), "batching", visible=_either),
    _mask(
        "causal where it is switched off",
        (5, 4, 3),
        visible=lambda t: combined(Names(t, causal=True)),
    ),
    _mask("the first item's mask for all", (4, 3, 2), "batching", visible=_given(_first_mask)),
    _mask("padding hides queries", (3, 5, 4), "batching", visible=_given(_padded_queries)),
    # What it shows is not what its weights keep to: either of the two may be found wrong.
    _mask(
        "the causal mask alone is shown",
        (5, 2, 3),
        "batching",
        other="numerical",
        visible=lambda t: combined(Names(t, given=None)),
        weights=lambda t: visible_softmax(t.scores, combined(t)),
    ),
    _mask("filled with -1e9", (4, 3, 5), "batching", weights=_filled(-1e9)),
    _mask("filled with 0", (5, 2, 4), "batching", weights=_filled(0.0, empty=True)),
    # Where all weights are right, a leak is a context or an output that is not what it is due.
    _mask(
        "hidden values leak into the context",
        (4, 2, 3),
        "output",
        "batching",
        other="output",
        context=_leaking_context,
    ),
    _mask(
        "the next token leaks into the output",
        (3, 5, 2),
        "output",
        "batching",
        other="output",
        output=_leaking_output,
    ),
)


# --- broken: numerical -------------------------------------------------------------------


def _scaled(by: Callable[[Names], float]) -> Step:
    return lambda t: t.Q @ _T(t.K) * by(t)


def _over(axes: tuple[int, ...]) -> Step:
    """Softmax over other axes."""

    def weights(t: Names) -> Array:
        scores = np.where(t.visible, t.scores, -np.inf)
        peak = scores.max(axis=axes, keepdims=True)
        exp = np.exp(scores - np.where(np.isfinite(peak), peak, 0))
        total = exp.sum(axis=axes, keepdims=True)
        return np.asarray(exp / np.where(total == 0, 1, total))

    return weights


def _naive(t: Names) -> Array:
    exp = np.where(t.visible, np.exp(t.scores), 0)
    return np.asarray(exp / _row_sums(exp))


def _global_max(t: Names) -> Array:
    exp = np.where(t.visible, np.exp(t.scores - t.scores.max()), 0)
    return np.asarray(exp / _row_sums(exp))


def _not_a_number(t: Names) -> Array:
    exp = np.exp(np.where(t.visible, t.scores, -np.inf) - t.scores.max(axis=-1, keepdims=True))
    right = visible_softmax(t.scores, t.visible)
    return np.where(
        t.visible.any(axis=-1, keepdims=True), right, exp / exp.sum(axis=-1, keepdims=True)
    )


def _renormalised(t: Names) -> Array:
    """Hidden after the exponential, and divided by what is left: 0 where a hidden key dominates."""
    exp = np.exp(t.scores - t.scores.max(axis=-1, keepdims=True))
    visible = np.where(t.visible, exp, 0)
    return np.asarray(visible / _row_sums(visible))


def _masked_after(t: Names) -> Array:
    return np.where(t.visible, visible_softmax(t.scores, np.ones_like(t.visible)), 0)


def _numerical(name: str, sizes: tuple[int, int, int], *also: Invariant, **how: Any) -> HiddenLayer:
    public, other = how.pop("public", False), how.pop("other", None)
    return HiddenLayer(Layer(name, sizes, **how), "numerical", frozenset(also), public, other)


# Where NaN turns up, every later comparison with it fails, and so does one of NaN with itself.
_AFTER_NAN: tuple[Invariant, ...] = ("mask", "output", "batching")

NUMERICAL = (
    _numerical(
        "scores multiplied by the scale's inverse",
        (3, 2, 4),
        scores=_scaled(lambda t: math.sqrt(t.Q.shape[-1])),
        public=True,
    ),
    _numerical("scale missing", (4, 3, 2), scores=_scaled(lambda t: 1.0)),
    _numerical("scaled by d_k", (3, 4, 5), scores=_scaled(lambda t: 1 / t.Q.shape[-1])),
    _numerical(
        "scaled by sqrt(d_model)", (5, 3, 4), scores=_scaled(lambda t: t.X.shape[-1] ** -0.5)
    ),
    # What is shown and not computed with is found by nobody who starts from the matrices.
    _numerical(
        "scores shown without the scale in a batch",
        (3, 5, 2),
        "batching",
        shown={"scores": _in_batch(lambda x: x * math.sqrt(5))},
    ),
    _numerical("Q shown with the scale", (5, 4, 3), shown={"Q": lambda x: x / 2}),
    _numerical("K times Q", (4, 2, 5), scores=lambda t: _T(scaled_scores(t.Q, t.K))),
    _numerical("Q from W_K", (4, 3, 5), Q=lambda t: t.X @ t.W_K),
    _numerical("K from W_Q", (5, 3, 4), K=lambda t: t.X @ t.W_Q),
    _numerical("softmax over queries", (3, 2, 4), "mask", "batching", weights=_over((-2,))),
    _numerical("exponentials overflow", (4, 3, 5), *_AFTER_NAN, weights=_naive),
    _numerical("one maximum for all rows", (3, 5, 4), *_AFTER_NAN, weights=_global_max),
    _numerical(
        "masked after softmax and renormalised", (5, 4, 3), *_AFTER_NAN, weights=_renormalised
    ),
    # Each key of such a row is invisible: NaN is also a weight that it should not have.
    _numerical(
        "NaN where nothing is seen", (4, 2, 3), *_AFTER_NAN, other="mask", weights=_not_a_number
    ),
    _numerical("masked after softmax", (4, 5, 2), "mask", "batching", weights=_masked_after),
    # Each row sums to 1, the scores are right, and no weight is far off.
    _numerical(
        "weights of scores that are a little too large",
        (4, 3, 2),
        scale=0.5,
        weights=lambda t: visible_softmax(1.003 * t.scores, t.visible),
    ),
    # Shows at the size that the contract names, and not far below it.
    _numerical(
        "scores cut off at 1500",
        (4, 3, 5),
        weights=lambda t: visible_softmax(t.scores.clip(-1500, 1500), t.visible),
    ),
)


# --- broken: output ----------------------------------------------------------------------


def _output(name: str, sizes: tuple[int, int, int], *also: Invariant, **how: Any) -> HiddenLayer:
    return HiddenLayer(Layer(name, sizes, **how), "output", frozenset(also))


def _last_column_too_large(x: Array) -> Array:
    return np.asarray(x * np.where(np.arange(x.shape[-1]) == x.shape[-1] - 1, 1.0005, 1))


def _again(t: Names, **other: Any) -> Any:
    """The output of a right layer for another mask or flag."""
    t = Names(t, **other)
    for stage in ("visible", "weights", "context", "output"):
        t[stage] = RIGHT_STEPS[stage](t)
    return t.output


OUTPUT = (
    _output("V from W_K", (4, 3, 3), V=lambda t: t.X @ t.W_K),
    _output("context from X", (5, 2, 5), context=lambda t: t.weights @ t.X),
    _output("W_O transposed", (4, 2, 4), output=lambda t: t.context @ t.W_O.T),
    _output("W_O skipped", (3, 5, 3), output=lambda t: t.context),
    # Three entries that are shown and not computed with.
    _output(
        "X added to the output that is shown",
        (4, 3, 2),
        "mask",
        output=lambda t: t.X + t.context @ t.W_O,
        call=lambda t: t.context @ t.W_O,
    ),
    _output("V shown a little too large", (3, 2, 4), shown={"V": _last_column_too_large}),
    _output("context shown a little too small", (4, 2, 3), shown={"context": lambda x: 0.9995 * x}),
    # One in sequences, one in batches, one in both.
    _output(
        "a call ignores visible",
        (4, 3, 5),
        "mask",
        "numerical",
        "batching",
        call=lambda t: t.output if _batched(t) else _again(t, given=None),
    ),
    _output(
        "a call ignores causal",
        (3, 5, 4),
        "mask",
        "numerical",
        "batching",
        call=lambda t: _again(t, causal=True) if _batched(t) else t.output,
    ),
    _output(
        "a call is never causal",
        (5, 3, 4),
        "mask",
        "numerical",
        call=lambda t: _again(t, causal=False),
    ),
    _output("the count leaves out W_O", (4, 3, 2), count=lambda d, k, v: d * (2 * k + v)),
    _output(
        "the count adds biases", (3, 4, 2), count=lambda d, k, v: 2 * d * (k + v) + 2 * k + v + d
    ),
)


# --- broken: batching --------------------------------------------------------------------


def _mean_item(x: Array) -> Any:
    """The mean over the batch; 0 for one sequence."""
    return x.mean(axis=0) if x.ndim == 3 else 0


def _first_for_all(x: Array) -> Array:
    return np.broadcast_to(x[:1], x.shape) if x.ndim == 3 else x


def _flattened_uncausal(t: Names) -> Array:
    """The context of items that attend to one another's visible places, if not causal."""
    if t.causal or not _batched(t):
        return np.asarray(t.weights @ t.V)
    scores = np.concatenate(
        [scaled_scores(t.Q, np.broadcast_to(K, t.K.shape)) for K in t.K], axis=-1
    )
    visible = np.concatenate([t.visible] * len(t.X), axis=-1)
    return np.asarray(visible_softmax(scores, visible) @ _flat(t.V))


def _first_reads_last(t: Names) -> Array:
    output = t.context @ t.W_O
    if _batched(t) and len(output) > 1:
        output[0] += 0.5 * output[-1]
    return np.asarray(output)


def _shared_out(t: Names) -> Array:
    """Divided by the number of items where a mask is given: no change of another item shows."""
    items = 1 if t.given is None or not _batched(t) else len(t.X)
    return np.asarray(t.weights @ t.V / items)


def _softmax_over_items(t: Names) -> Array:
    return np.asarray(_over((0,))(t) if _batched(t) else visible_softmax(t.scores, t.visible))


def _batching(
    name: str, sizes: tuple[int, int, int], other: Invariant | None = None, **how: Any
) -> HiddenLayer:
    """Items that mix can break every equation and every mask, but no shape."""
    also = frozenset[Invariant]({"mask", "numerical", "output"})
    return HiddenLayer(Layer(name, sizes, **how), "batching", also, other=other)


BATCHING = (
    _batching(
        "the first item's output for all",
        (4, 2, 3),
        output=lambda t: _first_for_all(t.context @ t.W_O),
    ),
    _batching("a masked context divided by the items", (3, 4, 5), context=_shared_out),
    _batching("items attend to one another", (4, 3, 5), context=_flattened_uncausal),
    _batching("softmax over the batch", (3, 5, 2), weights=_softmax_over_items),
    _batching("the first item reads the last", (4, 5, 3), output=_first_reads_last),
    # Its trace keeps the items apart: what mixes them is that a call is not what its trace shows.
    _batching(
        "a call adds the batch's mean",
        (4, 3, 3),
        other="output",
        call=lambda t: t.output + 0.01 * _mean_item(t.output),
    ),
)

KINDS: Mapping[str, tuple[str, ...]] = {
    "whose causal mask is wrong": (
        "two tokens ahead",
        "causal ignored",
        "one token ahead",
        "a token does not see itself",
        "the future instead of the past",
        "causal where it is switched off",
    ),
    "that gets a given mask wrong": (
        "visible ignored",
        "visible and causal combined by or",
        "the first item's mask for all",
        "padding hides queries",
    ),
    "that shows another mask than it keeps to": ("the causal mask alone is shown",),
    "that shows the right mask and does not keep to it": (
        "filled with -1e9",
        "filled with 0",
        "hidden values leak into the context",
        "the next token leaks into the output",
    ),
    "that compares queries and keys wrongly": (
        "scores multiplied by the scale's inverse",
        "scale missing",
        "scaled by d_k",
        "scaled by sqrt(d_model)",
        "scores shown without the scale in a batch",
        "Q shown with the scale",
        "K times Q",
        "Q from W_K",
        "K from W_Q",
    ),
    "that shares out the weight wrongly": (
        "softmax over queries",
        "masked after softmax",
        "weights of scores that are a little too large",
    ),
    "that fails on large scores": (
        "exponentials overflow",
        "one maximum for all rows",
        "masked after softmax and renormalised",
        "scores cut off at 1500",
    ),
    "that fails where a query sees nothing": ("NaN where nothing is seen",),
    "that mixes or projects the wrong things": (
        "V from W_K",
        "context from X",
        "W_O transposed",
        "W_O skipped",
        "X added to the output that is shown",
        "V shown a little too large",
        "context shown a little too small",
    ),
    "whose calls are not what its trace shows": (
        "a call ignores visible",
        "a call ignores causal",
        "a call is never causal",
    ),
    "whose parameter count is wrong": ("the count leaves out W_O", "the count adds biases"),
    "whose trace has an entry of another shape": tuple(hidden.name for hidden in SHAPE),
    "in which items mix": tuple(hidden.name for hidden in BATCHING),
}
HIDDEN_LAYERS = (*RIGHT, *SHAPE, *MASK, *NUMERICAL, *OUTPUT, *BATCHING)
