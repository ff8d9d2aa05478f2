"""Practice problems on shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from onehead.model import Case, Family, Misconception, Names, Part, Stage
from onehead_solutions import small_practice as small
from onehead_solutions.answers import choices, refused

# --- references --------------------------------------------------------------------------

shape_1 = {
    "Q": (7, 5),
    "V": (7, 8),
    "scores": (7, 7),
    "context": (7, 8),
    "output": (7, 12),
}


def shape_2(
    X: tuple[int, int],
    W_Q: tuple[int, int],
    W_K: tuple[int, int],
    W_V: tuple[int, int],
    W_O: tuple[int, int],
) -> str:
    """The first matrix that does not fit, going by shapes alone, or "fits"."""
    d_model = X[1]
    if W_Q[0] != d_model:
        return "W_Q"
    if W_K[0] != d_model or W_K[1] != W_Q[1]:
        return "W_K"
    if W_V[0] != d_model:
        return "W_V"
    if W_O[0] != W_V[1] or W_O[1] != d_model:
        return "W_O"
    return "fits"


AXES = {
    "X": ("B", "T", "d_model"),
    "Q": ("B", "T", "d_k"),
    "K": ("B", "T", "d_k"),
    "V": ("B", "T", "d_v"),
    "scores": ("B", "T", "T"),
    "weights": ("B", "T", "T"),
    "context": ("B", "T", "d_v"),
    "output": ("B", "T", "d_model"),
    "W_Q": ("d_model", "d_k"),
    "W_K": ("d_model", "d_k"),
    "W_V": ("d_model", "d_v"),
    "W_O": ("d_v", "d_model"),
}


def shape_3(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """(B, T, d_model, d_k, d_v) as far as the shapes tell, 0 for what they do not."""
    found = {"B": 0, "T": 0, "d_model": 0, "d_k": 0, "d_v": 0}
    for entry, shape in shapes.items():
        for axis, size in zip(AXES[entry], shape, strict=True):
            if found[axis] not in (0, size):
                raise ValueError(f"{axis} is {found[axis]}, but {entry} says {size}")
            found[axis] = size
    return tuple(found.values())


# --- checks ------------------------------------------------------------------------------


def answered(family: Family, reference: Callable[..., Any], stage: str) -> tuple[Stage, ...]:
    """The one stage of a function whose result is plain data; the learner's name is no argument."""

    def due(i: Names, e: Names) -> Any:
        return reference(**{name: value for name, value in i.items() if name != "LEARNER"})

    return (Stage(stage, family, want=due, secret=True),)


SHAPE_1 = Part(
    "shape-1",
    1,
    choices("shape", shape_1),
    (Case("shape-1"),),
    "value",
    "dict",
    misconceptions=(
        Misconception(
            "features-compared",
            {"scores": lambda i, e: (5, 5)},
            "The scores pair features with features; they pair each query with each key.",
            "lesson-04",
        ),
        Misconception(
            "output-skipped",
            {"output": lambda i, e: (7, 8)},
            "The output projection is not applied.",
            "lesson-05",
        ),
    ),
    target="shape_1",
)

_FIT = {"X": (6, 10), "W_Q": (10, 4), "W_K": (10, 4), "W_V": (10, 7), "W_O": (7, 10)}


def _fits(name: str, public: bool = False, **other: tuple[int, int]) -> Case:
    return Case(name, _FIT | other, public=public)


def _only_rows(i: Names, e: Names) -> str:
    """W_Q and W_K are never compared with each other, nor W_O with the model width."""
    for name in ("W_Q", "W_K", "W_V"):
        if i[name][0] != i.X[1]:
            return name
    return "fits" if i.W_O[0] == i.W_V[1] else "W_O"


def _transposed_output(i: Names, e: Names) -> str:
    """W_O is due in the shape of W_V."""
    found = shape_2(i.X, i.W_Q, i.W_K, i.W_V, (i.W_V[1], i.X[1]))
    return "W_O" if found == "fits" and i.W_O != i.W_V else found


SHAPE_2 = Part(
    "shape-2",
    1,
    answered("shape", shape_2, "misfit"),
    (
        _fits("all fit", public=True),
        _fits("a query projection of 9 rows", public=True, W_Q=(9, 4)),
        _fits("a query projection of one row", W_Q=(1, 4)),
        _fits("keys wider than queries", public=True, W_K=(10, 5)),
        _fits("a key projection of 4 rows", W_K=(4, 10)),
        _fits("a key projection of one row", W_K=(1, 4)),
        _fits("a key projection of 11 rows", W_K=(11, 4)),
        _fits("a value projection of 7 rows", W_V=(7, 10)),
        _fits("a value projection of 11 rows", W_V=(11, 7)),
        _fits("a wider value projection alone", W_V=(10, 8)),
        _fits("an output projection of 4 rows", W_O=(4, 10)),
        _fits("an output projection of 8 rows", W_O=(8, 10)),
        _fits("an output of another width", W_O=(7, 12)),
        _fits("an output of width 1", W_O=(7, 1)),
        _fits("a transposed output projection", W_O=(10, 7)),
        _fits("an input of width 6", X=(10, 6)),
        _fits("keys and values misfit", W_K=(10, 3), W_V=(5, 7)),
        _fits("values and output misfit", W_V=(8, 7), W_O=(9, 10)),
        _fits("values as wide as keys", W_V=(10, 4), W_O=(4, 10)),
        _fits("all sizes equal", X=(3, 3), W_Q=(3, 3), W_K=(3, 3), W_V=(3, 3), W_O=(3, 3)),
        _fits(
            "one token, wide heads",
            X=(1, 10),
            W_Q=(10, 12),
            W_K=(10, 12),
            W_V=(10, 15),
            W_O=(15, 10),
        ),
    ),
    misconceptions=(
        Misconception(
            "columns-unchecked",
            {"misfit": _only_rows},
            "Only rows are compared: queries and keys must be equally wide, and the output "
            "projection must lead back to the model width.",
            "lesson-05",
        ),
        Misconception(
            "output-transposed",
            {"misfit": _transposed_output},
            "The output projection is due in the shape of W_V: it leads back, from the width of "
            "the values to that of the model.",
            "lesson-05",
        ),
    ),
    target="shape_2",
    small=small.SHAPE_2,
)


def _sizes(name: str, public: bool = False, **shapes: tuple[int, ...]) -> Case:
    return Case(name, {"shapes": shapes}, public=public, check="sizes")


def _contradiction(name: str, sizes: tuple[int, int], **shapes: tuple[int, ...]) -> Case:
    return refused(name, {"shapes": shapes}, *sizes, check="raises: contradiction")


def _contradictions() -> Iterator[Case]:
    """For each axis of each entry one in which it comes last, and one in which it comes first."""
    sizes = {"B": 5, "T": 7, "d_model": 12, "d_k": 4, "d_v": 3}
    fit = {entry: tuple(sizes[axis] for axis in axes) for entry, axes in AXES.items()}
    for axis, size in sizes.items():
        places = [(e, n) for e, axes in AXES.items() for n, a in enumerate(axes) if a == axis]
        for k, (entry, n) in enumerate(places):
            other, before = (2, 14)[k % 2], places[k - 1][0]
            shape = (*fit[entry][:n], other, *fit[entry][n + 1 :])
            name = f"{axis}, axis {n} of {entry}, against {before}"
            yield _contradiction(name, (size, other), **{before: fit[before]} | {entry: shape})


SHAPE_3 = Part(
    "shape-3",
    1,
    answered("shape", shape_3, "sizes"),
    (
        _sizes("the input and Q", public=True, X=(2, 6, 9), Q=(2, 6, 4)),
        _sizes("scores alone", public=True, scores=(3, 5, 5)),
        _sizes("K and the output projection", K=(4, 7, 3), W_O=(5, 8)),
        _sizes("two matrices", W_K=(11, 6), W_V=(11, 2)),
        _sizes("the context and W_Q", context=(3, 8, 5), W_Q=(12, 7)),
        _sizes("weights and the output", weights=(6, 2, 2), output=(6, 2, 10)),
        _sizes("one value entry", V=(1, 1, 4)),
        _sizes(
            "everything",
            X=(2, 3, 6),
            W_Q=(6, 4),
            W_K=(6, 4),
            W_V=(6, 5),
            W_O=(5, 6),
            Q=(2, 3, 4),
            K=(2, 3, 4),
            V=(2, 3, 5),
            scores=(2, 3, 3),
            weights=(2, 3, 3),
            context=(2, 3, 5),
            output=(2, 3, 6),
        ),
        *_contradictions(),
        # What contradicts need not be the entry before.
        _contradiction("T of X and V, W_K between", (6, 7), X=(2, 6, 9), W_K=(9, 4), V=(2, 7, 5)),
        _contradiction(
            "d_model of W_Q and output, scores between",
            (9, 8),
            W_Q=(9, 4),
            scores=(2, 6, 6),
            output=(2, 6, 8),
        ),
        _contradiction("one item and a batch", (1, 13), weights=(1, 2, 2), context=(13, 2, 6)),
    ),
    target="shape_3",
    small=small.SHAPE_3,
)

SHAPE = (SHAPE_1, SHAPE_2, SHAPE_3)
