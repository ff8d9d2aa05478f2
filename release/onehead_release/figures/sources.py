"""Which sequence supplies what: self-attention beside cross-attention."""

from __future__ import annotations

from collections.abc import Callable

from onehead_release.figures.drawing import GREY, PALE, Drawing, Figure, Spot

MADE = ("Q", "K", "V")
ASKED = "#fbe0cc"


def _panel(draw: Drawing, x: float, title: str, supplied: dict[str, Spot], key: str) -> None:
    """Q, K and V, each with an arrow from what supplies it."""
    draw.text((x + 150, 28), title, size=14, bold=True)
    for number, name in enumerate(MADE):
        y = 52 + 58 * number
        made = draw.box(x + 235, y, 70, 38, (name,))
        source = supplied["Q" if name == "Q" else key]
        draw.arrow((source.right[0] + 4, source.right[1]), (made.left[0] - 4, made.left[1]))
        draw.text((x + 196, y + (36 if name == "V" else 12)), f"W_{name}", size=11)


def sources() -> Figure:
    """Lesson 2: one sequence supplies all three, or one asks and another is read."""
    draw = Drawing(760, 235)
    one = draw.box(30, 100, 110, 60, ("X", "(T, d_model)"), fill=PALE)
    _panel(draw, 10, "self-attention", {"Q": one, "K": one}, "K")
    asks = draw.box(420, 45, 120, 52, ("X", "(T_q, d_model)"), fill=PALE)
    read = draw.box(420, 135, 120, 52, ("context", "(T_k, d_context)"), fill=ASKED)
    _panel(draw, 400, "cross-attention", {"Q": asks, "K": read}, "K")
    draw.line([(378, 20), (378, 215)], color=GREY)
    return draw.figure(
        "Two diagrams. Self-attention: one sequence X, of shape (T, d_model), supplies Q, K and V, "
        "through W_Q, W_K and W_V. Cross-attention: X, of shape (T_q, d_model), supplies Q alone; "
        "another sequence, the context of shape (T_k, d_context), supplies both K and V."
    )


FIGURES: dict[str, Callable[[], Figure]] = {"sources": sources}
