"""A padded batch: two items, what is visible in each, and where weight may fall."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from onehead.model import Array
from onehead_release.figures.drawing import FAINT, Drawing, Figure, where
from onehead_solutions.batch_axis import broadcast_visible, padding_visible
from onehead_solutions.fixtures import FOUR_TOKENS

LENGTHS = (4, 3)
_CELL = 20


def _item(draw: Drawing, y: int, name: str, real: Array, visible: Array, allowed: Array) -> None:
    """One row of the picture: the item's tokens, what is visible, its weights."""
    width = FOUR_TOKENS["X"].shape[1]
    rows = np.repeat(real[:, None], width, axis=1)
    tokens = draw.matrix(
        90,
        y,
        rows.shape,
        name,
        filled=where(rows),
        words=lambda row, column: "" if rows[row, column] else "0",
        cell=_CELL,
    )
    seen = draw.matrix(290, y + 30, visible.shape, "visible", filled=where(visible), cell=_CELL)
    weights = draw.matrix(510, y, allowed.shape, "weights", filled=where(allowed), cell=_CELL)
    draw.arrow((tokens.right[0] + 8, y + 40), (seen.x - 8, y + 40))
    draw.arrow((seen.right[0] + 8, y + 40), (weights.x - 8, y + 40))
    draw.text((442, y + 30), "for every query", color=FAINT, size=11)
    draw.text((45, y + 44), f"{np.count_nonzero(real)} tokens", size=11)


def batch() -> Figure:
    """Lesson 6: the padding of item 1 is hidden as a key, in every row."""
    T, d_model = FOUR_TOKENS["X"].shape
    visible = padding_visible(np.array(LENGTHS), T)
    allowed = broadcast_visible(visible, len(LENGTHS), T, T)
    draw = Drawing(680, 300)
    for item, length in enumerate(LENGTHS):
        real = np.arange(T) < length
        _item(draw, 45 + 140 * item, f"X, item {item}", real, visible[item], allowed[item])
    return draw.figure(
        f"Two items of a batch, each with {T} places of {d_model} numbers. Item 0 has {LENGTHS[0]} "
        f"tokens; item 1 has {LENGTHS[1]}, and its last row is padding, filled with 0. For each "
        f"item visible is one row of {T} cells, True for its tokens. It holds for every query: in "
        f"the weights of item 1, of shape {allowed.shape[1:]}, the last column is empty."
    )


FIGURES: dict[str, Callable[[], Figure]] = {"batch": batch}
