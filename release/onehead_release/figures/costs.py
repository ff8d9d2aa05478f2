"""What the layer costs as a sequence grows, and how far apart two tokens are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from onehead_release.figures.drawing import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    PALE,
    Drawing,
    Figure,
    Spot,
)
from onehead_solutions.costs import attention_cost, path_length

D_MODEL, WIDTH = 512, 64
LONGEST = 2048
LEFT, RIGHT, TOP, BOTTOM = 80, 560, 40, 290


def _costs(T: int) -> tuple[int, int]:
    """Multiply-adds that grow with T, and those that grow with its square."""
    cost = attention_cost(T, D_MODEL, WIDTH, WIDTH)
    linear = cost["projections"] + cost["output_projection"]
    return linear, cost["scores"] + cost["weighted_sum"]


def cost() -> Figure:
    """Lesson 7: the projections grow evenly, scores and mixing with the square."""
    draw = Drawing(760, 345)
    most = max(_costs(LONGEST))
    across, up = (RIGHT - LEFT) / LONGEST, (BOTTOM - TOP) / most

    def place(T: int, amount: float) -> tuple[float, float]:
        return LEFT + T * across, BOTTOM - amount * up

    for millions in range(0, most // 1_000_000 + 1, 100):
        y = place(0, millions * 1_000_000)[1]
        draw.line([(LEFT, y), (RIGHT, y)], color=GREY)
        draw.text((LEFT - 8, y + 4), str(millions), anchor="end", size=11)
    for T in range(0, LONGEST + 1, 512):
        draw.text((place(T, 0)[0], BOTTOM + 18), str(T), size=11)
    draw.line([(LEFT, BOTTOM), (RIGHT, BOTTOM)])
    lengths = range(0, LONGEST + 1, 32)
    ends = []
    for number, color in ((0, BLUE), (1, ORANGE)):
        points = [place(T, _costs(T)[number] if T else 0) for T in lengths]
        draw.line(points, color=color, width=2.6)
        ends.append(points[-1])
    draw.text((ends[0][0] + 8, ends[0][1] + 4), "the four projections", anchor="start", color=BLUE)
    draw.text((ends[1][0] + 8, ends[1][1] + 4), "scores and mixing", anchor="start", color=ORANGE)
    equal = next(T for T in lengths[1:] if _costs(T)[1] >= _costs(T)[0])
    x, y = place(equal, _costs(equal)[0])
    draw.line([(x, y), (x, BOTTOM)], color=FAINT)
    draw.text((x - 6, y - 10), f"equal at T = {equal}", anchor="end", size=11)
    draw.text((LEFT, 24), "millions of multiply-adds", anchor="start", size=11)
    draw.text(((LEFT + RIGHT) / 2, BOTTOM + 40), "T, tokens in the sequence", size=11)
    return draw.figure(
        f"Two curves over T, the tokens in a sequence, for d_model = {D_MODEL} and d_k = d_v = "
        f"{WIDTH}. The cost of the four projections is a straight line. The cost of scores and "
        f"mixing is a parabola. They are equal, {_costs(equal)[0]:,} multiply-adds, at T = "
        f"{equal}. At T = {LONGEST} the projections take {_costs(LONGEST)[0]:,} "
        f"and scores and mixing take {_costs(LONGEST)[1]:,}."
    )


# --- paths -------------------------------------------------------------------------------

DISTANCE, KERNEL = 7, 3
_ROWS = (
    ("self-attention", ORANGE),
    ("recurrent", BLUE),
    ("convolution", INK),
)


def _tokens(draw: Drawing, y: float) -> list[Spot]:
    return [draw.box(210 + 58 * k, y, 40, 26, (str(k),), fill=PALE) for k in range(DISTANCE + 1)]


def _hops(architecture: str) -> list[int]:
    """Where a signal stops on its way from token 0 to the last one."""
    count = path_length(architecture, DISTANCE, KERNEL)
    reach = {"self-attention": DISTANCE, "recurrent": 1, "convolution": KERNEL - 1}[architecture]
    return [min(step * reach, DISTANCE) for step in range(count + 1)]


def paths() -> Figure:
    """Lesson 7: one step, one step a token, or a few."""
    draw = Drawing(760, 385)
    for number, (architecture, color) in enumerate(_ROWS):
        y = 85 + 120 * number
        spots = _tokens(draw, y)
        stops = _hops(architecture)
        for start, end in pairwise(stops):
            draw.hop(spots[start].top, spots[end].top, color)
        steps = len(stops) - 1
        said = f"{steps} step" if steps == 1 else f"{steps} steps"
        name = architecture + (f", kernel {KERNEL}" if architecture == "convolution" else "")
        draw.text((20, y + 8), name, anchor="start", bold=True)
        draw.text((20, y + 26), said, anchor="start")
    told = "; ".join(
        f"{architecture}, {' to '.join(map(str, _hops(architecture)))}" for architecture, _ in _ROWS
    )
    return draw.figure(
        f"How a signal gets from token 0 to token {DISTANCE}. By way of these tokens: {told}. The "
        f"convolution has a kernel of {KERNEL}: each layer reaches {KERNEL - 1} tokens back."
    )


FIGURES: dict[str, Callable[[], Figure]] = {"cost": cost, "paths": paths}
