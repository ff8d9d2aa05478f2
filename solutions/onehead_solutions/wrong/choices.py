"""Known mistakes in answers that are names: kinds, ablations, boundaries, claims, audits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from onehead.model import Array, Misconception, Names
from onehead_solutions.wrong.names import Wrong, always, known, of_stages


def _all_of(name: str, answer: Any, *keys: str) -> Misconception:
    return of_stages(name, dict.fromkeys(keys, always(answer)))


# --- kinds of attention ------------------------------------------------------------------


def _sources(i: Names) -> tuple[str, str, str]:
    return i.query_source, i.key_source, i.value_source


def _by_two(i: Names, e: Names) -> str:
    query, key, _ = _sources(i)
    return "self" if query == key else "cross"


def _never_neither(i: Names, e: Names) -> str:
    query, key, value = _sources(i)
    return "self" if query == key == value else "cross"


def _three_are_cross(i: Names, e: Names) -> str:
    query, key, value = _sources(i)
    if query == key == value:
        return "self"
    return "cross" if len({query, key, value}) == 3 or key == value else "neither"


KINDS = (
    known("value-source-ignored", kind=_by_two),
    known("neither-as-cross", kind=_never_neither),
    known("neither-as-cross", kind=_three_are_cross),
)

# --- stages that change ------------------------------------------------------------------

_ORDER = ("Q", "K", "V", "scores", "weights", "context")


def _atol(i: Names) -> float:
    return float(i.get("atol", 1e-9))


def _differences(i: Names) -> Mapping[str, Array]:
    return {name: np.asarray(i.after[name] - i.before[name], dtype=np.float64) for name in _ORDER}


def _named(changed: Callable[[Names, str, Array], bool]) -> Wrong:
    def stages(i: Names, e: Names) -> list[str]:
        return [name for name, x in _differences(i).items() if changed(i, name, x)]

    return stages


def _right(i: Names) -> list[str]:
    return [name for name, x in _differences(i).items() if np.any(np.abs(x) > _atol(i))]


CHANGED = (
    known("change-signed", stages=_named(lambda i, n, x: bool(np.any(x > _atol(i))))),
    known("change-everywhere", stages=_named(lambda i, n, x: bool(np.all(np.abs(x) > _atol(i))))),
    known("changes-cancel", stages=_named(lambda i, n, x: bool(np.abs(np.sum(x)) > _atol(i)))),
    known("changes-cancel", stages=_named(lambda i, n, x: bool(np.abs(np.mean(x)) > _atol(i)))),
    known("tolerance-ignored", stages=_named(lambda i, n, x: bool(np.any(x != 0)))),
    known("tolerance-ignored", stages=_named(lambda i, n, x: bool(np.any(np.abs(x) > 1e-9)))),
    known("tolerance-included", stages=_named(lambda i, n, x: bool(np.any(np.abs(x) >= _atol(i))))),
    *(
        known(
            "tolerance-relative",
            stages=_named(
                lambda i, n, x, of=of, rtol=rtol: bool(  # type: ignore[misc]
                    np.any(np.abs(x) > _atol(i) + rtol * np.abs(i[of][n]))
                )
            ),
        )
        for of in ("before", "after")
        for rtol in (1e-5, 1e-8, 1e-9)
    ),
    known("first-change-only", stages=lambda i, e: _right(i)[:1]),
    known("order-changed", stages=lambda i, e: _right(i)[::-1]),
    known("order-changed", stages=lambda i, e: sorted(_right(i))),
    known("unchanged-named", stages=lambda i, e: [n for n in _ORDER if n not in _right(i)]),
)

_LATER = ["scores", "weights", "context"]
_CHANGED_BY = {"W_Q": ["Q", *_LATER], "W_K": ["K", *_LATER], "W_V": ["V", "context"]}
ABLATIONS = (
    of_stages(
        "context-unmoved",
        {W: always(stages[:-1]) for W, stages in _CHANGED_BY.items() if W != "W_V"},
    ),
    _all_of("values-in-scores", ["V", "weights", "context"], "W_V"),
    _all_of("values-in-scores", ["V", *_LATER], "W_V"),
    of_stages("ablation-in-part", {W: always(s[:1]) for W, s in _CHANGED_BY.items()}),
    of_stages("order-changed", {W: always(s[::-1]) for W, s in _CHANGED_BY.items()}),
    of_stages("order-changed", {W: always(sorted(s)) for W, s in _CHANGED_BY.items()}),
)

OUTPUT_ABLATIONS = (
    _all_of("zero-as-identity", "output equals context", "zero"),
    _all_of("identity-as-rotation", "output is context rotated", "identity, d_v == d_model"),
    _all_of("identity-as-rotation", "output equals context", "orthogonal, d_v == d_model"),
)

BOUNDARY = (
    _all_of(
        "block-as-layer",
        "inside",
        "residual connection",
        "layer normalization",
        "feed-forward network",
        "token embedding",
        "positional encoding",
    ),
    _all_of("output-outside", "outside", "output projection"),
)

PROJECTION_CLAIMS = (
    _all_of(
        "interpretation-as-fact",
        "mathematical",
        "keys-topic",
        "weight-relevance",
        "query-intent",
        "verb-finder",
    ),
    _all_of(
        "fact-as-interpretation",
        "interpretation",
        "scale-order",
        "context-range",
        "shared-basis",
        "zero-queries",
    ),
)
ATTENTION_CLAIMS = (
    _all_of("weight-as-effect", "supported", "removal-effect", "small-weight-harmless"),
    _all_of("weight-as-reason", "supported", "reason-for-word", "resolves-pronouns"),
)

# --- items that interact -----------------------------------------------------------------


def _asked(layer: Any, X: Array) -> Array:
    return np.array(layer(np.array(X)), dtype=np.float64)


def _moved(i: Names, b: int, change: Callable[[Array], Array]) -> Array:
    """How far each item moves when item b is changed."""
    X = np.array(i.X, dtype=np.float64)
    before = _asked(i.layer, X)
    X[b] = change(X[b])
    difference = np.abs(_asked(i.layer, X) - before)
    return np.asarray(difference.reshape(len(X), -1).max(axis=1))


def _others_move(i: Names, b: int, change: Callable[[Array], Array], over: float = 1e-9) -> bool:
    moved = _moved(i, b, change)
    return bool(np.any(np.delete(moved, b) > over))


def _plus_one(x: Array) -> Array:
    return 2 * x + 1


def _plus_half(x: Array) -> Array:
    return x + 0.5


def _interacts(i: Names) -> bool:
    return any(_others_move(i, b, _plus_one) for b in range(len(i.X)))


INTERACT = (
    known("interaction-inverted", interact=lambda i, e: not _interacts(i)),
    known("layer-trusted", interact=lambda i, e: False),
    known("layer-trusted", interact=lambda i, e: True),
    known("first-item-changed-only", interact=lambda i, e: _others_move(i, 0, _plus_one)),
    known("first-item-changed-only", interact=lambda i, e: _others_move(i, 0, lambda x: x + 1)),
    known("last-item-changed-only", interact=lambda i, e: _others_move(i, -1, _plus_one)),
    known(
        "last-item-changed-only",
        interact=lambda i, e: bool(_moved(i, -1, _plus_one)[-2] > 1e-9),
    ),
    known(
        "own-change-counted",
        interact=lambda i, e: bool(np.any(_moved(i, 0, _plus_one) > 1e-9)),
    ),
    *(
        known(
            "interaction-loose",
            interact=lambda i, e, over=over, change=change: any(  # type: ignore[misc]
                _others_move(i, b, change, over) for b in range(len(i.X))
            ),
        )
        for over, change in (
            (0.01, _plus_one),
            (0.1, _plus_one),
            (1.0, _plus_one),
            (10.0, _plus_one),
            (10.0, _plus_half),
        )
    ),
    known(
        "change-not-made",
        interact=lambda i, e: any(_others_move(i, b, lambda x: 2 * x) for b in range(len(i.X))),
    ),
    known(
        "change-too-even",
        interact=lambda i, e: any(_others_move(i, b, lambda x: x + 1) for b in range(len(i.X))),
    ),
)
