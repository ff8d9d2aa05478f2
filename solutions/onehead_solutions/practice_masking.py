"""Practice problems on masking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.compare import weights_bound
from onehead.model import Array, Case, Misconception, Names, Part, Stage
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
        name, {stage: lambda i, e: compute(i)}, says or wrong.SAYS[name], reread or "lesson-04"
    )


def _window(T: int, window: int, public: bool = False) -> Case:
    return Case(f"T = {T}, a window of {window}", {"T": T, "window": window}, public=public)


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
        _window(7, 4),
        _window(3, 3),
        _window(4, 9),
        _window(1, 1),
        _window(1, 2),
    ),
    behaviour=True,
    misconceptions=(
        _mistake(
            "visible",
            "mask-off-by-one",
            lambda i: masking_1(i.T, i.window + 1),
            "The window holds one token too many: the token itself counts.",
        ),
        _mistake("visible", "mask-transposed", lambda i: masking_1(i.T, i.window).T),
        _mistake("visible", "mask-inverted", lambda i: ~masking_1(i.T, i.window)),
        _mistake(
            "visible",
            "window-ignored",
            lambda i: causal(i.T),
            "All of the past is visible: the window ends it.",
        ),
        _mistake(
            "visible",
            "window-two-sided",
            lambda i: masking_1(i.T, i.window) | masking_1(i.T, i.window).T,
            "The window reaches into the future as well.",
        ),
    ),
    target="masking_1",
)


def _padded(T: int, *lengths: int, public: bool = False) -> Case:
    inputs = {"lengths": list(lengths), "T": T}
    return Case(f"lengths {list(lengths)}, T = {T}", inputs, public=public)


def _real(i: Names) -> Array:
    """bool (B, 1, T): the tokens that are no padding."""
    return np.asarray((np.arange(i.T) < np.asarray(i.lengths)[:, None])[:, None, :])


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
        _padded(2, 1, 2, 2, 1),
        _padded(4, 4, 4),
        _padded(3, 3, 1, 2),
        _padded(1, 1, 0, 1),
        _padded(6, 2),
    ),
    behaviour=True,
    misconceptions=(
        _mistake(
            "visible",
            "padding-ignored",
            lambda i: np.broadcast_to(causal(i.T), (len(i.lengths), i.T, i.T)),
            "Padding is visible: both masks have to allow a key.",
            "lesson-06",
        ),
        _mistake(
            "visible",
            "mask-missing",
            lambda i: np.broadcast_to(_real(i), (len(i.lengths), i.T, i.T)),
            "The future is visible: both masks have to allow a key.",
        ),
        _mistake(
            "visible",
            "padding-hides-queries",
            lambda i: causal(i.T) & _real(i).swapaxes(1, 2),
            "The rows of padded queries are hidden: hide the columns of padded keys.",
            "lesson-06",
        ),
        _mistake(
            "visible",
            "masks-joined-by-or",
            lambda i: causal(i.T) | _real(i),
            "A key is seen where both masks allow it, not where one of them does.",
            "lesson-08",
        ),
        _mistake("visible", "mask-inverted", lambda i: ~masking_2(i.lengths, i.T)),
        _mistake(
            "visible",
            "mask-first-item",
            lambda i: np.broadcast_to(masking_2(i.lengths[:1], i.T), (len(i.lengths), i.T, i.T)),
        ),
    ),
    target="masking_2",
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

    inputs = telling(f"practice masking-3 {name}", make, weights)
    return Case(name, inputs, public=public, extreme=bool(np.any(shift)))


def _hidden_document_dominates() -> Case:
    case = _packed("another document dominates", 1, 1, 2, 2, 2)
    scores = case.inputs["scores"].copy()
    scores[2:, 0] = 5000.0
    return Case(case.name, {**case.inputs, "scores": scores}, extreme=True)


def _of_given_scores(m: Misconception) -> Misconception:
    """A mistake in the weights of a trace, on scores and a mask that are given."""

    def computed(i: Names, e: Names) -> Any:
        own = Names(scores=floats(i.scores), visible=_seen(i))
        return m.wrong["weights"](Names(X=np.zeros((len(i.scores), 1))), own)

    return replace(m, wrong={"weights": computed}, says=wrong.SAYS[m.name], reread="lesson-04")


def _finite_fill(i: Names) -> Array:
    """The highest of the usual fills: no row is empty here, so that lower ones do no harm."""
    filled = np.where(_seen(i), floats(i.scores), -1e4)
    return visible_softmax(filled, np.ones_like(filled, dtype=bool))


_NOT_HERE = ("mask-off-by-one", "mask-finite-fill", "weights-cut")

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
        _packed("one document", 2, 2, 2, 2),
        _packed("ids that fall", 9, 9, 4, 4, 4, 1, 1),
        _packed("a document that goes on later", 1, 1, 2, 2, 1, 1),
        _packed("a document of one token", 4, 4, 8, 6, 6, 6),
        _packed("float32", 1, 1, 1, 2, 2, dtype=np.float32, public=True),
        _packed("integers", 3, 3, 1, 1, 1, dtype=np.int64, public=True),
        _packed("large scores", 1, 1, 1, 2, 2, 2, shift=10_000),
        _packed("very negative scores", 1, 1, 2, 2, 2, shift=-10_000),
        _packed("rows far apart", 1, 1, 1, 2, shift=np.array([[0], [10_000], [-10_000], [0]])),
        _hidden_document_dominates(),
    ),
    behaviour=True,
    misconceptions=(
        _mistake(
            "weights",
            "documents-ignored",
            lambda i: visible_softmax(floats(i.scores), causal(len(i.documents))),
            "Tokens read other documents: only those of their own may be seen.",
        ),
        _mistake(
            "weights",
            "future-visible",
            lambda i: visible_softmax(floats(i.scores), i.documents[:, None] == i.documents),
            "Within a document the future is visible: the causal rule still holds.",
        ),
        _mistake("weights", "mask-finite-fill", _finite_fill),
        *(_of_given_scores(m) for m in wrong.TRACE_WEIGHTS if m.name not in _NOT_HERE),
    ),
    target="masking_3",
)


MASKING = (MASKING_1, MASKING_2, MASKING_3)
