"""How data flow through the layer, each matrix drawn at the shape that the reference gives it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from onehead.model import Array
from onehead_release.figures.drawing import FAINT, GREY, Drawing, Figure, Spot, where
from onehead_solutions.attention import scaled_scores
from onehead_solutions.batch_axis import batched_self_attention
from onehead_solutions.fixtures import FOUR_TOKENS, FOUR_TOKENS_W_O
from onehead_solutions.matrix_form import causal_mask
from onehead_solutions.one_reading import attention_reading


def _trace() -> dict[str, Array]:
    """The four tokens' matrices and stages, without a batch axis."""
    X = FOUR_TOKENS["X"]
    matrices = {name: FOUR_TOKENS[name] for name in ("W_Q", "W_K", "W_V")}
    matrices["W_O"] = FOUR_TOKENS_W_O
    trace = batched_self_attention(X[None], visible=causal_mask(len(X)), **matrices)
    return {"X": X} | matrices | {name: stage[0] for name, stage in trace.items()}


def _told(array: Array, digits: int = 0) -> Callable[[int, int], str]:
    """What stands in the cells of a matrix: its numbers, with a true minus sign."""
    table = array.reshape(-1, array.shape[-1])
    return lambda row, column: f"{table[row, column]:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def one_reading() -> Figure:
    """Lesson 1: one query against four keys and values, with their numbers."""
    trace = _trace()
    query, keys, values = trace["Q"][2], trace["K"], trace["V"]
    scores = scaled_scores(query[None], keys)[0]
    weights, reading = attention_reading(query, keys, values)
    draw = Drawing(900, 205)
    middle, cell = 90, 33

    def vector(x: float, array: Array, name: str, digits: int) -> Spot:
        shape, below = (1, len(array)), f"({len(array)},)"
        told = _told(array, digits)
        return draw.matrix(x, middle - cell / 2, shape, name, below=below, words=told, cell=cell)

    def table(x: float, array: Array, name: str) -> Spot:
        y, told = middle - cell / 2 * len(array), _told(array)
        return draw.matrix(x, y, array.shape, name, fill=GREY, words=told, cell=cell)

    spots = [
        vector(15, query, "query", 0),
        table(185, keys, "keys"),
        vector(360, scores, "scores", 1),
        vector(545, weights, "weights", 2),
        table(718, values, "values"),
        vector(822, reading, "reading", 2),
    ]
    for left, right in pairwise(spots):
        draw.arrow((left.right[0] + 6, middle), (right.left[0] - 6, middle))
    for x, words in ((339, "compare"), (519, "softmax"), (803, "mix")):
        draw.text((x, 192), words, color=FAINT)
    return draw.figure(
        f"One reading, from left to right. The query, {len(query)} numbers, is compared with the "
        f"keys, a matrix of shape {keys.shape}. That gives {len(scores)} scores, "
        f"{_listed(scores, 1)}. Softmax makes weights of them, {_listed(weights, 2)}. The weights "
        f"mix the values, a matrix of shape {values.shape}, into the reading, "
        f"{_listed(reading, 2)}."
    )


def _listed(array: Array, digits: int) -> str:
    return ", ".join(f"{number:.{digits}f}" for number in array)


def layer() -> Figure:
    """Lesson 1: what a layer takes and gives, for several sequences."""
    X, output = _trace()["X"], _trace()["output"]
    draw = Drawing(640, 190)

    def sheets(x: float, array: Array, name: str) -> Spot:
        for depth in (2, 1):
            offset = 9 * depth
            draw.box(x + offset, 62 - offset, 3 * 22, 4 * 22, fill=GREY)
        below = "(B, T, d_model)"
        return draw.matrix(x, 62, array.shape, "", below=below, cell=22)

    taken, given = sheets(60, X, "X"), sheets(480, output, "output")
    draw.text((taken.top[0] + 9, 30), "X", bold=True)
    draw.text((given.top[0] + 9, 30), "output", bold=True)
    inside = draw.box(220, 66, 175, 80, ("the layer", "W_Q, W_K, W_V, W_O"))
    draw.arrow((taken.right[0] + 26, 106), (inside.left[0] - 4, 106))
    draw.arrow((inside.right[0] + 4, 106), (given.left[0] - 6, 106))
    return draw.figure(
        "A box, the layer, with its four matrices W_Q, W_K, W_V and W_O. X goes in, of shape "
        "(B, T, d_model): a stack of B tables with a row for each token. The output comes out and "
        "has the same shape."
    )


# --- the whole layer ---------------------------------------------------------------------

_TOP, _MIDDLE, _LOW = 45, 155, 265  # where Q, K and V stand


def _projections(draw: Drawing, trace: dict[str, Array]) -> tuple[Spot, Spot, Spot]:
    """X, its three matrices, and Q, K and V."""
    source = draw.matrix(20, _MIDDLE, trace["X"].shape, "X")
    made = []
    for y, letter in ((_TOP, "Q"), (_MIDDLE, "K"), (_LOW, "V")):
        learned = trace[f"W_{letter}"]
        matrix = draw.matrix(125, y + 7, learned.shape, f"W_{letter}", fill=GREY)
        result = draw.matrix(235, y, trace[letter].shape, letter)
        draw.arrow((source.right[0] + 5, source.right[1]), (120, y + 28))
        draw.arrow((matrix.right[0] + 5, y + 28), (230, y + 28))
        made.append(result)
    return made[0], made[1], made[2]


def _weights(draw: Drawing, trace: dict[str, Array], Q: Spot, K: Spot) -> Spot:
    """Scores, mask and weights."""
    y = (_TOP + _MIDDLE) / 2
    scores = draw.matrix(350, y, trace["scores"].shape, "scores")
    for spot in (Q, K):
        draw.arrow((spot.right[0] + 5, spot.right[1]), (scores.x - 5, y + 28))
    seen = trace["visible"]
    mask = draw.matrix(450, 28, seen.shape, "visible", filled=where(seen))
    weights = draw.matrix(550, y, trace["weights"].shape, "weights", filled=where(seen))
    draw.arrow((scores.right[0] + 5, y + 28), (weights.x - 5, y + 28))
    draw.arrow((mask.right[0] + 5, mask.right[1] + 12), (weights.x - 5, y + 16))
    draw.text((478, y + 45), "softmax", color=FAINT)
    return weights


def _context(draw: Drawing, trace: dict[str, Array], weights: Spot, V: Spot) -> Spot:
    y = 210
    context = draw.matrix(655, y, trace["context"].shape, "context")
    end = (context.x - 5, y + 28)
    draw.arrow((weights.right[0] + 5, weights.right[1]), end)
    draw.arrow((V.right[0] + 5, V.right[1]), end)
    return context


_CHAIN = (
    "X, of shape {X}, is multiplied by W_Q {W_Q}, W_K {W_K} and W_V {W_V}, which gives Q {Q}, "
    "K {K} and V {V}. Q and K meet in the scores {scores}. A mask, visible {visible}, removes the "
    "entries above the diagonal, and softmax makes the weights {weights} of what is left. Weights "
    "and V give the context {context}."
)


def _said(trace: dict[str, Array], text: str) -> str:
    return text.format(**{name: array.shape for name, array in trace.items()})


def matrix_form() -> Figure:
    """Lesson 4: from X to the context, for the four tokens."""
    trace = _trace()
    draw = Drawing(720, 360)
    Q, K, V = _projections(draw, trace)
    _context(draw, trace, _weights(draw, trace, Q, K), V)
    return draw.figure(_said(trace, _CHAIN))


def with_output() -> Figure:
    """Lesson 5: from X to the output, which is as wide as X."""
    trace = _trace()
    draw = Drawing(900, 360)
    Q, K, V = _projections(draw, trace)
    context = _context(draw, trace, _weights(draw, trace, Q, K), V)
    middle = context.right[1]
    learned = draw.matrix(735, middle - 14, trace["W_O"].shape, "W_O", fill=GREY)
    output = draw.matrix(830, middle - 28, trace["output"].shape, "output", fill="#fbe0cc")
    draw.arrow((context.right[0] + 5, middle), (learned.x - 5, middle))
    draw.arrow((learned.right[0] + 5, middle), (output.x - 5, middle))
    last = " W_O {W_O} brings it to the output {output}, the shape of X."
    return draw.figure(_said(trace, _CHAIN + last))


FIGURES: dict[str, Callable[[], Figure]] = {
    "one-reading": one_reading,
    "layer": layer,
    "matrix-form": matrix_form,
    "with-output": with_output,
}
