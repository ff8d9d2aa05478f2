"""Matrices as tables of coloured numbers, for lessons and for reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onehead.render import html, text
from onehead.render.document import Beside, Cell, Document, Grid

Array = NDArray[Any]
Labels = str | Sequence[str]

MOST = 12  # rows and columns that are drawn; of a larger matrix, so many of them


@dataclass(frozen=True)
class Picture:
    """A document that shows itself: as HTML in a notebook, as text where it is printed."""

    document: Document

    def _repr_html_(self) -> str:
        return html.render(self.document)

    def __repr__(self) -> str:
        return text.render(self.document)


def heat_map(
    values: Any,
    caption: str = "",
    *,
    rows: Labels = "query",
    columns: Labels = "key",
    visible: Any = None,
) -> Picture:
    """A matrix as a table of coloured numbers: blue above zero, vermillion below, by size.

    As the last line of a cell it is shown; ``print`` gives it as text.

    Args:
        values: numbers or bools of shape (rows, columns) or (columns,), or (items, rows, columns)
            for a table each. A dict of captions to arrays puts them side by side, in one scale.
        caption: what it shows.
        rows: what a row is called ("query" makes query 0, query 1, ...), or a label for each.
        columns: likewise.
        visible: bool, of a shape that fits: where it is False, the cell shows ×, and a number that
            is not 0 is marked.

    Raises:
        ValueError: the shapes are others.
    """
    named = values if isinstance(values, Mapping) else {caption: values}
    arrays = {str(name): _matrices(array) for name, array in named.items()}
    if isinstance(rows, str) and all(np.ndim(array) == 1 for array in named.values()):
        rows = ("",)
    scale = max((_largest(array) for array in arrays.values()), default=0.0)
    grids = []
    for name, array in arrays.items():
        seen = _visible(visible, array.shape)
        for item, matrix in enumerate(array):
            title = name if len(array) == 1 else f"{name}, item {item}".removeprefix(", ")
            grids.append(
                grid(matrix, title, rows=rows, columns=columns, visible=seen[item], scale=scale)
            )
    return Picture((grids[0],) if len(grids) == 1 else (Beside(tuple(grids)),))


def _matrices(values: Any) -> Array:
    """The array with three axes.

    Raises:
        ValueError: it holds no numbers, or has no axis, more than three, or one of length 0.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or not 1 <= array.ndim <= 3 or not array.size:
        raise ValueError(
            f"a heat map shows numbers or bools of shape (rows, columns) or (items, rows, "
            f"columns), not {array.dtype} of shape {array.shape}"
        )
    return array.reshape((1,) * (3 - array.ndim) + array.shape)


def _visible(visible: Any, shape: tuple[int, ...]) -> Array:
    seen = np.asarray(True if visible is None else visible)
    try:
        return np.broadcast_to(seen.astype(bool), shape)
    except ValueError:
        raise ValueError(
            f"visible has shape {seen.shape}, the values have {shape[3 - max(seen.ndim, 2) :]}"
        ) from None


def _largest(array: Array) -> float:
    sizes = np.abs(np.asarray(array, dtype=np.float64))
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0.0))


def grid(
    matrix: Array,
    caption: str,
    *,
    rows: Labels = "query",
    columns: Labels = "key",
    visible: Array | None = None,
    wrong: Array | None = None,
    scale: float = 0.0,
    draw: Callable[[Any, bool, bool, float, int], Cell] | None = None,
) -> Grid:
    """One matrix or vector as a grid; where ``wrong`` is True, a cell carries ● and its colour.

    ``draw`` makes a cell of a value, as ``cell`` does, which is the default.
    """
    matrix, draw = np.asarray(matrix), draw or cell
    if matrix.ndim == 1:
        rows, matrix = ("",), matrix[None]
        wrong, visible = (None if x is None else np.asarray(x)[None] for x in (wrong, visible))
    top, left = _first(wrong, 0, matrix.shape[0]), _first(wrong, 1, matrix.shape[1])
    here = (slice(top, top + MOST), slice(left, left + MOST))
    shown = matrix[here]
    seen = np.ones(shown.shape, bool) if visible is None else np.asarray(visible)[here]
    bad = np.zeros(shown.shape, bool) if wrong is None else np.asarray(wrong)[here]
    scale = scale or _largest(matrix)
    decimals = _decimals(_largest(matrix), whole=matrix.dtype.kind in "biu")
    cells = tuple(
        tuple(
            draw(shown[i, j].item(), bool(seen[i, j]), bool(bad[i, j]), scale, decimals)
            for j in range(shown.shape[1])
        )
        for i in range(shown.shape[0])
    )
    row_labels, row_axis = _labels(rows, matrix.shape[0], here[0])
    column_labels, column_axis = _labels(columns, matrix.shape[1], here[1])
    corner = " \\ ".join(filter(None, (row_axis, column_axis)))
    return Grid(caption, row_labels, column_labels, cells, corner, _note(cells, matrix, here))


def difference(
    got: Array, want: Array, wrong: Array, caption: str, *, rows: Labels, columns: Labels
) -> Grid:
    """What ``got`` has too much or too little, where ``wrong`` is True; · where it is right."""
    with np.errstate(all="ignore"):
        off = np.where(wrong, got * 1.0 - want * 1.0, 0.0)
    return grid(off, caption, wrong=wrong, draw=off_by, rows=rows, columns=columns)


def _first(wrong: Array | None, axis: int, size: int) -> int:
    """Where a part of a large matrix begins: at its front, or so that the first fault is in it."""
    if wrong is None or size <= MOST or not np.any(wrong):
        return 0
    place = int(np.argwhere(wrong)[0][axis])
    return 0 if place < MOST else min(place - MOST // 2, size - MOST)


def _labels(labels: Labels, size: int, here: slice) -> tuple[tuple[str, ...], str]:
    """The labels of an axis and, where they are numbers, what the axis is called."""
    if isinstance(labels, str):
        return tuple(map(str, range(size)[here])), labels
    if len(labels) != size:
        raise ValueError(f"{len(labels)} labels were given for an axis of {size}")
    return tuple(map(str, labels[here])), ""


def _decimals(largest: float, whole: bool) -> int:
    """Decimals that leave three digits of the largest number; -1 for numbers too large to align."""
    if whole:
        return 0 if largest < 1e6 else -1
    return -1 if not 0.1 <= largest < 1000 else 2 if largest < 10 else 1


def cell(value: Any, seen: bool, wrong: bool, scale: float, decimals: int) -> Cell:
    """One value as a cell. A zero of weights is "0", a small number "0.00"."""
    if isinstance(value, bool):
        mark = "●" if value else "·"
        if wrong:
            return Cell("✗" + mark, "wrong")
        return Cell(mark, "true" if value else "false")
    if not math.isfinite(value):
        return Cell(("● " if wrong else "") + str(value), "spoiled")
    number = number_text(value, decimals)
    if not seen:
        return Cell("×", "hidden") if value == 0 else Cell(f"×{number}", "wrong")
    if wrong:
        return Cell(f"● {number}", "wrong")
    return Cell(number, "number", value / scale if scale else 0.0)


def off_by(value: Any, seen: bool, wrong: bool, scale: float, decimals: int) -> Cell:
    """A difference as a cell."""
    if not wrong:
        return Cell("·", "same")
    if not math.isfinite(value):
        return Cell(str(value), "spoiled")
    sign = "+" if value > 0 else ""
    return Cell(sign + number_text(value, decimals), "number", value / scale if scale else 0.0)


def number_text(value: float, decimals: int) -> str:
    if value == 0:
        return "0"
    return f"{value:.3g}" if decimals < 0 else f"{value:.{decimals}f}"


def _note(cells: Sequence[Sequence[Cell]], matrix: Array, here: tuple[slice, slice]) -> str:
    """What the glyphs say, and which part of a large matrix is drawn."""
    texts = [cell.text for row in cells for cell in row]
    glyphs = []
    if matrix.dtype.kind == "b":
        glyphs.append("● True, · False")
        if any(text.startswith("✗") for text in texts):
            glyphs.append("✗ differs")
    elif any(text.startswith("● ") for text in texts):
        glyphs.append("● differs")
    elif any(text == "·" for text in texts):
        glyphs.append("· right")
    if any(text.startswith("×") for text in texts):
        glyphs.append("× hidden")
    for axis, (part, size) in enumerate(zip(here, matrix.shape, strict=True)):
        if size > MOST:
            name = ("rows", "columns")[axis]
            glyphs.append(f"{name} {part.start} to {min(part.stop, size) - 1} of {size}")
    return "; ".join(glyphs)
