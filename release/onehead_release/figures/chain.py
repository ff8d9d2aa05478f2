"""What is computed from what: the layer's steps as boxes, its matrices where they enter."""

from __future__ import annotations

from collections.abc import Callable

from onehead_release.figures.drawing import FAINT, GREY, PALE, Drawing, Figure, Spot

_STEPS: dict[str, tuple[int, int]] = {
    "Q": (195, 40),
    "K": (195, 120),
    "V": (195, 200),
    "scores": (330, 80),
}
_STEPS |= {"weights": (470, 80), "context": (610, 140)}


def _step(draw: Drawing, name: str, x: float, y: float) -> Spot:
    return draw.box(x, y, 90, 40, (name,), fill=PALE)


def _chain(draw: Drawing) -> dict[str, Spot]:
    """The boxes up to the context, and the arrows between them."""
    spots = {"X": draw.box(30, 120, 60, 40, ("X",), fill=GREY)}
    for name, (x, y) in _STEPS.items():
        spots[name] = _step(draw, name, x, y)
    for name in ("Q", "K", "V"):
        draw.arrow((94, 140), (spots[name].x - 4, spots[name].left[1]))
        below = {"Q": 4, "K": 14, "V": 34}[name]
        draw.text((148, spots[name].y + below), f"W_{name}", bold=True)
    pairs = (("Q", "scores"), ("K", "scores"), ("scores", "weights"), ("weights", "context"))
    for start, end in (*pairs, ("V", "context")):
        (from_x, from_y), (to_x, to_y) = spots[start].right, spots[end].left
        draw.arrow((from_x + 4, from_y), (to_x - 4, to_y))
    draw.text((445, 70), "mask, softmax", color=FAINT, size=11)
    return spots


def chain() -> Figure:
    """Lesson 3: the six stages and the three matrices."""
    draw = Drawing(730, 270)
    _chain(draw)
    return draw.figure(
        "Boxes and arrows. X goes to Q through W_Q, to K through W_K, and to V through W_V. Q and "
        "K go to the scores. The scores, through mask and softmax, go to the weights. The weights "
        "and V go to the context."
    )


FIGURES: dict[str, Callable[[], Figure]] = {"chain": chain}
