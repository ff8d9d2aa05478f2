"""What is computed from what: the layer's steps as boxes, its matrices where they enter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onehead_release.figures.drawing import FAINT, GREY, INK, PALE, Drawing, Figure, Spot

_STEPS: dict[str, tuple[int, int]] = {"Q": (195, 40), "K": (195, 120), "V": (195, 200)}
_STEPS |= {"scores": (330, 80), "weights": (470, 80), "context": (610, 140), "output": (750, 140)}
_ARROWS = (("Q", "scores"), ("K", "scores"), ("scores", "weights"), ("weights", "context"))
_PEACH = "#fbe0cc"


def _chain(draw: Drawing, steps: Mapping[str, str], marks: Mapping[str, str]) -> None:
    """The boxes of the steps, in their colours and with their marks, and the arrows between."""
    spots: dict[str, Spot] = {"X": draw.box(30, 120, 60, 40, ("X",), fill=GREY)}
    for name, color in steps.items():
        words = (name, marks[name]) if name in marks else (name,)
        spots[name] = draw.box(*_STEPS[name], 90, 40, words, fill=color)
    for name, below in (("Q", 4), ("K", 14), ("V", 34)):
        draw.arrow((94, 140), (spots[name].x - 4, spots[name].left[1]))
        draw.text((148, spots[name].y + below), f"W_{name}", bold=True)
    for start, end in (*_ARROWS, ("V", "context"), ("context", "output")):
        if end in spots:
            (from_x, from_y), (to_x, to_y) = spots[start].right, spots[end].left
            draw.arrow((from_x + 4, from_y), (to_x - 4, to_y))


def chain() -> Figure:
    """Lesson 3: the six stages and the three matrices."""
    draw = Drawing(730, 270)
    _chain(draw, {name: PALE for name in _STEPS if name != "output"}, {})
    draw.text((445, 70), "mask, softmax", color=FAINT, size=11)
    return draw.figure(
        "Boxes and arrows. X goes to Q through W_Q, to K through W_K, and to V through W_V. Q and "
        "K go to the scores. The scores, through mask and softmax, go to the weights. The weights "
        "and V go to the context."
    )


def audit_order() -> Figure:
    """Lesson 8: which invariant looks at which steps."""
    draw = Drawing(870, 330)
    numerical, output = ("Q", "K", "scores", "weights"), ("V", "context", "output")
    colors = dict.fromkeys(numerical, PALE) | dict.fromkeys(output, _PEACH)
    _chain(draw, colors, dict.fromkeys(numerical, "3") | dict.fromkeys(output, "4"))
    draw.text((725, 128), "W_O", bold=True)
    draw.text((445, 62), "2 mask", bold=True)
    draw.arrow((445, 66), (445, 92), color=INK)
    draw.text((300, 22), "3 numerical: the boxes with a 3", bold=True)
    draw.text((680, 215), "4 output: the boxes with a 4", bold=True)
    draw.text((30, 285), "1 shape: every box, before anything is compared", anchor="start")
    draw.text((30, 308), "5 batching: the whole, an item alone and in a batch", anchor="start")
    return draw.figure(
        "The chain from X to the output, with five invariants in order. 1, shape, looks at every "
        "step. 2, mask, looks at the way from scores to weights. 3, numerical, looks at "
        f"{', '.join(numerical)}. 4, output, looks at {', '.join(output)}. 5, batching, looks at "
        "whole results, an item's alone and in a batch."
    )


FIGURES: dict[str, Callable[[], Figure]] = {"chain": chain, "audit-order": audit_order}
