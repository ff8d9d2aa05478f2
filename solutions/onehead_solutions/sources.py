"""Lesson 2: one sequence supplies queries, keys, and values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Case, Exercise, Names, Part, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import plain, refused
from onehead_solutions.attention import causal, floats, projection
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import HALF_AS_WIDE, in_other_shapes, with_identity, with_zeros

# --- reference ---------------------------------------------------------------------------


def project_sources(
    X: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    context: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries from X; keys and values from the context, or from X where there is none."""
    source = X if context is None else context
    for name, width, W in (
        ("W_Q", X.shape[-1], W_Q),
        ("W_K", source.shape[-1], W_K),
        ("W_V", source.shape[-1], W_V),
    ):
        if width != W.shape[0]:
            raise ValueError(f"{name} has {W.shape[0]} rows, its source has width {width}")
    return floats(X) @ W_Q, floats(source) @ W_K, floats(source) @ W_V


def visibility(T_q: int, T_k: int, causal: bool) -> np.ndarray:
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k:
        raise ValueError(f"causal visibility needs T_q == T_k, not {T_q} and {T_k}")
    return np.tril(np.ones((T_q, T_k), dtype=bool))


def attention_kind(query_source: str, key_source: str, value_source: str) -> str:
    if key_source != value_source:
        return "neither"
    return "self" if query_source == key_source else "cross"


# --- checks ------------------------------------------------------------------------------


def _source(i: Names) -> Array:
    return i.X if i.get("context") is None else i.context


def _sources(
    name: str,
    T: int,
    d_model: int,
    d_k: int,
    d_v: int,
    T_k: int = 0,
    d_context: int = 0,
    dtype: Any = np.float64,
    public: bool = False,
) -> Case:
    draw = Draw(f"lesson-02 {name}")
    numbers = (lambda *s: draw.integers(-3, 3, *s)) if dtype is np.int64 else draw.reals
    width = d_context or d_model
    shapes = {"X": (T, d_model), "W_Q": (d_model, d_k), "W_K": (width, d_k), "W_V": (width, d_v)}
    if T_k:
        shapes["context"] = (T_k, width)
    return Case(name, {k: numbers(*s).astype(dtype) for k, s in shapes.items()}, public=public)


def _misfit(matrix: str, cross: bool, rows: int) -> Case:
    """``matrix`` has ``rows`` where its source has width 4 (X) or 5 (the context).

    With 3 rows it would fit if it were turned, and so would X; with those of the other source's
    width it would fit that.
    """
    width = 5 if cross else 4
    columns = 4 if rows == 3 else 2
    fits = {"W_Q": 4, "W_K": width, "W_V": width}
    draw = Draw(f"lesson-02 misfit {matrix} {cross}")
    inputs = {"X": draw.reals(3, 4)}
    inputs |= {W: draw.reals(rows if matrix == W else fit, columns) for W, fit in fits.items()}
    if cross:
        inputs["context"] = draw.reals(6, 5)
    name = f"{matrix} with {rows} rows{', a context' * cross}"
    return refused(name, inputs, fits[matrix], rows, check=f"raises: {matrix}")


def _too(word: str, width: int) -> Case:
    """A context that would fit if it were cut or filled up; X would fit as it is."""
    case = _sources(f"a context too {word} for W_K and W_V", 3, 3, 2, 4, T_k=4, d_context=3)
    context = Draw(f"lesson-02 too {word}").reals(4, width)
    return refused(case.name, {**case.inputs, "context": context}, width, 3, check="raises: W_K")


def _with_the_context_of(first: Case, case: Case) -> Case:
    """Other matrices on a context that was there before: its keys and values are no longer due."""
    return replace(case, inputs={**case.inputs, "context": first.inputs["context"]})


_CROSS_SIZES = (3, 4, 2, 5, 6, 7)
_SELF = _sources("self", 3, 4, 2, 5, public=True)
_CROSS = _sources("cross", *_CROSS_SIZES, public=True)

PROJECT_SOURCES = Part(
    "project_sources",
    5,
    (projection("Q", "W_Q"), projection("K", "W_K", _source), projection("V", "W_V", _source)),
    (
        _SELF,
        in_other_shapes(_SELF, **HALF_AS_WIDE),
        _CROSS,
        _sources("self, five tokens", 5, 3, 4, 2),
        _with_the_context_of(_CROSS, _sources("cross, the same context", *_CROSS_SIZES)),
        # A context that says nothing is there all the same.
        with_zeros(_sources("cross, zeros", 4, 3, 2, 5, T_k=3, d_context=3), "context"),
        _sources("cross, equal widths", 4, 3, 3, 3, T_k=4, d_context=3),
        _sources("cross, one key, widths of 1", 3, 1, 1, 1, T_k=1, d_context=1),
        _sources("self, equal sizes", 3, 3, 3, 3),
        with_identity(_sources("self, one token, identities", 1, 3, 3, 3), "W_Q", "W_K", "W_V"),
        _sources("cross, a context of the shape of X", 3, 4, 2, 5, T_k=3, d_context=4),
        _sources("self, after such a context", 3, 4, 2, 5),
        _sources("float32", 3, 4, 2, 5, T_k=5, d_context=2, dtype=np.float32, public=True),
        _sources("integers", 4, 3, 2, 5, dtype=np.int64, public=True),
        _too("wide", 5),
        _too("narrow", 2),
        *(
            _misfit(W, cross, rows)
            for W in ("W_Q", "W_K", "W_V")
            for cross, rows in ((False, 3), (True, 7), (True, 5 if W == "W_Q" else 4), (False, 1))
        ),
    ),
    answer="tuple",
    behaviour=True,
    misconceptions=wrong.no_later("lesson-02", wrong.SOURCES),
    small=small.SOURCES,
)


def _visible(T_q: int, T_k: int, by_cause: bool, public: bool = False) -> Case:
    return Case(
        f"{T_q} queries, {T_k} keys{', causal' * by_cause}",
        {"T_q": T_q, "T_k": T_k, "causal": by_cause},
        public=public,
        check="causal" if by_cause else "all visible",
    )


VISIBILITY = Part(
    "visibility",
    3,
    (
        Stage(
            "visible",
            "masking",
            want=lambda i, e: causal(i.T_q) if i["causal"] else np.ones((i.T_q, i.T_k), dtype=bool),
            axes=("query", "key"),
        ),
    ),
    (
        _visible(4, 4, True, public=True),
        _visible(3, 5, False, public=True),
        _visible(1, 1, True),
        _visible(40, 40, True),
        _visible(4, 4, False),
        _visible(5, 2, False),
        *(
            refused(
                f"causal with {q} and {k}",
                {"T_q": q, "T_k": k, "causal": True},
                q,
                k,
                family="masking",
                check="raises: causal",
            )
            for q, k in ((2, 4), (6, 3), (1, 4), (4, 1))
        ),
    ),
    behaviour=True,
    misconceptions=wrong.no_later("lesson-02", wrong.VISIBILITY),
    small=small.VISIBILITY,
)


def _kind(query: str, key: str, value: str, public: bool = False) -> Case:
    sources = {"query_source": query, "key_source": key, "value_source": value}
    return Case(f"{query}, {key}, {value}", sources, public=public, check=attention_kind(**sources))


ATTENTION_KIND = Part(
    "attention_kind",
    2,
    plain("interpretation", attention_kind, "kind"),
    (
        _kind("decoder", "decoder", "decoder", public=True),
        _kind("decoder", "encoder", "encoder", public=True),
        # Some differ from earlier ones by one source, some have names that are nearly alike.
        _kind("text", "text", "table"),
        *(
            _kind(*sources)
            for near in ("", "Text", " text", "text ", "a text", "texts")
            for sources in (
                *(("text", near, near), (near, "text", "text")),
                *(("text", "text", near), (near, near, "text")),
            )
        ),
        _kind("decoder", "encoder", "decoder"),
        _kind("encoder", "decoder", "decoder"),
        _kind("a", "b", "c"),
        _kind("", "encoder", "encoder"),
        _kind("decoder", "decoder", "encoder"),
    ),
    misconceptions=wrong.KINDS,
    small=small.KIND,
)

PARTS = (PROJECT_SOURCES, VISIBILITY, ATTENTION_KIND)
EXERCISE = Exercise(
    "lesson-02", "02_sources", "One Sequence Supplies Queries, Keys, and Values", PARTS
)
