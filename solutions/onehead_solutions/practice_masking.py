"""Practice problems on masking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from onehead.compare import weights_bound
from onehead.model import Array, Case, Misconception, Names, Part, Stage
from onehead_solutions import small_practice as small
from onehead_solutions import wrong
from onehead_solutions.attention import causal, floats, visible_softmax
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import telling

# --- references --------------------------------------------------------------------------


def masking_1(T: int, window: int) -> np.ndarray:
    """bool (T, T): each token sees itself and the window - 1 tokens before it."""
    distance = np.arange(T)[:, None] - np.arange(T)
    return (distance >= 0) & (distance < window)


def masking_2(lengths: Sequence[int], T: int) -> np.ndarray:
    """bool (B, T, T): no query sees its future, and none sees padding."""
    real = np.arange(T) < np.asarray(lengths)[:, None]
    return real[:, None, :] & causal(T)


def masking_3(scores: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Causal weights (T, T) within each of the documents that share one sequence."""
    documents = np.asarray(documents)
    return visible_softmax(
        floats(scores), causal(len(documents)) & (documents[:, None] == documents)
    )


# --- checks ------------------------------------------------------------------------------


def _mistake(
    stage: str, name: str, compute: Callable[[Names], Array], says: str = "", reread: str = ""
) -> Misconception:
    return Misconception(
        name,
        {stage: lambda i, e: compute(i)},
        says or wrong.SAYS[name],
        reread or wrong.REREAD[name],
    )


def _window(T: int, window: int, public: bool = False) -> Case:
    return Case(f"T = {T}, a window of {window}", {"T": T, "window": window}, public=public)


def _distance(i: Names) -> Array:
    """int (T, T): how many tokens a key stands before its query."""
    return np.asarray(np.arange(i.T)[:, None] - np.arange(i.T))


def _reach(i: Names, nearest: int, furthest: int) -> Array:
    return np.asarray((_distance(i) >= nearest) & (_distance(i) <= furthest))


def _past(i: Names) -> Array:
    return causal(i.T)


def _near(i: Names) -> Array:
    return np.asarray(_distance(i) < i.window)


MASKING_1 = Part(
    "masking-1",
    1,
    (
        Stage(
            "visible",
            "masking",
            want=lambda i, e: masking_1(i.T, i.window),
            axes=("query", "key"),
        ),
    ),
    (
        _window(5, 2, public=True),
        _window(4, 3, public=True),
        _window(6, 1),
        _window(40, 33),
        _window(3, 3),
        _window(4, 9),
        _window(1, 1),
        _window(1, 2),
    ),
    behaviour=True,
    misconceptions=(
        *wrong.masks("visible", lambda i: masking_1(i.T, i.window), _past, _near, both=False),
        _mistake("visible", "mask-excludes-self", lambda i: _reach(i, 1, i.window)),
        _mistake("visible", "window-too-long", lambda i: _reach(i, 0, i.window)),
        _mistake("visible", "window-shifted", lambda i: _reach(i, -1, i.window - 2)),
        _mistake("visible", "window-ignored", lambda i: causal(i.T)),
        _mistake("visible", "window-two-sided", lambda i: _reach(i, 1 - i.window, i.window - 1)),
    ),
    target="masking_1",
    small=small.MASKING_1,
)


def _padded(T: int, *lengths: int, public: bool = False) -> Case:
    inputs = {"lengths": list(lengths), "T": T}
    return Case(f"lengths {list(lengths)}, T = {T}", inputs, public=public)


def _real(i: Names, longer: int = 0) -> Array:
    """bool (B, 1, T): the tokens that are no padding."""
    return np.asarray((np.arange(i.T) < np.asarray(i.lengths)[:, None] + longer)[:, None, :])


def _in_front(i: Names) -> Array:
    return np.asarray((np.arange(i.T) >= i.T - np.asarray(i.lengths)[:, None])[:, None, :])


def _of_batch(i: Names, visible: Array) -> Array:
    return np.broadcast_to(visible, (len(i.lengths), i.T, i.T))


MASKING_2 = Part(
    "masking-2",
    1,
    (
        Stage(
            "visible",
            "masking",
            want=lambda i, e: masking_2(i.lengths, i.T),
            axes=("item", "query", "key"),
        ),
    ),
    (
        _padded(4, 3, 1, public=True),
        _padded(3, 2, 3, 1, public=True),
        _padded(5, 4, 0, 2),
        _padded(3, 0, 0),
        _padded(2, 1, 2, 2, 1),
        _padded(4, 4, 4),
        _padded(3, 3, 1, 2),
        _padded(1, 1, 0, 1),
        _padded(20, 13),
    ),
    behaviour=True,
    misconceptions=(
        _mistake(
            "visible",
            "mask-missing",
            lambda i: _of_batch(i, causal(i.T)),
            "Padding is visible: both masks have to allow a key.",
            "lesson-06",
        ),
        _mistake(
            "visible",
            "mask-missing",
            lambda i: _of_batch(i, _real(i)),
            "The future is visible: both masks have to allow a key.",
        ),
        *wrong.masks("visible", lambda i: masking_2(i.lengths, i.T), _past, _real),
        _mistake(
            "visible",
            "mask-first-item",
            lambda i: _of_batch(i, masking_2(i.lengths[:1], i.T)),
        ),
        _mistake("visible", "mask-first-item", lambda i: _of_batch(i, _real(i)[:1] & causal(i.T))),
        _mistake(
            "visible",
            "padding-hides-queries",
            lambda i: causal(i.T) & _real(i).swapaxes(1, 2),
            reread="lesson-06",
        ),
        _mistake("visible", "padding-in-front", lambda i: _in_front(i) & causal(i.T)),
        _mistake("visible", "length-off-by-one", lambda i: _real(i, 1) & causal(i.T)),
        _mistake("visible", "length-off-by-one", lambda i: _real(i, -1) & causal(i.T)),
        _mistake("visible", "masks-joined-by-or", lambda i: causal(i.T) | _real(i)),
    ),
    target="masking_2",
    small=small.MASKING_2,
)


def _seen(i: Names) -> Array:
    return causal(len(i.documents)) & (i.documents[:, None] == i.documents)


def _packed(
    name: str, *documents: int, shift: Any = 0, dtype: Any = np.float64, public: bool = False
) -> Case:
    """``shift`` moves every score by whole numbers, so that their differences stay exact."""
    T, ids = len(documents), np.array(documents)

    def make(draw: Draw) -> dict[str, Any]:
        whole = np.any(shift) or dtype is np.int64
        scores = draw.integers(-2, 2, T, T) + shift if whole else draw.reals(T, T, scale=2.0)
        return {"scores": scores.astype(dtype), "documents": ids}

    def weights(inputs: dict[str, Any]) -> Array:
        return visible_softmax(floats(inputs["scores"]), _seen(Names(inputs)))

    drawn = f"practice masking-3 {name}"
    inputs = telling(drawn, make, weights) if T > 1 else make(Draw(drawn))
    return Case(name, inputs, public=public, extreme=bool(np.any(shift)))


# As in debugging-1, with another document in between.
_FAR_APART = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [10_000] * 6,
        [-10_000] * 6,
        [0, 0, 0, 0, 0, 0],
        [10_000, 0, 9_960, 0, -10_000, 0],
        [-10_000, 10_000, 9_985, 0, 0, 9_960],
    ]
)


def _hidden_key_dominates() -> Case:
    """One of an earlier document, and one of the same document's future: either mask hides one."""
    case = _packed("a hidden key dominates", 1, 1, 2, 2, 2)
    scores = case.inputs["scores"].copy()
    scores[2:, 0] = scores[0, 1] = 10_000.0  # a fill of -10,000 does not hide it
    return Case(case.name, {**case.inputs, "scores": scores}, extreme=True)


def _given(i: Names) -> dict[str, Array]:
    return {"scores": floats(i.scores), "visible": _seen(i)}


def _whole_past(i: Names) -> Array:
    return causal(len(i.documents))


def _same_document(i: Names) -> Array:
    return np.asarray(i.documents[:, None] == i.documents)


def _either_mask() -> Iterator[Misconception]:
    """Wrong masks: one of the two is not looked at, or not as it should be."""
    for says, mask in (
        ("Tokens read other documents: only those of their own may be seen.", _whole_past),
        ("Within a document the future is visible: the causal rule still holds.", _same_document),
    ):
        yield _mistake("visible", "mask-missing", mask, says)
    yield _mistake("visible", "masks-joined-by-or", lambda i: _whole_past(i) | _same_document(i))
    yield from wrong.masks("visible", _seen, _whole_past, _same_document)


def _one_after_the_other(
    first: Callable[[Names], Array], second: Callable[[Names], Array]
) -> Iterator[Misconception]:
    """One mask before the softmax, one after it; or exponentials, cut by one, times the other."""

    def renormalised(i: Names) -> Array:
        exp = np.where(second(i), visible_softmax(floats(i.scores), first(i)), 0)
        return np.asarray(exp / exp.sum(-1, keepdims=True))

    def unstable(i: Names) -> Array:
        exp = np.where(first(i), np.exp(floats(i.scores)), 0) * second(i)
        return np.asarray(exp / exp.sum(-1, keepdims=True))

    yield _mistake("weights", "mask-renormalised", renormalised)
    yield _mistake("weights", "softmax-unstable", unstable)


_NOT_HERE = ("empty-row-nan",)  # no row is empty here

MASKING_3 = Part(
    "masking-3",
    1,
    (
        Stage(
            "weights",
            "masking",
            want=lambda i, e: visible_softmax(floats(i.scores), _seen(i)),
            allow=lambda i, e, r: weights_bound(i.scores, _seen(i), r),
            axes=("query", "key"),
        ),
    ),
    (
        _packed("two documents", 0, 0, 0, 1, 1, public=True),
        _packed("three documents", 7, 7, 3, 3, 3, 5, public=True),
        _packed("one document", *[2] * 20),
        _packed("one token", 4),
        _packed("ids that fall", 12, 12, 1, 1, 1, -1, -1),
        _packed("a document that goes on later", 1, 1, 2, 2, 1, 1),
        _packed("a document of one token", 4, 4, 8, 6, 6, 6),
        _packed("float32", 1, 1, 1, 2, 2, dtype=np.float32, public=True),
        _packed("integers", 3, 3, 1, 1, 1, dtype=np.int64, public=True),
        _packed("large scores", 1, 1, 1, 2, 2, 2, shift=10_000),
        _packed("very negative scores", 1, 1, 2, 2, 2, shift=-10_000),
        _packed("rows far apart", 1, 1, 1, 2, 1, 1, shift=_FAR_APART),
        _hidden_key_dominates(),
    ),
    behaviour=True,
    misconceptions=(
        *wrong.under_masks(_given, _either_mask()),
        *wrong.weights_of(_given, scores=True, without=_NOT_HERE),
        *_one_after_the_other(_whole_past, _same_document),
        *_one_after_the_other(_same_document, _whole_past),
    ),
    target="masking_3",
    small=small.MASKING_3,
)


MASKING = (MASKING_1, MASKING_2, MASKING_3)
