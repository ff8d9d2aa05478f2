"""Lesson 6: add the batch axis without mixing sequences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Case, Exercise, Names, Part, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import refused
from onehead_solutions.attention import (
    causal,
    floats,
    scaled_scores,
    trace_stages,
    visible_softmax,
)
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import (
    FOUR_TOKENS,
    FOUR_TOKENS_W_O,
    in_other_shapes,
    layer,
    with_identity,
    with_zeros,
)

# --- reference ---------------------------------------------------------------------------


def padding_visible(lengths: np.ndarray, T: int) -> np.ndarray:
    """bool (B, 1, T): item b sees its first lengths[b] keys."""
    for length in lengths:
        if not 0 <= length <= T:
            raise ValueError(f"a length of {length} does not fit {T} tokens")
    return (np.arange(T) < np.asarray(lengths)[:, None])[:, None, :]


def broadcast_visible(visible: np.ndarray | None, B: int, T_q: int, T_k: int) -> np.ndarray:
    """bool (B, T_q, T_k); a mask must never fit by accident."""
    if visible is None:
        return np.ones((B, T_q, T_k), dtype=bool)
    fits = (
        visible.shape == (T_q, T_k)
        if visible.ndim == 2
        else visible.ndim == 3
        and visible.shape[0] in (B, 1)
        and visible.shape[1] in (T_q, 1)
        and visible.shape[2] == T_k
    )
    if not fits:
        raise ValueError(f"a mask of shape {visible.shape} does not fit {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()


def batched_self_attention(
    X: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    W_O: np.ndarray,
    visible: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """The trace of a batch X (B, T, d_model)."""
    X = floats(X)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = scaled_scores(Q, K)
    visible = broadcast_visible(visible, *scores.shape)
    weights = visible_softmax(scores, visible)
    context = weights @ V
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": context,
        "output": context @ W_O,
    }


def items_interact(layer: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> bool:
    """Change one item at a time and look at the others, for every item."""
    before = np.array(layer(X.copy()))
    for b in range(len(X)):
        changed = X.copy()
        changed[b] = 2.5 - 3 * changed[b]
        after = np.array(layer(changed))
        others = np.arange(len(X)) != b
        moved = np.abs(after[others] - before[others])
        if np.any(moved > 1e-9 * (1 + np.abs(before[others]))):
            return True
    return False


# --- checks ------------------------------------------------------------------------------


def _padding(lengths: Any, T: int, public: bool = False) -> Case:
    name = f"lengths {np.array(lengths).tolist()}, T = {T}"
    return Case(name, {"lengths": lengths, "T": T}, public=public)


PADDING_VISIBLE = Part(
    "padding_visible",
    2,
    (
        Stage(
            "visible",
            "masking",
            want=lambda i, e: (np.arange(i.T) < np.asarray(i.lengths)[:, None])[:, None, :],
            axes=("item", "query", "key"),
        ),
    ),
    (
        _padding([3, 1], 4, public=True),
        _padding(np.array([2, 5, 0]), 5, public=True),
        _padding([0], 2),
        _padding([1, 0, 1], 1),
        _padding(np.array([200, 200]), 200),  # as int8, a length is below 128
        _padding([0, 3, 6, 2], 6),
        refused(
            "a length over T",
            {"lengths": [2, 7], "T": 5},
            7,
            family="masking",
            check="raises: over T",
            public=True,
        ),
        refused(
            "one over T",
            {"lengths": np.array([1, 4, 3]), "T": 3},
            4,
            family="masking",
            check="raises: over T",
        ),
        refused(
            "a length of -1",
            {"lengths": np.array([3, -1, 2]), "T": 3},
            -1,
            family="masking",
            check="raises: below 0",
        ),
        refused(
            "a negative length",
            {"lengths": [3, -2], "T": 4},
            -2,
            family="masking",
            check="raises: below 0",
            public=True,
        ),
    ),
    behaviour=True,
    misconceptions=wrong.PADDING,
    small=small.PADDING,
)


def _mask(shape: tuple[int, ...] | None, B: int, T_q: int, T_k: int, public: bool = False) -> Case:
    visible = (
        None if shape is None else Draw(f"lesson-06 mask {shape} {B} {T_q} {T_k}").booleans(*shape)
    )
    return Case(
        f"{'no mask' if shape is None else f'a mask of shape {shape}'} for {(B, T_q, T_k)}",
        {"visible": visible, "B": B, "T_q": T_q, "T_k": T_k},
        public=public,
        check="no mask" if shape is None else f"rank {len(shape)}",
    )


def _hides_all(case: Case) -> Case:
    return replace(with_zeros(case, "visible"), name=f"{case.name}, all hidden")


def _misfit(
    shape: tuple[int, ...], B: int, T_q: int, T_k: int, *words: int, public: bool = False
) -> Case:
    inputs = {"visible": np.ones(shape, dtype=bool), "B": B, "T_q": T_q, "T_k": T_k}
    rank = len(shape)
    return refused(
        f"a mask of shape {shape} for {(B, T_q, T_k)}",
        inputs,
        *words,
        family="masking",
        check=f"raises: rank {max(1, rank)}",  # a mask without axes is no mask of one axis either
        public=public,
        ranks=() if rank in (2, 3) else (rank, 2, 3),
    )


_SQUARE = _mask((3, 3), 3, 3, 3)
BROADCAST_VISIBLE = Part(
    "broadcast_visible",
    2,
    (
        Stage(
            "visible",
            "masking",
            want=lambda i, e: (
                np.ones((i.B, i.T_q, i.T_k), dtype=bool)
                & (True if i.visible is None else i.visible)
            ),
            axes=("item", "query", "key"),
        ),
    ),
    (
        _mask((3, 4), 2, 3, 4, public=True),
        _mask((2, 1, 4), 2, 3, 4, public=True),
        _mask(None, 2, 3, 4, public=True),
        _mask((2, 3, 4), 2, 3, 4),
        _mask((1, 3, 4), 2, 3, 4),
        _mask((1, 1, 5), 4, 2, 5),
        _SQUARE,
        in_other_shapes(_SQUARE, visible=(3, 1, 3)),
        _mask((3, 3, 3), 3, 3, 3),
        _mask((1, 4), 1, 1, 4),
        _mask((2, 3, 1), 2, 3, 1),
        _mask(None, 1, 4, 2),
        _hides_all(_mask((2, 4), 3, 2, 4)),
        _hides_all(_mask((2, 1, 3), 2, 4, 3)),
        _misfit((), 3, 5, 4, 5, 4),
        _misfit((4,), 3, 5, 4, 4, 5),
        _misfit((2, 4), 2, 3, 4, 2, 3),
        _misfit((3, 1), 2, 3, 4, 1, 4, public=True),
        _misfit((1, 4), 2, 3, 4, 1, 3),
        _misfit((1, 1), 2, 3, 3, 1, 3),
        _misfit((4, 3), 2, 3, 4, 3, 4),
        _misfit((3, 3, 4), 2, 3, 4, 3, 2, public=True),
        _misfit((2, 2, 4), 2, 3, 4, 2, 3),
        _misfit((1, 1, 1), 1, 3, 4, 1, 4),
        _misfit((2, 3, 1), 2, 3, 4, 1, 4),
        _misfit((3, 1, 4), 1, 3, 4, 3, 1),
        _misfit((1, 2, 3, 4), 2, 3, 4, 2, 3, 4),
        _misfit((1, 1, 3, 4), 5, 3, 4, 3, 4, 5),
        _misfit((3,), 3, 5, 4, 5, 4),
        _misfit((2, 1, 4, 4), 2, 4, 4, 2, 4, 1),
    ),
    behaviour=True,
    misconceptions=wrong.BROADCAST,
    small=small.BROADCAST,
)


def _visible(i: Names) -> Array:
    B, T, _ = np.shape(i.X)
    return np.ones((B, T, T), dtype=bool) & (True if i.get("visible") is None else i.visible)


def item_masks(name: str, B: int, T: int, empty: tuple[int, ...] | None = None) -> Array:
    """A mask of its own for each item, neither causal nor symmetric.

    ``empty``, a row or a whole item, sees no key; every other row sees one, and no mask of one item
    is that of another.
    """
    draw = Draw(f"masks {name}")
    while True:
        visible = draw.booleans(B, T, T)
        own = len({visible[b].tobytes() for b in range(B)}) == B
        symmetric = any((visible[b] == visible[b].T).all() for b in range(B))
        if (
            own
            and not symmetric
            and visible.any(-1).all()
            and not (visible <= causal(T)).all((1, 2)).any()
        ):
            break
    if empty is not None:
        visible[empty] = False
    return visible


# A line of keys for all items and queries, and not the first keys alone.
KEYS_WITH_A_GAP = np.array([[[True, False, True, True]]])


def _batch(name: str, *sizes: int, mask: Any = None, public: bool = False, **how: Any) -> Case:
    more = {} if mask is None else {"visible": mask}
    inputs = layer(f"lesson-06 {name}", sizes, W_O=True, **how, **more)
    return Case(name, inputs, public=public, extreme="moved" in how)


def _without_mask(case: Case) -> Case:
    """The same again without a mask, which nobody may remember."""
    inputs = {name: value for name, value in case.inputs.items() if name != "visible"}
    return Case(f"{case.name}, then none", inputs)


_OWN_MASKS = _batch(
    "three items, own masks", 3, 4, 5, 2, 6, mask=item_masks("public", 3, 4), public=True
)
_ONE_TOKEN = layer("lesson-06 one", (3, 2, 4, 5, 6), W_O=True) | {
    "X": Draw("lesson-06 one token").reals(3, 1, 4),
    "visible": np.ones((1, 1), dtype=bool),
}
# W_O is square: transposed, it does not fail where zeros hide what it does.
_NOTHING_VISIBLE = layer("lesson-06 nothing", (2, 3, 4, 2, 4), W_O=True) | {
    "visible": np.zeros((1, 1, 3), dtype=bool)
}
# Its own query sees it, and one other, which is not the last.
_THIRD_HIDDEN = np.ones((2, 4, 4), dtype=bool)
_THIRD_HIDDEN[:, [0, 3], 2] = False

_FOUR_IN_TWO = Case(
    "four tokens, two items",
    {
        **FOUR_TOKENS,
        "X": np.stack([FOUR_TOKENS["X"], FOUR_TOKENS["X"][::-1]]),
        "W_O": FOUR_TOKENS_W_O,
        "visible": causal(4),
    },
    public=True,
)
_ONE_MASK = _batch("one mask for all", 4, 4, 6, 5, 2, mask=item_masks("shared", 1, 4, (0, 2))[0])

BATCHED = Part(
    "batched_self_attention",
    4,
    trace_stages(_visible, shows_visible=True, output=True),
    (
        _FOUR_IN_TWO,
        in_other_shapes(_FOUR_IN_TWO, X=(4, 2, 3), visible=(4, 2, 2)),
        _OWN_MASKS,
        _without_mask(_OWN_MASKS),
        _batch("no mask", 2, 3, 4, 5, 6, visible=None),
        _batch("mask left out", 4, 3, 2, 4, 5, public=True),
        _batch("an item with an empty row", 3, 5, 4, 2, 6, mask=item_masks("empty", 3, 5, (1, 2))),
        # As many items as tokens: rank 2 is no mask of padding, and padding is none of rank 2.
        _ONE_MASK,
        in_other_shapes(_ONE_MASK, visible=(4, 1, 4)),
        _batch(
            "padding",
            3,
            5,
            4,
            3,
            2,
            mask=np.arange(5) < np.array([[[5]], [[2]], [[3]]]),
            public=True,
        ),
        _batch(
            "padding, an empty item",
            3,
            3,
            5,
            4,
            6,
            mask=np.arange(3) < np.array([[[3]], [[0]], [[2]]]),
        ),
        _batch("one mask of rank 3", 4, 3, 5, 2, 6, mask=item_masks("rank 3", 1, 3)),
        _batch("the same keys for all", 3, 4, 5, 2, 6, mask=KEYS_WITH_A_GAP),
        with_identity(_batch("equal sizes", 3, 3, 3, 3, 3, mask=item_masks("equal", 3, 3)), "W_Q"),
        Case("one token", _ONE_TOKEN),
        Case("nothing visible", _NOTHING_VISIBLE),
        _batch("one item", 1, 4, 3, 2, 5, mask=causal(4)),
        _batch(
            "float32",
            3,
            4,
            5,
            2,
            3,
            dtype=np.float32,
            mask=item_masks("float32", 3, 4, (2,)),
            public=True,
        ),
        _batch(
            "integers",
            2,
            4,
            3,
            5,
            6,
            dtype=np.int64,
            mask=item_masks("integers", 2, 4),
            public=True,
        ),
        _batch("large scores", 3, 5, 6, 4, 2, moved="up"),
        _batch(
            "very negative scores",
            3,
            5,
            6,
            4,
            2,
            moved="down",
            mask=item_masks("down", 3, 5, (0, 1)),
        ),
        _batch("rows far apart", 2, 6, 5, 4, 3, moved="rows", mask=item_masks("rows", 2, 6)),
        _batch("a key dominates", 2, 4, 6, 4, 3, moved="third key", mask=_THIRD_HIDDEN),
    ),
    answer="trace",
    behaviour=True,
    misconceptions=wrong.BATCHED_TRACE,
    small=small.BATCHED,
)


# Layers (B, T, d_model) -> the same shape, whose items stay apart or not.
def _apart(X: Array) -> Array:
    scores = scaled_scores(X, X)
    return visible_softmax(scores, np.ones(scores.shape, dtype=bool)) @ X


def _tokenwise(X: Array) -> Array:
    return np.tanh(X) * 0.5 + X


def _ignores_input(X: Array) -> Array:
    return np.ones(X.shape)


def _small(X: Array) -> Array:
    """Small; all tokens at once, those of other items hidden: of these, NaN alone comes through."""
    own = np.kron(np.eye(len(X)), np.ones((X.shape[1],) * 2)).astype(bool)
    flat = X.reshape(-1, X.shape[-1])
    out = visible_softmax(scaled_scores(flat, flat), own) @ flat
    return np.asarray(1e-3 * out.reshape(X.shape))


def _mixes_mean(X: Array) -> Array:
    return X + X.mean(axis=0, keepdims=True)


def _mixes_little(X: Array) -> Array:
    """Two features move by as much, one up and one down: no mean of an item's output moves."""
    out = X.copy()
    read = 1e-3 * X.sum(axis=0)[:, 0]
    out[:, :, 0] += read
    out[:, :, -1] -= read
    return out


def _reads_differences(X: Array) -> Array:
    """The lesson's own leak, which no change by one number everywhere shows."""
    return np.asarray(X + (X - X.mean(axis=1, keepdims=True))[::-1])


def _first_item_for_all(X: Array) -> Array:
    return np.broadcast_to(_apart(X)[:1], X.shape).copy()


def _last_reads_first(X: Array) -> Array:
    """From the first token to the last, as ``_one_feature`` reads the last and moves the first."""
    out = _apart(X)
    out[-1, -1, 0] += X[0, 0, -1]
    return out


def _first_reads_last(X: Array) -> Array:
    out = _apart(X)
    out[0] += 0.25 * X[-1]
    return out


def _flattened(X: Array) -> Array:
    return _apart(X.reshape(1, -1, X.shape[-1])).reshape(X.shape)


def _next_to_last_is_last(X: Array) -> Array:
    out = _apart(X)
    out[-2:-1] = out[-1:]
    return out


def _one_feature(X: Array) -> Array:
    """Of seven items, 5 reads 3: neither is at an end, next to the other, or in another half."""
    out = X.copy()
    out[-2:-1, 0, -1] += X[len(X) // 2, -1, 0]
    return out


def _reads_features(X: Array) -> Array:
    """Differences within a token, in pairs of items.

    No change that is the same in all features shows, and half of four items is as it is alone.
    """
    other = np.minimum(np.arange(len(X)) ^ 1, len(X) - 1)
    return np.asarray(X + (X - X.mean(axis=-1, keepdims=True))[other])


def _moves_others(sign: float) -> Callable[[Array], Array]:
    """Each output moves one way only, whatever is changed in the other items of ``_ONE_WAY``."""

    def layer(X: Array) -> Array:
        away = 1 + np.abs(X - np.resize(_ONE_WAY, X.shape)).sum(axis=(1, 2))
        others = away.sum() - away
        return np.asarray(X + sign * others[:, None, None])

    return layer


_ONE_WAY = Draw("lesson-06 one way").reals(3, 2, 4) / 3  # no change to it is exactly undone


def _interact(
    layer: Callable[[Array], Array], B: int, T: int, d_model: int, public: bool = False
) -> Case:
    mixes = layer not in (_apart, _ignores_input, _small)
    X = Draw(f"lesson-06 {layer.__name__}").reals(B, T, d_model)
    name = layer.__name__.strip("_").replace("_", " ")
    return Case(
        name, {"layer": layer, "X": X}, public=public, check="interact" if mixes else "apart"
    )


def _first_item_of(number: float) -> Case:
    """Multiples of 0 and powers of 1 are no change."""
    X = Draw(f"lesson-06 first item of {number}").reals(3, 2, 3)
    X[0] = number
    inputs = {"layer": _last_reads_first, "X": X}
    return Case(f"a first item of {number:g}", inputs, check="interact")


def _interacts(i: Names, e: Names) -> bool:
    """Measured, not declared: whether a change of one item moves another."""
    return items_interact(i.layer, np.asarray(i.X))


ITEMS_INTERACT = Part(
    "items_interact",
    2,
    (Stage("interact", "batching", want=_interacts, secret=True),),
    (
        _interact(_apart, 3, 2, 4, public=True),
        _interact(_mixes_mean, 3, 2, 4, public=True),
        _interact(_reads_differences, 2, 3, 4, public=True),
        Case("tokenwise, far below 0", {"layer": _tokenwise, "X": _ONE_WAY - 3}, check="apart"),
        _interact(_ignores_input, 3, 2, 2),
        _interact(_small, 2, 3, 5),
        _interact(_mixes_little, 2, 3, 4),
        _interact(_first_item_for_all, 3, 4, 2),
        _interact(_last_reads_first, 4, 2, 3),
        _interact(_first_reads_last, 4, 3, 2),
        _interact(_flattened, 2, 3, 4),
        _interact(_next_to_last_is_last, 4, 2, 3),
        _interact(_one_feature, 7, 2, 4),
        _interact(_reads_features, 4, 2, 3),
        _first_item_of(0.0),
        _first_item_of(1.0),
        Case("others move up", {"layer": _moves_others(1.0), "X": _ONE_WAY}, check="interact"),
        Case("others move down", {"layer": _moves_others(-1.0), "X": _ONE_WAY}, check="interact"),
    ),
    behaviour=True,
    misconceptions=wrong.INTERACT,
    small=small.INTERACT,
)

PARTS = (PADDING_VISIBLE, BROADCAST_VISIBLE, BATCHED, ITEMS_INTERACT)
EXERCISE = Exercise(
    "lesson-06", "06_batch_axis", "Add the Batch Axis Without Mixing Sequences", PARTS
)
