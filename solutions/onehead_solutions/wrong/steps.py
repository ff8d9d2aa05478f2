"""The chain of a layer's stages, and wrong steps in it.

A wrong step computes one stage from the inputs and the stages before it. In a trace it is held
against the learner's own stages; where only a later value is shown, ``through`` runs the chain on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from onehead.compare import is_float32
from onehead.model import Array, Misconception, Names
from onehead_solutions.attention import causal, floats, scaled_scores, visible_softmax
from onehead_solutions.wrong.names import Wrong, of_stages
from onehead_solutions.wrong.rules import CHANGES, EMPTY_ROWS, RULES, Change, Rule, T

Step = tuple[str, Wrong]  # a mistake's name and what it computes


def tokens(i: Names) -> int:
    return int(np.shape(i.X)[-2])


def scale(i: Names, e: Names) -> float:
    return math.sqrt(e.K.shape[-1])


def products(i: Names, e: Names) -> Array:
    return np.asarray(e.Q @ T(e.K))


def own_mask(i: Names, e: Names) -> Array:
    """What the trace shows as visible, else what is due: the past, or everything."""
    return np.broadcast_to(e["visible"] if "visible" in e else past(i, e), np.shape(e.scores))


def past(i: Names, e: Names) -> Array:
    return causal(tokens(i)) if i.get("causal", True) else all_of(tokens(i))


def all_of(n: int, m: int | None = None) -> Array:
    return np.ones((n, n if m is None else m), dtype=bool)


def by_rule(rule: Rule, visible: Wrong = own_mask) -> Wrong:
    def weights(i: Names, e: Names) -> Array:
        # Where it rounds or overflows depends on the dtype of the inputs.
        scores = np.asarray(e.scores, dtype=np.float32 if is_float32(i) else np.float64)
        return rule(scores, np.broadcast_to(visible(i, e), scores.shape))

    return weights


# --- projections, scores, values ---------------------------------------------------------


def projected(matrix: str) -> Wrong:
    return lambda i, e: floats(i.X) @ floats(i[matrix])


def _transposed(matrix: str) -> Wrong:
    return lambda i, e: floats(i.X) @ T(floats(i[matrix]))


def _in_single(matrix: str) -> Wrong:
    """The matrix is kept in float32, which the product with numbers in float64 hides."""
    return lambda i, e: floats(i.X) @ floats(np.asarray(i[matrix], np.float32))


def handed_in(i: Names, e: Names) -> Array:
    """The mask that was handed in, and no other: everything where there was none."""
    return np.asarray(True if i.visible is None else i.visible)


def _masked(fill: float, visible: Wrong = own_mask) -> Wrong:
    def scores(i: Names, e: Names) -> Array:
        right = scaled_scores(e.Q, e.K)
        return np.where(visible(i, Names({**e, "scores": right})), right, fill)

    return scores


_FILLS = (-np.inf, -1e9, -1e4, 0.0)

QUERIES: tuple[Step, ...] = (
    ("queries-from-keys", projected("W_K")),
    ("projection-transposed", _transposed("W_Q")),
    ("low-precision", _in_single("W_Q")),
)
KEYS: tuple[Step, ...] = (
    ("keys-from-queries", projected("W_Q")),
    ("projection-transposed", _transposed("W_K")),
    ("low-precision", _in_single("W_K")),
)
VALUES: tuple[Step, ...] = (
    ("values-from-keys", lambda i, e: e.K),
    ("values-from-input", lambda i, e: floats(i.X)),
    ("projection-transposed", _transposed("W_V")),
    ("low-precision", _in_single("W_V")),
)
SCORES: tuple[Step, ...] = (
    ("scale-missing", products),
    ("scale-by-dk", lambda i, e: products(i, e) / e.K.shape[-1]),
    ("scale-by-dmodel", lambda i, e: products(i, e) / math.sqrt(np.shape(i.X)[-1])),
    ("scale-by-dv", lambda i, e: products(i, e) / math.sqrt(e.V.shape[-1])),
    ("scale-by-tokens", lambda i, e: products(i, e) / math.sqrt(e.K.shape[-2])),
    ("scale-inverted", lambda i, e: products(i, e) * scale(i, e)),
    ("qk-swapped", lambda i, e: scaled_scores(e.K, e.Q)),
    ("keys-reshaped", lambda i, e: e.Q @ e.K.reshape(T(e.K).shape) / scale(i, e)),
    *(("scores-masked", _masked(fill)) for fill in _FILLS),
    ("scores-of-inputs", lambda i, e: floats(i.X) @ T(floats(i.X)) / scale(i, e)),
    (
        "scores-of-inputs",
        lambda i, e: floats(i.X) @ T(floats(i.X)) / math.sqrt(np.shape(i.X)[-1]),
    ),
    ("features-compared", lambda i, e: T(e.Q) @ e.K / scale(i, e)),
)
# Where a mask can be handed in.
SCORES_UNDER_GIVEN: tuple[Step, ...] = tuple(
    ("scores-masked", _masked(fill, visible))
    for fill in _FILLS
    for visible in (handed_in, lambda i, e: handed_in(i, e) & past(i, e))
)
CONTEXT: tuple[Step, ...] = (
    ("values-from-keys", lambda i, e: e.weights @ e.K),
    ("values-from-input", lambda i, e: e.weights @ floats(i.X)),
    ("context-transposed", lambda i, e: T(e.weights) @ e.V),
    ("context-over-tokens", lambda i, e: e.weights @ e.V / e.V.shape[-2]),
)


def product(i: Names, e: Names) -> Array:
    return np.asarray(e.context @ floats(i.W_O))


OUTPUT: tuple[Step, ...] = (
    ("output-skipped", lambda i, e: e.context),
    ("output-transposed", lambda i, e: e.context @ T(floats(i.W_O))),
    ("output-activated", lambda i, e: np.maximum(product(i, e), 0)),
    ("output-activated", lambda i, e: np.tanh(product(i, e))),
    ("residual-added", lambda i, e: product(i, e) + floats(i.X)),
)


# --- visible -----------------------------------------------------------------------------


def changed(due: Wrong, when: Callable[[Names], bool] = lambda i: True) -> Iterator[Step]:
    """The ways to get a mask wrong, where there is one: ``when``."""

    def step(change: Change) -> Wrong:
        def visible(i: Names, e: Names) -> Array:
            mask = np.asarray(due(i, e))
            return change(mask) if when(i) else mask

        return visible

    return ((name, step(change)) for name, change in CHANGES)


def causal_steps() -> Iterator[Step]:
    """Mistakes in a causal mask with a switch."""
    due = past
    yield from changed(due)
    yield from changed(due, lambda i: bool(i.get("causal", True)))
    yield "mask-missing", lambda i, e: past(Names({"causal": False, **i}), e)  # off by default
    yield "causal-always", lambda i, e: causal(tokens(i))


# --- the chain ---------------------------------------------------------------------------

RIGHT: Mapping[str, Wrong] = {
    "Q": lambda i, e: floats(i.X) @ floats(i.W_Q),
    "K": lambda i, e: floats(i.X) @ floats(i.W_K),
    "V": lambda i, e: floats(i.X) @ floats(i.W_V),
    "scores": lambda i, e: scaled_scores(e.Q, e.K),
    "visible": past,
    "weights": by_rule(visible_softmax),
    "context": lambda i, e: e.weights @ e.V,
    "output": product,
}


def through(i: Names, given: Mapping[str, object], steps: Mapping[str, Wrong], until: str) -> Names:
    """The chain from what is given to the stage ``until``, with wrong steps in it, by stage."""
    e = Names(given)
    for name, step in RIGHT.items():
        if name in steps:
            e[name] = steps[name](i, e)
        elif name not in e:
            e[name] = step(i, e)
        if name == until:
            return e
    raise KeyError(until)


_PAIRED = {
    "scores": ("scale-missing", "scale-by-dk", "scale-by-dmodel", "qk-swapped", "keys-reshaped"),
    "visible": tuple(name for name, _ in CHANGES),
    "weights": (
        *("mask-after-softmax", "mask-zero-fill"),
        *("softmax-over-queries", "softmax-unnormalised"),
    ),
}


def two_steps(visible: Wrong) -> Iterator[tuple[str, dict[str, Wrong]]]:
    """Two frequent mistakes on the way to the weights, told by the name of the first."""
    steps: Mapping[str, Iterable[Step]] = {
        "scores": SCORES,
        "visible": changed(visible),
        "weights": weight_steps(),
    }
    frequent = [(at, *step) for at in steps for step in steps[at] if step[0] in _PAIRED[at]]
    for (first, name, one), (second, _, other) in itertools.combinations(frequent, 2):
        if first != second:
            yield name, {first: one, second: other}


def step_sets(**steps: Iterable[Step]) -> tuple[Misconception, ...]:
    """A misconception for each wrong step, by stage."""
    return tuple(
        of_stages(name, {stage: wrong})
        for stage, of_stage in steps.items()
        for name, wrong in of_stage
    )


def weight_steps(visible: Wrong = own_mask, without: Iterable[str] = ()) -> Iterator[Step]:
    """The wrong ways from scores to weights, but for those that cannot show.

    Where no row is empty (``without`` its NaN), neither can a fill far below all scores.
    """
    hidden = set(without)
    rules = [rule for rule in RULES if "empty-row-nan" not in hidden or rule[1] not in EMPTY_ROWS]
    return ((name, by_rule(rule, visible)) for name, rule in rules if name not in hidden)
