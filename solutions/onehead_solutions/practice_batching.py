"""Practice problems on the batch axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onehead.model import Array, Case, Misconception, Names, Part, Rounding, Stage
from onehead_solutions import small_practice as small
from onehead_solutions import wrong
from onehead_solutions.attention import floats, scaled_scores, visible_softmax
from onehead_solutions.draw import Draw

# --- references --------------------------------------------------------------------------


def batching_1(sequences: Sequence[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Sequences (T_b, d_model) as one batch, filled up with zeros, and their lengths."""
    lengths = [len(sequence) for sequence in sequences]
    X = np.zeros((len(sequences), max(lengths), sequences[0].shape[1]))
    for b, sequence in enumerate(sequences):
        X[b, : lengths[b]] = sequence
    return X, lengths


def batching_2(output: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """The mean over the real tokens of each item: (B, T, d_model) -> (B, d_model)."""
    real = np.arange(output.shape[1]) < np.asarray(lengths)[:, None]
    total = np.where(real[:, :, None], floats(output), 0).sum(axis=1)
    count = np.maximum(lengths, 1).astype(total.dtype)
    return total / count[:, None]


def batching_3(layer: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> np.ndarray:
    """bool (B, B): whether changing item a moves the output of item b."""
    before = np.array(layer(X.copy()))
    moves = np.zeros((len(X), len(X)), dtype=bool)
    for a in range(len(X)):
        changed = X.copy()
        changed[a] = 2 * changed[a] + 1
        difference = np.abs(np.array(layer(changed)) - before)
        moves[a] = (difference > 1e-9 * (1 + np.abs(before))).any(axis=(1, 2))
    return moves


# --- checks ------------------------------------------------------------------------------


def _ragged(
    name: str, d_model: int, *lengths: int, zeros: bool = False, public: bool = False
) -> Case:
    """``zeros`` for the last token of the first sequence, which are not padding."""
    draw = Draw(f"practice batching-1 {name}")
    sequences = [draw.reals(T, d_model) for T in lengths]
    if zeros:
        sequences[0][-1] = 0
    return Case(name, {"sequences": sequences}, public=public, check="batch")


def _first_sequence(i: Names, e: Names) -> Array:
    """The first sequence in the place of each, filled up to the longest."""
    X, _ = batching_1(i.sequences)
    return np.broadcast_to(X[:1], X.shape)


BATCHING_1 = Part(
    "batching-1",
    1,
    (
        Stage(
            "X",
            "batching",
            want=lambda i, e: batching_1(i.sequences)[0],
            axes=("item", "token", "feature"),
        ),
        Stage("lengths", "batching", want=lambda i, e: batching_1(i.sequences)[1], secret=True),
    ),
    (
        _ragged("three sequences", 2, 3, 1, 4, public=True),
        _ragged("the longest comes first", 3, 5, 2, public=True),
        _ragged("equal lengths", 4, 3, 3),
        _ragged("one sequence", 5, 4),
        _ragged("one token each", 3, 1, 1, 1, 1),
        _ragged("the longest in the middle", 2, 2, 6, 4, 1, zeros=True),
    ),
    answer="tuple",
    misconceptions=(
        Misconception(
            "padding-in-front",
            {"X": lambda i, e: _filled_in_front(i.sequences)},
            "The padding stands in front; the real tokens of a sequence come first.",
            "lesson-06",
        ),
        wrong.known("batch-first-item", X=_first_sequence),
    ),
    target="batching_1",
    small=small.BATCHING_1,
)


def _filled_in_front(sequences: Sequence[Array]) -> Array:
    X, lengths = batching_1(sequences)
    return np.stack([np.roll(X[b], X.shape[1] - T, axis=0) for b, T in enumerate(lengths)])


def _first(x: Any) -> Array:
    """The first item in the place of each."""
    return np.broadcast_to(np.asarray(x)[:1], np.shape(x))


def _mean_of_padding(i: Names, e: Names) -> Array:
    """The rows behind the real ones, which stand first where the order is turned round."""
    T = i.output.shape[1]
    return batching_2(i.output[:, ::-1], [T - length for length in i.lengths])


def _mean_allowed(i: Names, e: Names, r: Rounding) -> Array:
    return r.of(i.output.shape[1] + 4) * batching_2(np.abs(i.output), i.lengths) + 4 * r.tiny


def _outputs(
    name: str,
    d_model: int,
    T: int,
    *lengths: int,
    dtype: Any = np.float64,
    zeros: bool = False,
    public: bool = False,
) -> Case:
    """The rows of padding hold numbers, as a layer leaves them; ``zeros`` for a real token."""
    draw = Draw(f"practice batching-2 {name}")
    shape = (len(lengths), T, d_model)
    output = draw.integers(-4, 4, *shape) if dtype is np.int64 else draw.reals(*shape, scale=2.0)
    if zeros:
        output[0, 0] = 0
    return Case(name, {"output": output.astype(dtype), "lengths": list(lengths)}, public=public)


BATCHING_2 = Part(
    "batching-2",
    1,
    (
        Stage(
            "means",
            "batching",
            want=lambda i, e: batching_2(i.output, i.lengths),
            allow=_mean_allowed,
            axes=("item", "feature"),
        ),
    ),
    (
        _outputs("three items", 2, 4, 3, 1, 4, public=True),
        _outputs("an empty item", 3, 5, 2, 0, 4, public=True),
        _outputs("no padding", 4, 3, 3, 3, zeros=True),
        _outputs("one item", 5, 4, 2),
        _outputs("one token each", 3, 1, 1, 1),
        _outputs("padding alone", 3, 1, 0, 0),
        _outputs("equal sizes", 3, 3, 1, 3, 2),
        _outputs("float32", 2, 6, 5, 3, 1, 6, dtype=np.float32, public=True),
        _outputs("integers", 4, 5, 3, 2, 4, dtype=np.int64, public=True),
    ),
    behaviour=True,
    misconceptions=(
        Misconception(
            "mask-missing",
            {"means": lambda i, e: floats(i.output).mean(axis=1)},
            "The rows of padding are averaged in: they are no tokens.",
            "lesson-06",
        ),
        Misconception(
            "padding-divides",
            {
                "means": lambda i, e: (
                    batching_2(i.output, i.lengths)
                    * (np.array(i.lengths)[:, None] / i.output.shape[1])
                )
            },
            "The sum of the real tokens is divided by T: divide by how many were summed.",
            "lesson-06",
        ),
        wrong.known("batch-first-item", means=lambda i, e: _first(batching_2(i.output, i.lengths))),
        wrong.known("batch-first-item", means=lambda i, e: batching_2(_first(i.output), i.lengths)),
        wrong.known(
            "mask-first-item",
            means=lambda i, e: batching_2(i.output, [i.lengths[0]] * len(i.lengths)),
        ),
        wrong.known("mask-inverted", means=_mean_of_padding),
    ),
    target="batching_2",
    small=small.BATCHING_2,
)


# Layers (B, T, d_model) -> the same shape, in which items read one another in several ways.
def _apart(X: Array) -> Array:
    scores = scaled_scores(X, X)
    return visible_softmax(scores, np.ones(scores.shape, dtype=bool)) @ X


def _reads_the_item_before(X: Array) -> Array:
    out = _apart(X)
    out[1:] += 0.5 * X[:-1]
    return out


def _one_softmax_for_all(X: Array) -> Array:
    return _apart(X.reshape(1, -1, X.shape[-1])).reshape(X.shape)


def _each_token_alone(X: Array) -> Array:
    return np.tanh(X) * 0.5 + X


def _constant(X: Array) -> Array:
    return np.ones(X.shape)


def _first_item_for_all(X: Array) -> Array:
    return np.broadcast_to(_apart(X)[:1], X.shape).copy()


def _items_rolled(X: Array) -> Array:
    return np.roll(_apart(X), 1, axis=0)


def _last_reads_first_a_little(X: Array) -> Array:
    """Two features move by as much, one up and one down: no sum over features moves."""
    out = X.copy()
    out[-1, :, 0] += 1e-3 * X[0, :, 0]
    out[-1, :, -1] -= 1e-3 * X[0, :, 0]
    return out


def _reads_differences(X: Array) -> Array:
    """No change by one number everywhere shows who reads whom."""
    return np.asarray(X + (X - X.mean(axis=1, keepdims=True))[::-1])


def _rounds_by_the_batch(X: Array) -> Array:
    """Each item alone, but for rounding."""
    return np.asarray((X + 9.0 * X.sum()) - 9.0 * X.sum())


def _one_feature_of_one_token(X: Array) -> Array:
    """From the last token to a first one, and from a first token to the last one."""
    out = _apart(X)
    if len(X) > 2:  # fewer items stay apart
        out[1, 0, -1] += X[2, -1, 0]
        out[2, -1, 0] += X[0, 0, -1]
    return out


_ONE_WAY = Draw("practice batching-3 one way").reals(3, 2, 4) / 3  # no change is exactly undone


def _moves_others_down(X: Array) -> Array:
    """The more an item differs from ``_ONE_WAY``, the lower the outputs of the others."""
    one_way = np.resize(_ONE_WAY, X.shape)
    away = np.abs(X - one_way).sum(axis=(1, 2))
    return np.asarray(one_way - (away.sum() - away)[:, None, None])


def _readers(
    layer: Callable[[Array], Array], *shape: int, zeros: bool = False, public: bool = False
) -> Case:
    """``zeros`` for X: a multiple of an item, or another item in its place, is no change."""
    name = layer.__name__.strip("_").replace("_", " ")
    X = Draw(f"practice batching-3 {name}").reals(*shape)
    if zeros:
        X[:] = 0
    return Case(name, {"layer": layer, "X": X}, public=public)


BATCHING_3 = Part(
    "batching-3",
    1,
    (
        Stage(
            "moves",
            "batching",
            want=lambda i, e: batching_3(i.layer, np.asarray(i.X)),
            axes=("changed item", "moved item"),
        ),
    ),
    (
        _readers(_apart, 3, 2, 4, public=True),
        _readers(_reads_the_item_before, 4, 2, 3, public=True),
        _readers(_one_softmax_for_all, 3, 2, 4),
        _readers(_each_token_alone, 2, 4, 3, zeros=True),
        _readers(_constant, 2, 2, 2),
        _readers(_first_item_for_all, 4, 3, 1),
        _readers(_items_rolled, 3, 1, 2),
        _readers(_last_reads_first_a_little, 4, 2, 3),
        _readers(_one_feature_of_one_token, 3, 2, 4),
        _readers(_reads_differences, 4, 3, 2),
        _readers(_rounds_by_the_batch, 3, 2, 4),
        Case("others move down", {"layer": _moves_others_down, "X": _ONE_WAY}),
    ),
    behaviour=True,
    misconceptions=(
        Misconception(
            "cause-and-effect-exchanged",
            {"moves": lambda i, e: batching_3(i.layer, np.asarray(i.X)).T},
            "Rows and columns are exchanged: a row belongs to the item that was changed.",
            "lesson-06",
        ),
        Misconception(
            "own-item-left-out",
            {
                "moves": lambda i, e: (
                    batching_3(i.layer, np.asarray(i.X)) & ~np.eye(len(i.X), dtype=bool)
                )
            },
            "An item also moves its own output: the diagonal is measured like the rest.",
            "lesson-06",
        ),
    ),
    target="batching_3",
)

BATCHING = (BATCHING_1, BATCHING_2, BATCHING_3)
