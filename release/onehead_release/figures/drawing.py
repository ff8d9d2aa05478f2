"""Lines, boxes, matrices and words as SVG: the few shapes that the figures are made of.

Sizes are in pixels. Every figure stands on a white card of its own, so that it reads the same on a
dark page; what a colour says, a word says too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from onehead.model import Array

INK, FAINT, CARD = "#1a1a1a", "#767676", "#ffffff"
BLUE, ORANGE, GREY, PALE = "#0072b2", "#d55e00", "#e6e6e6", "#cfe6f5"
CELL = 14  # one entry of a matrix
_FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"


@dataclass(frozen=True)
class Figure:
    """A picture, and the text that stands for it."""

    svg: str
    says: str


@dataclass(frozen=True)
class Spot:
    """A rectangle that arrows start from and end at."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> tuple[float, float]:
        return self.x, self.y + self.height / 2

    @property
    def right(self) -> tuple[float, float]:
        return self.x + self.width, self.y + self.height / 2

    @property
    def top(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height


@dataclass
class Drawing:
    """Collects shapes; ``figure`` closes it."""

    width: int
    height: int
    _shapes: list[str] = field(default_factory=list)

    def line(
        self, points: Sequence[tuple[float, float]], color: str = INK, width: float = 1.4
    ) -> None:
        """A line through the points."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._shapes.append(
            f"<polyline points='{path}' fill='none' stroke='{color}' stroke-width='{_n(width)}'/>"
        )

    def arrow(
        self, start: tuple[float, float], end: tuple[float, float], color: str = FAINT
    ) -> None:
        """A straight arrow."""
        self._shapes.append(
            f"<line x1='{_n(start[0])}' y1='{_n(start[1])}' x2='{_n(end[0])}' y2='{_n(end[1])}' "
            f"stroke='{color}' stroke-width='1.4' marker-end='url(#{_head(color)})'/>"
        )

    def hop(self, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
        """An arched arrow between two places of one row."""
        middle, rise = (start[0] + end[0]) / 2, min(54, 10 + abs(end[0] - start[0]) * 0.28)
        self._shapes.append(
            f"<path d='M{_n(start[0])},{_n(start[1])} Q{_n(middle)},{_n(start[1] - 2 * rise)} "
            f"{_n(end[0])},{_n(end[1])}' fill='none' stroke='{color}' stroke-width='1.6' "
            f"marker-end='url(#{_head(color)})'/>"
        )

    def text(
        self,
        at: tuple[float, float],
        words: str,
        *,
        size: int = 12,
        anchor: str = "middle",
        color: str = INK,
        bold: bool = False,
    ) -> None:
        """One line of words, ``at`` its base line."""
        weight = " font-weight='bold'" if bold else ""
        self._shapes.append(
            f"<text x='{_n(at[0])}' y='{_n(at[1])}' {_FONT} font-size='{size}' "
            f"text-anchor='{anchor}' fill='{color}'{weight}>{escape(words)}</text>"
        )

    def box(
        self, x: float, y: float, width: float, height: float, words: Sequence[str] = (), **how: str
    ) -> Spot:
        """A rectangle with lines of words in its middle. ``how``: fill, stroke, dash."""
        dash = f" stroke-dasharray='{how['dash']}'" if "dash" in how else ""
        self._shapes.append(
            f"<rect x='{_n(x)}' y='{_n(y)}' width='{_n(width)}' height='{_n(height)}' rx='4' "
            f"fill='{how.get('fill', CARD)}' stroke='{how.get('stroke', INK)}'{dash}/>"
        )
        top = y + height / 2 + 4 - 8 * (len(words) - 1)
        for number, line in enumerate(words):
            self.text((x + width / 2, top + 16 * number), line, bold=number == 0)
        return Spot(x, y, width, height)

    def matrix(
        self,
        x: float,
        y: float,
        shape: tuple[int, ...],
        name: str,
        *,
        below: str | None = None,
        fill: str = PALE,
        filled: Callable[[int, int], bool] = lambda row, column: True,
        words: Callable[[int, int], str] = lambda row, column: "",
        cell: int = CELL,
    ) -> Spot:
        """A grid of the shape, its name above and its shape (or ``below``) below.

        ``filled`` says which cells have the colour, ``words`` what stands in a cell.
        """
        rows, columns = shape
        for row in range(rows):
            for column in range(columns):
                inside = fill if filled(row, column) else CARD
                left, top = x + column * cell, y + row * cell
                self._shapes.append(
                    f"<rect x='{_n(left)}' y='{_n(top)}' width='{cell}' "
                    f"height='{cell}' fill='{inside}' stroke='{INK}' stroke-width='0.8'/>"
                )
                if told := words(row, column):
                    self.text((left + cell / 2, top + cell / 2 + 4), told, size=11)
        spot = Spot(x, y, columns * cell, rows * cell)
        self.text((spot.top[0], y - 7), name, bold=True)
        size = f"({rows}, {columns})" if below is None else below
        self.text((spot.bottom[0], y + spot.height + 16), size, size=11)
        return spot

    def figure(self, says: str) -> Figure:
        """The finished picture."""
        heads = "".join(
            f"<marker id='{_head(color)}' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
            f"markerHeight='7' orient='auto-start-reverse'><path d='M0,0 L8,4 L0,8 z' "
            f"fill='{color}'/></marker>"
            for color in (FAINT, BLUE, ORANGE, INK)
        )
        svg = (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width}' height='{self.height}' "
            f"viewBox='0 0 {self.width} {self.height}'><defs>{heads}</defs>"
            f"<rect width='{self.width}' height='{self.height}' rx='8' fill='{CARD}'/>"
            f"{''.join(self._shapes)}</svg>"
        )
        return Figure(svg, says)


def where(mask: Array) -> Callable[[int, int], bool]:
    """Fills the cells in which the mask is True."""
    return lambda row, column: bool(mask[row, column])


def _head(color: str) -> str:
    return f"head{color.removeprefix('#')}"


def _n(number: float) -> str:
    """A length to a tenth of a pixel, without a trailing zero.

    >>> _n(3.0), _n(2.46)
    ('3', '2.5')
    """
    return f"{number:.1f}".removesuffix(".0")
