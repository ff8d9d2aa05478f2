"""Lesson 1: one attention reading is not yet a Transformer layer."""

from __future__ import annotations

import math

import numpy as np

from onehead.compare import context_bound, scores_bound, weights_bound
from onehead.model import Array, Case, Exercise, Names, Part, Rounding, Stage
from onehead_solutions import small, wrong
from onehead_solutions.answers import choices, counts
from onehead_solutions.attention import floats, visible_softmax
from onehead_solutions.draw import Draw
from onehead_solutions.fixtures import telling, with_zeros

# --- reference ---------------------------------------------------------------------------


def attention_reading(
    query: np.ndarray, keys: np.ndarray, values: np.ndarray, visible: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """query (d_k,), keys (T, d_k), values (T, d_v), visible (T,) -> weights (T,), reading (d_v,)"""
    if visible is None:
        visible = np.ones(len(keys), dtype=bool)
    scores = floats(keys) @ floats(query) / math.sqrt(len(query))
    weights = visible_softmax(scores, visible)
    return weights, weights @ floats(values)


def layer_shapes(
    batch: int, tokens: int, d_model: int, d_k: int, d_v: int
) -> dict[str, tuple[int, ...]]:
    return {
        "reading": (d_v,),
        "layer_input": (batch, tokens, d_model),
        "layer_output": (batch, tokens, d_model),
        "scores": (batch, tokens, tokens),
        "context": (batch, tokens, d_v),
    }


BOUNDARY = {
    "query projection": "inside",
    "key projection": "inside",
    "value projection": "inside",
    "mask": "inside",
    "softmax": "inside",
    "output projection": "inside",
    "residual connection": "outside",
    "layer normalization": "outside",
    "feed-forward network": "outside",
    "token embedding": "outside",
    "positional encoding": "outside",
}

# --- checks ------------------------------------------------------------------------------


def _scores(i: Names) -> Array:
    return floats(i["keys"]) @ floats(i.query) / math.sqrt(len(i.query))


def _visible(i: Names) -> Array:
    return np.ones(len(i["keys"]), dtype=bool) if i.get("visible") is None else i["visible"]


def _weights_allowed(i: Names, e: Names, r: Rounding) -> Array:
    slack = scores_bound(i.query[None], i["keys"], 0, r)[0]
    return weights_bound(_scores(i), _visible(i), r, slack)


READING = (
    Stage(
        "weights",
        "numerical",
        want=lambda i, e: visible_softmax(_scores(i), _visible(i)),
        allow=_weights_allowed,
        axes=("key",),
    ),
    Stage(
        "reading",
        "numerical",
        want=lambda i, e: e.weights @ floats(i["values"]),
        allow=lambda i, e, r: context_bound(e.weights[None], i["values"], r)[0],
        axes=("feature",),
    ),
)


def _reading(
    name: str,
    T: int,
    d_k: int,
    d_v: int,
    visible: list[int] | None = None,
    dtype: type = np.float64,
    shift: float | None = None,
    public: bool = False,
) -> Case:
    """One query against T keys. ``shift`` moves every score by that much (d_k = 4, integers)."""

    def make(draw: Draw) -> dict[str, Array]:
        whole = dtype is np.int64 or shift is not None
        query, keys, values = (
            draw.integers(-2, 2, *shape) if whole else draw.reals(*shape, scale=1.6)
            for shape in ((d_k,), (T, d_k), (T, d_v))
        )
        if shift is not None:
            query[-1], keys[:, -1] = 100, shift / 50
        arrays = {"query": query, "keys": keys, "values": values}
        mask = {} if visible is None else {"visible": np.array(visible, dtype=bool)}
        return {k: x.astype(dtype) for k, x in arrays.items()} | mask

    def weights(inputs: dict[str, Array]) -> Array:
        i = Names(inputs)
        if T == 1 or not _visible(i).any():
            return np.array([0.5, 0.5])
        return visible_softmax(_scores(i), _visible(i))

    inputs = telling(f"lesson-01 {name}", make, weights)
    return Case(name, inputs, public=public, extreme=shift is not None)


def _with_mask(case: Case, visible: list[int]) -> Case:
    """The same with a mask; asked before it, since nobody may remember one."""
    inputs = {**case.inputs, "visible": np.array(visible, dtype=bool)}
    return Case(f"{case.name}, after a mask", inputs)


def _from_one_end_to_the_other() -> Case:
    """Neither the mean nor any one score is a bound; the lower of the high ones weighs e^-30."""
    case = _reading("large scores", 4, 4, 3, shift=0.0)
    keys = case.inputs["keys"].copy()
    keys[:, -1] = [-200.0, 200.0, 199.4, 0.0]
    return Case(case.name, {**case.inputs, "keys": keys}, extreme=True)


def _hidden_key_dominates() -> Case:
    case = _reading("a hidden key dominates", 4, 4, 3, [1, 1, 1, 0], shift=0.0)
    keys = case.inputs["keys"].copy()
    keys[3, -1] = 300.0
    return Case(case.name, {**case.inputs, "keys": keys}, extreme=True)


PARTS = (
    Part(
        "attention_reading",
        5,
        READING,
        (
            _reading("three keys", 3, 2, 4, public=True),
            _reading("one hidden key", 4, 3, 2, [1, 0, 1, 1], public=True),
            _with_mask(_reading("four keys", 4, 3, 2), [1, 1, 0, 1]),
            _reading("four keys", 4, 3, 2),
            with_zeros(_reading("a query of zeros", 5, 3, 4, [0, 1, 0, 1, 0]), "query"),
            with_zeros(_reading("widths of 1", 6, 1, 1, [0, 1, 1, 0, 1, 1]), "keys", 1),
            _reading("equal sizes", 3, 3, 3, [1, 1, 0]),
            _reading("one key", 1, 3, 2),
            _reading("one hidden key alone", 1, 3, 2, [0]),
            _reading("no visible key", 4, 3, 2, [0, 0, 0, 0]),
            _reading("float32", 5, 3, 2, [1, 1, 0, 1, 1], dtype=np.float32, public=True),
            _reading("integers", 4, 3, 2, [1, 1, 1, 0], dtype=np.int64, public=True),
            _from_one_end_to_the_other(),
            _reading("very negative scores", 4, 4, 3, [1, 1, 0, 1], shift=-1e4),
            _hidden_key_dominates(),
        ),
        answer="tuple",
        behaviour=True,
        misconceptions=wrong.no_later("lesson-01", wrong.READING),
        small=small.READING,
    ),
    Part(
        "layer_shapes",
        2,
        counts("shape", layer_shapes),
        tuple(
            Case(
                f"sizes {k}",
                dict(zip(("batch", "tokens", "d_model", "d_k", "d_v"), sizes, strict=True)),
                k == 0,
            )
            for k, sizes in enumerate(
                [(2, 3, 4, 5, 6), (7, 5, 3, 2, 4), (1, 1, 8, 8, 8), (1, 6, 4, 3, 2)]
            )
        ),
        answer="dict",
        misconceptions=wrong.no_later("lesson-01", wrong.SHAPES),
        small=small.SHAPES,
    ),
    Part(
        "BOUNDARY",
        3,
        choices("interpretation", BOUNDARY),
        (Case("BOUNDARY"),),
        "value",
        "dict",
        misconceptions=wrong.BOUNDARY,
    ),
)

EXERCISE = Exercise(
    "lesson-01", "01_one_reading", "One Attention Reading Is Not Yet a Transformer Layer", PARTS
)
