"""Lesson 8: audit a single-head self-attention layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Case, Exercise, Names, Part, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import refused
from onehead_solutions.attention import (
    OUTPUT,
    causal,
    floats,
    scaled_scores,
    trace_stages,
    visible_softmax,
)
from onehead_solutions.batch_axis import KEYS_WITH_A_GAP, item_masks
from onehead_solutions.fixtures import FOUR_TOKENS, FOUR_TOKENS_W_O, layer, with_identity
from onehead_solutions.layers import HIDDEN_LAYERS, INVARIANTS, HiddenLayer

# --- reference ---------------------------------------------------------------------------


class SelfAttention:
    """One causal self-attention head with its output projection."""

    def __init__(self, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray, W_O: np.ndarray) -> None:
        rows, columns = W_V.shape[::-1]
        if not (W_Q.shape == W_K.shape and len(W_Q) == len(W_V) and W_O.shape == (rows, columns)):
            shapes = [W.shape for W in (W_Q, W_K, W_V, W_O)]
            raise ValueError(f"the shapes of W_Q, W_K, W_V, W_O do not fit together: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self) -> int:
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def __call__(
        self, X: np.ndarray, visible: np.ndarray | None = None, causal: bool = True
    ) -> np.ndarray:
        return self.trace(X, visible, causal)["output"]

    def trace(
        self, X: np.ndarray, visible: np.ndarray | None = None, causal: bool = True
    ) -> dict[str, np.ndarray]:
        """X (T, d_model) or (B, T, d_model); results have its rank."""
        X = floats(X)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = scaled_scores(Q, K)
        seen = np.ones(scores.shape, dtype=bool)
        if visible is not None:
            seen &= visible
        if causal:
            seen &= np.tril(np.ones(scores.shape[-2:], dtype=bool))
        weights = visible_softmax(scores, seen)
        context = weights @ V
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": context @ self.W_O,
        }


def tokens(*shape: int) -> np.ndarray:
    """Numbers in [-1, 1] without a pattern."""
    count = np.arange(1, np.prod(shape) + 1)
    return np.asarray(np.sin(1.7 * count**1.3).reshape(shape))


def some_keys(*shape: int) -> np.ndarray:
    """A mask without a pattern; its last query sees nothing."""
    count = np.arange(1, np.prod(shape) + 1)
    visible = np.asarray(np.cos(2.3 * count**1.4).reshape(shape) > -0.4)
    visible[..., -1, :] = False
    return visible


def due_visible(X: np.ndarray, visible: np.ndarray | None, causal: bool) -> np.ndarray:
    """What may be read, at the shape of the scores of X."""
    T = X.shape[-2]
    due = np.tril(np.ones((T, T), dtype=bool)) if causal else np.ones((T, T), dtype=bool)
    if visible is not None:
        due = due & visible
    return np.broadcast_to(due, (*X.shape[:-1], T))


def close(got: np.ndarray, due: np.ndarray) -> bool:
    """Equal but for rounding, at the size of the whole array: rounding errors are absolute."""
    got, due = np.asarray(got, dtype=np.float64), np.asarray(due, dtype=np.float64)
    if got.shape != due.shape:
        return False
    return bool(np.max(np.abs(got - due)) <= 1e-9 * (1 + np.max(np.abs(due))))


def questions(layer: SelfAttention) -> list[tuple[np.ndarray, np.ndarray | None, bool]]:
    """X, visible and causal: sequences and batches, each kind of mask, natural and large scores."""
    sequence, batch = tokens(5, len(layer.W_Q)), tokens(3, 4, len(layer.W_Q))
    mask, masks, padding = (
        some_keys(5, 5),
        some_keys(3, 4, 4),
        np.arange(4) < np.array([[[4]], [[2]], [[3]]]),
    )
    scores = scaled_scores(batch @ layer.W_Q, batch @ layer.W_K)
    grow = np.sqrt(1e4 / max(np.max(np.abs(scores)), 1e-3))
    both = (True, False)
    return [
        (sequence[:1], None, True),
        *((sequence, visible, causal) for visible in (None, mask) for causal in both),
        *((sequence * grow, visible, True) for visible in (None, mask)),
        *((batch[:1], visible, True) for visible in (None, masks[:1])),
        *((batch, visible, causal) for visible in (None, masks, padding) for causal in both),
        *((batch, visible, True) for visible in (masks[0], masks[:1])),
        *((batch * grow, None, causal) for causal in both),
    ]


def breaks_stage(
    layer: SelfAttention, X: np.ndarray, visible: np.ndarray | None, causal: bool
) -> set[str]:
    """What one trace breaks, each stage judged on the trace's own earlier ones."""
    lead, T, d_k, d_v = X.shape[:-1], X.shape[-2], layer.W_Q.shape[1], layer.W_V.shape[1]
    shapes = {"Q": d_k, "K": d_k, "V": d_v, "scores": T, "visible": T, "weights": T, "context": d_v}
    shapes["output"] = X.shape[-1]
    trace = layer.trace(X.copy(), visible, causal)
    if {name: np.shape(entry) for name, entry in trace.items()} != {
        name: (*lead, width) for name, width in shapes.items()
    }:
        return {"shape"}  # and nothing that is made from it can be judged
    Q, K, V, scores, seen, weights, context, output = (np.asarray(trace[name]) for name in shapes)
    if not (np.all(np.isfinite(scores)) and np.all(np.isfinite(weights))):
        return {"numerical"}  # NaN would spread to everything after it
    due = due_visible(X, visible, causal)
    broken = set()
    if np.any(seen != due) or np.any(weights[~due] != 0):
        broken.add("mask")
    if not (
        close(Q, X @ layer.W_Q)
        and close(K, X @ layer.W_K)
        and close(scores, scaled_scores(Q, K))
        and close(weights, visible_softmax(scores, seen.astype(bool)))
    ):
        broken.add("numerical")
    if not (
        close(V, X @ layer.W_V)
        and close(context, weights @ V)
        and close(output, context @ layer.W_O)
    ):
        broken.add("output")
    return broken


def call_differs(
    layer: SelfAttention, X: np.ndarray, visible: np.ndarray | None, causal: bool
) -> bool:
    """A call gives the trace's output."""
    output = layer.trace(X.copy(), visible, causal)["output"]
    return not close(layer(X.copy(), visible, causal), output)


def reads_hidden(
    layer: SelfAttention, X: np.ndarray, visible: np.ndarray | None, causal: bool
) -> bool:
    """Change the first token, then the last: others that may not read it must not move."""
    before = layer(X.copy(), visible, causal)
    if np.shape(before) != X.shape:
        return False  # the output's fault, and found there
    due = due_visible(X, visible, causal)
    for k in (0, X.shape[-2] - 1):
        changed = X.copy()
        changed[..., k, :] = 1 - 2 * changed[..., k, :]
        after = layer(changed, visible, causal)
        hidden = ~due[..., k, None]
        hidden[..., k, :] = False
        if not close(np.where(hidden, after, before), before):
            return True
    return False


def items_mix(
    layer: SelfAttention, X: np.ndarray, visible: np.ndarray | None, causal: bool
) -> bool:
    """Ask for each item in the batch alone, as a sequence; for the last, as a batch of one too."""
    whole = layer.trace(X.copy(), visible, causal) | {"call": layer(X.copy(), visible, causal)}
    last = len(X) - 1
    for b, x in [*enumerate(X), (last, X[last:])]:
        shape = (len(X), X.shape[1], X.shape[1])
        mask = None if visible is None else np.broadcast_to(visible, shape)[b].copy()
        alone = layer.trace(x.copy(), mask, causal) | {"call": layer(x.copy(), mask, causal)}
        item = {name: entry[0] if x.ndim == 3 else entry for name, entry in alone.items()}
        if not all(close(item[name], whole[name][b]) for name in whole):
            return True
    return False


def audit(layer: SelfAttention) -> list[str]:
    """The invariants that the layer breaks, in dependency order; empty for a right layer."""
    broken = set()
    for question in questions(layer):
        broken |= breaks_stage(layer, *question)
    sizes = [W.size for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)]
    if layer.num_parameters != sum(sizes):
        broken.add("output")
    if "shape" not in broken:
        sequence, batch = tokens(5, len(layer.W_Q)), tokens(3, 4, len(layer.W_Q))
        mask, masks = some_keys(5, 5), some_keys(3, 4, 4)
        sequences = [(sequence, None, True), (sequence, mask, False)]
        batches = [(batch, None, True), (batch, masks, False)]
        if any(reads_hidden(layer, *question) for question in sequences + batches):
            broken.add("mask")
        if any(items_mix(layer, *question) for question in batches):
            broken.add("batching")
        if any(call_differs(layer, *question) for question in sequences + batches):
            broken.add("output")
    return [name for name in ("shape", "mask", "numerical", "output", "batching") if name in broken]


# --- checks ------------------------------------------------------------------------------


def _visible(i: Names) -> Array:
    T = np.shape(i.X)[-2]
    seen = np.ones((*np.shape(i.X)[:-1], T), dtype=bool)
    if i.get("visible") is not None:
        seen &= i.visible
    return seen & causal(T) if i.get("causal", True) else seen


def _parameters(i: Names, e: Names) -> int:
    return sum(int(np.size(i[W])) for W in ("W_Q", "W_K", "W_V", "W_O"))


def _layer(
    name: str, *sizes: int, causal: bool | None = None, public: bool = False, **how: Any
) -> Case:
    """``sizes`` is ([B,] T, d_model, d_k, d_v); without ``causal`` the default is asked for."""
    inputs = layer(f"lesson-08 {name}", sizes, W_O=True, **how, causal=causal is not False)
    if causal is None:
        del inputs["causal"]
    elif "visible" not in inputs:
        inputs = inputs | {"visible": None, "causal": inputs.pop("causal")}
    return Case(name, inputs, public=public, extreme="moved" in how)


def _nothing_visible(case: Case) -> Case:
    """The same layer with one line that hides every key from every query of every item."""
    hidden = np.zeros((1, 1, case.inputs["X"].shape[-2]), dtype=bool)
    return replace(case, inputs={**case.inputs, "visible": hidden})


def _misfit(name: str, *words: int, public: bool = False, **shapes: tuple[int, int]) -> Case:
    """Matrices of d_model 5, d_k 3 and d_v 2, but for ``shapes``."""
    due = {"W_Q": (5, 3), "W_K": (5, 3), "W_V": (5, 2), "W_O": (2, 5)} | shapes
    inputs = {W: np.ones(shape) for W, shape in due.items()}
    return replace(refused(name, inputs, *words, check="raises: shapes"), public=public)


_LAST_HIDDEN = np.ones((4, 4), dtype=bool)
_LAST_HIDDEN[:3, 3] = False
_FOUR = {**FOUR_TOKENS, "W_O": FOUR_TOKENS_W_O}
_ONE_EACH = {
    **_FOUR,
    "X": np.array([[[0.8, -0.3, 1.1]], [[1.4, 0.6, -0.9]], [[-0.2, 1.3, 0.5]]]),
    "visible": np.array([[[True]], [[False]], [[True]]]),
    "causal": False,
}
_TWO = {**_FOUR, "X": np.stack([FOUR_TOKENS["X"], FOUR_TOKENS["X"][::-1]])}

SELF_ATTENTION = Part(
    "SelfAttention",
    5,
    (
        *trace_stages(_visible, shows_visible=True, output=True),
        Stage(
            "call", "projection", want=lambda i, e: e.output, allow=OUTPUT.allow, axes=OUTPUT.axes
        ),
        Stage("num_parameters", "parameter-count", want=_parameters, secret=True),
    ),
    (
        Case("four tokens", _FOUR, public=True),
        Case("four tokens, two items", _TWO, public=True),
        _layer(
            "a mask of its own",
            5,
            4,
            2,
            3,
            visible=item_masks("own", 1, 5)[0],
            causal=False,
            public=True,
        ),
        _layer(
            "masks and causal",
            3,
            4,
            5,
            2,
            6,
            visible=item_masks("both", 3, 4),
            causal=True,
            public=True,
        ),
        _misfit("W_K has other columns", 3, 7, W_K=(5, 7), public=True),
        _layer("a sequence", 9, 3, 5, 4),
        _layer("a sequence without a mask", 4, 5, 3, 2, causal=False),
        _layer("a mask, causal by default", 5, 3, 2, 4, visible=item_masks("default", 1, 5)[0]),
        _layer("an empty row", 5, 4, 6, 3, visible=item_masks("row", 1, 5, (0, 2))[0], causal=True),
        Case("one token", {**_FOUR, "X": np.array([[0.3, -1.2, 0.7]])}),
        Case("items of one token", _ONE_EACH),
        _layer("a batch", 3, 5, 4, 2, 6),
        _layer("a batch without a mask", 4, 3, 2, 5, 6, causal=False),
        _layer(
            "masks alone", 3, 4, 6, 2, 5, visible=item_masks("alone", 3, 4, (1, 3)), causal=False
        ),
        # As many items as tokens: a mask that is read along other axes fits.
        _layer(
            "one mask for all",
            4,
            4,
            2,
            5,
            3,
            visible=item_masks("shared", 1, 4, (0, 2))[0],
            causal=False,
        ),
        _layer("one mask of rank 3", 2, 5, 4, 2, 6, visible=item_masks("rank 3", 1, 5, (0, 1))),
        _layer("the same keys for all", 4, 4, 5, 2, 6, visible=KEYS_WITH_A_GAP, causal=False),
        _nothing_visible(_layer("nothing visible", 2, 3, 4, 2, 5, dtype=np.float32)),
        _layer("padding", 3, 3, 5, 4, 2, visible=np.arange(3) < np.array([[[3]], [[1]], [[0]]])),
        with_identity(
            _layer("equal sizes", 3, 3, 3, 3, 3, visible=item_masks("equal", 3, 3), causal=True),
            "W_Q",
        ),
        _layer("one item", 1, 4, 3, 2, 5, visible=item_masks("item", 1, 4, (0, 1)), causal=False),
        _layer(
            "float32",
            3,
            4,
            5,
            2,
            3,
            dtype=np.float32,
            visible=item_masks("float32", 3, 4, (2,)),
            causal=True,
            public=True,
        ),
        _layer("integers", 4, 3, 5, 6, dtype=np.int64, public=True),
        _layer("large scores", 5, 6, 4, 2, moved="up", causal=False),
        _layer(
            "very negative scores",
            3,
            5,
            6,
            4,
            2,
            moved="down",
            visible=item_masks("down", 3, 5, (0, 1)),
        ),
        _layer("rows far apart", 2, 6, 5, 4, 3, moved="rows"),
        _layer("large scores, causal", 6, 5, 4, 3, moved="up"),
        _layer(
            "rows far apart under one mask",
            2,
            5,
            4,
            4,
            3,
            moved="rows",
            visible=item_masks("far apart", 1, 5)[0],
            causal=False,
        ),
        _layer(
            "a hidden key dominates",
            4,
            6,
            4,
            3,
            moved="last key",
            visible=_LAST_HIDDEN,
            causal=False,
        ),
        _layer("a later key dominates", 2, 4, 6, 4, 3, moved="last key"),
        _layer(
            "rows far apart, padded",
            2,
            4,
            6,
            4,
            3,
            moved="rows",
            visible=np.arange(4) < np.array([[[4]], [[3]]]),
            causal=False,
        ),
        _misfit("W_Q has other rows", 5, 7, W_Q=(7, 3)),
        _misfit("W_K has other rows", 5, 7, W_K=(7, 3)),
        _misfit("W_V has other rows", 5, 7, W_V=(7, 2)),
        _misfit("W_O has other rows", 2, 7, W_O=(7, 5)),
        _misfit("W_O has other columns", 5, 7, W_O=(2, 7)),
        # The right numbers in the wrong place.
        _misfit("W_K transposed", 3, 5, W_K=(3, 5)),
        _misfit("W_V transposed", 2, 5, W_V=(2, 5)),
        _misfit("W_O transposed", 2, 5, W_O=(5, 2)),
        _misfit("W_O has d_k rows", 2, 3, W_O=(3, 5)),
        # One column or row alone fits all others by broadcasting.
        _misfit("W_K has one row", 5, 1, W_K=(1, 3)),
        _misfit("W_K has one column", 3, 1, W_K=(5, 1)),
        _misfit("W_O has one column", 5, 1, W_O=(2, 1)),
        _misfit("queries and keys of a wider input", 5, 7, W_Q=(7, 3), W_K=(7, 3)),
        _misfit("keys and values of a wider input", 5, 7, W_K=(7, 3), W_V=(7, 2)),
        _misfit("values and outputs of a wider input", 5, 7, W_V=(7, 2), W_O=(2, 7)),
    ),
    probe="class",
    answer="trace",
    behaviour=True,
    init=("W_Q", "W_K", "W_V", "W_O"),
    misconceptions=wrong.LAYER,
    small=small.LAYER,
)

_HIDDEN = {hidden.name: hidden for hidden in HIDDEN_LAYERS}


def _form(value: Any) -> str | None:
    if not isinstance(value, list | tuple):
        return f"an audit returns a list of names, not a {type(value).__name__}"
    unknown = [name for name in value if not (isinstance(name, str) and name in INVARIANTS)]
    if unknown:
        return f"{str(unknown[0])[:40]!r} is none of the names {', '.join(INVARIANTS)}"
    if list(value) != [name for name in INVARIANTS if name in value]:
        return f"each name stands once, in the order {', '.join(INVARIANTS)}"
    return None


def _findings(i: Names, value: Any) -> str | None:
    hidden, wrong_form = _HIDDEN[i.layer.name], _form(value)
    if wrong_form:
        return wrong_form
    if hidden.broken is None:
        return "a right layer was called broken" if value else None
    if not {hidden.broken, hidden.other} & set(value):
        return f"a layer {hidden.kind} was not found to break `{hidden.broken}`"
    if not set(value) <= {hidden.broken} | hidden.also:
        return "an invariant that the layer keeps was named"
    return None


def _hidden(hidden: HiddenLayer) -> Case:
    check = hidden.broken or "right layers"
    return Case(
        hidden.name, {"layer": hidden.layer}, public=hidden.public, check=check, family="audit"
    )


AUDIT = Part(
    "audit",
    5,
    (Stage("findings", "audit", judge=_findings, secret=True),),
    tuple(_hidden(hidden) for hidden in HIDDEN_LAYERS),
    misconceptions=wrong.AUDITS,
)

PARTS = (SELF_ATTENTION, AUDIT)
EXERCISE = Exercise("lesson-08", "08_audit", "Audit a Single-Head Self-Attention Layer", PARTS)
