"""Known mistakes in shapes, counts and costs: whole numbers, and names of stages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from onehead.model import Misconception, Names, NotReached
from onehead_solutions.wrong.names import known, of_stages

Counted = Callable[[Names], Mapping[str, Any]]


def _counted(name: str, count: Counted, *keys: str, says: str = "") -> Misconception:
    def entry(key: str) -> Callable[[Names, Names], Any]:
        return lambda i, e: count(i)[key]

    return of_stages(name, {key: entry(key) for key in keys}, says)


# --- shapes ------------------------------------------------------------------------------


def _without_batch(i: Names) -> dict[str, tuple[int, ...]]:
    return {
        "layer_input": (i.tokens, i.d_model),
        "layer_output": (i.tokens, i.d_model),
        "scores": (i.tokens, i.tokens),
        "context": (i.tokens, i.d_v),
    }


_ACROSS = "Tokens of different items are paired: items do not meet."


def _long_scores(i: Names, e: Names) -> tuple[int, ...]:
    return i.batch * i.tokens, i.batch * i.tokens


def _wide_scores(i: Names, e: Names) -> tuple[int, ...]:
    return i.batch, i.tokens, i.batch * i.tokens


SHAPES = (
    _counted(
        "batch-axis-missing", _without_batch, "layer_input", "layer_output", "scores", "context"
    ),
    known(
        "output-skipped",
        "The layer is given the width of the values: its output has to be as wide as its input.",
        layer_output=lambda i, e: (i.batch, i.tokens, i.d_v),
    ),
    *(known("batch-flattened", _ACROSS, scores=shape) for shape in (_long_scores, _wide_scores)),
    known("reading-model-wide", reading=lambda i, e: (i.d_model,)),
    known(
        "scores-feature-wide",
        scores=lambda i, e: (i.batch, i.tokens, i.d_k),
    ),
    known("features-compared", scores=lambda i, e: (i.batch, i.d_k, i.d_k)),
)

# --- parameters --------------------------------------------------------------------------

_COUNTED = ("W_Q", "W_K", "W_V", "W_O", "total")


def _parameters(
    i: Names, bias: bool | None = None, square: bool = False, times: int = 1
) -> dict[str, int]:
    d, k, v = i.d_model, (i.d_model if square else i.d_k), (i.d_model if square else i.d_v)
    b = i.get("bias", False) if bias is None else bias
    counts = {
        "W_Q": times * (d * k + b * k),
        "W_K": times * (d * k + b * k),
        "W_V": times * (d * v + b * v),
        "W_O": times * (v * d + b * d),
    }
    return counts | {"total": sum(counts.values())}


def _biased(i: Names, width: Callable[[str, Names], int]) -> dict[str, int]:
    counts = _parameters(i, bias=False)
    counts.pop("total")
    if i.get("bias", False):
        counts = {W: n + width(W, i) for W, n in counts.items()}
    return counts | {"total": sum(counts.values())}


def _without_output(i: Names) -> dict[str, int]:
    counts = _parameters(i)
    return {"W_O": 0, "total": counts["total"] - counts["W_O"]}


def _bare_without_output(i: Names) -> dict[str, int]:
    """Two mistakes at once: the total of counts without biases leaves W_O out."""
    counts = _parameters(i, bias=False)
    return counts | {"total": counts["total"] - counts["W_O"]}


def _heads() -> Iterator[Misconception]:
    """A count for so many heads, each as wide as the one that there is."""
    for heads in (2, 4, 8, 12, 16):

        def count(i: Names, heads: int = heads) -> dict[str, int]:
            return _parameters(i, times=heads)

        yield _counted("count-heads", count, *_COUNTED)


def _total_with(more: Callable[[Mapping[str, int]], int]) -> Counted:
    def count(i: Names) -> dict[str, int]:
        counts = _parameters(i)
        return {"total": counts["total"] + more(counts)}

    return count


COUNTS = (
    _counted("count-output-missing", _without_output, "W_O", "total"),
    known("count-output-missing", total=lambda i, e: e.W_Q + e.W_K + e.W_V),
    _counted("count-bias-missing", lambda i: _parameters(i, bias=False), *_COUNTED),
    _counted("count-bias-missing", _bare_without_output, *_COUNTED),
    _counted("count-bias-always", lambda i: _parameters(i, bias=True), *_COUNTED),
    _counted("count-square", lambda i: _parameters(i, square=True), *_COUNTED),
    # Two mistakes at once, told by the first.
    _counted("count-square", lambda i: _parameters(i, False, square=True), *_COUNTED),
    _counted("count-square", lambda i: _parameters(i, True, square=True), *_COUNTED),
    _counted("count-bias-single", lambda i: _biased(i, lambda W, i: 1), *_COUNTED),
    _counted(
        "count-bias-width",
        lambda i: _biased(i, lambda W, i: i.d_v if W == "W_O" else i.d_model),
        *_COUNTED,
    ),
    _counted("count-bias-width", lambda i: _biased(i, lambda W, i: i.d_model), *_COUNTED),
    _counted(
        "count-bias-in-total",
        lambda i: _parameters(i, bias=False),
        *_COUNTED[:-1],
    ),
    _counted("count-total-twice", _total_with(lambda counts: counts["total"]), "total"),
    *_heads(),
)

# --- costs -------------------------------------------------------------------------------

_WORK = ("projections", "scores", "weighted_sum", "output_projection")
_SQUARE = ("scores", "weighted_sum", "score_entries", "total")
_ALL = (*_WORK, "total", "score_entries")


def _costs(
    i: Names,
    keys: int | None = None,
    times: float = 1,
    batch: int | None = None,
    tokens: int | None = None,
) -> dict[str, int]:
    """``keys`` is how many keys a query meets; ``times`` the operations of a multiply-add."""
    B = i.get("batch", 1) if batch is None else batch
    T = i.T if tokens is None else tokens
    pairs = B * T * (T if keys is None else keys)
    cost = {
        "projections": B * T * i.d_model * (2 * i.d_k + i.d_v),
        "scores": pairs * i.d_k,
        "weighted_sum": pairs * i.d_v,
        "output_projection": B * T * i.d_v * i.d_model,
    }
    total = {"total": sum(cost.values())}
    return {key: int(times * n) for key, n in (cost | total).items()} | {"score_entries": pairs}


def _with(change: Callable[[Names, dict[str, int]], Mapping[str, int]]) -> Counted:
    """Costs of which some are counted otherwise; the total follows."""

    def count(i: Names) -> dict[str, int]:
        cost = _costs(i)
        cost |= change(i, cost)
        return cost | {"total": sum(cost[key] for key in _WORK)}

    return count


def _pairs(i: Names, pairs: Callable[[int], int]) -> dict[str, int]:
    """So many pairs of each item are counted."""
    return _of_pairs(i, i.get("batch", 1) * pairs(i.T))


def _of_pairs(i: Names, n: int) -> dict[str, int]:
    return {"scores": n * i.d_k, "weighted_sum": n * i.d_v, "score_entries": n}


def _halved(i: Names, cost: Mapping[str, int]) -> dict[str, int]:
    return {key: cost[key] // 2 for key in ("scores", "weighted_sum", "score_entries")}


def _joined(i: Names) -> dict[str, int]:
    return _costs(i, batch=1, tokens=i.get("batch", 1) * i.T)


def _wrapped(i: Names) -> dict[str, int]:
    return {key: (n + 2**31) % 2**32 - 2**31 for key, n in _costs(i).items()}


def _total_of(*keys: str) -> Counted:
    return lambda i: {"total": sum(_costs(i)[key] for key in keys)}


def _partly(name: str, counted: Counted, *keys: str) -> Misconception:
    """Some of the costs are counted otherwise, and the total follows."""
    count = _with(lambda i, c: {key: counted(i)[key] for key in keys})
    return _counted(name, count, *keys, "total")


def _each_cost(per_pair: Callable[[Names], int]) -> Counted:
    """Scores and weighted sum at so many multiply-adds a pair."""

    def count(i: Names) -> dict[str, int]:
        n = _costs(i)["score_entries"] * per_pair(i)
        return {"scores": n, "weighted_sum": n}

    return count


# What a token is said to cost, whatever the number of keys that it meets.
PerToken = Callable[[Names], int]
_WIDTHS: tuple[PerToken, ...] = (
    lambda i: i.d_k,
    lambda i: i.d_v,
    lambda i: i.d_model,
    lambda i: i.d_k**2,
    lambda i: i.d_v**2,
    lambda i: i.d_model**2,
    lambda i: i.d_k * i.d_v,
    lambda i: i.d_model * i.d_k,
    lambda i: i.d_model * i.d_v,
)


def _linear(scores: PerToken | None, weighted: PerToken | None) -> Counted:
    """Scores, the weighted sum or both as a cost of each token alone."""

    def count(i: Names) -> dict[str, int]:
        cost = _costs(i)
        for key, width in (("scores", scores), ("weighted_sum", weighted)):
            if width is not None:
                cost[key] = i.get("batch", 1) * i.T * width(i)
        return cost

    return count


def _moved(scores: PerToken | None, weighted: PerToken | None) -> tuple[str, ...]:
    pairs = (("scores", scores), ("weighted_sum", weighted))
    return tuple(key for key, width in pairs if width is not None)


def _projecting(count: Callable[[Names], int]) -> Counted:
    return lambda i: {"projections": i.get("batch", 1) * i.T * i.d_model * count(i)}


def _seen_pairs(pairs: Callable[[int], int]) -> Counted:
    return lambda i: _pairs(i, pairs)


_SEEN: tuple[Counted, ...] = (
    _seen_pairs(lambda T: T * (T + 1) // 2),
    _seen_pairs(lambda T: T * T // 2),
    _seen_pairs(lambda T: T * (T - 1) // 2),
    lambda i: _of_pairs(i, i.get("batch", 1) * i.T**2 // 2),
    lambda i: _halved(i, _costs(i)),
)


def _in_flops(counted: Counted) -> Counted:
    """Two mistakes at once: what is counted is counted as two operations a multiply-add."""
    return lambda i: {key: 2 * n for key, n in counted(i).items()}


def _square(i: Names) -> dict[str, int]:
    return _costs(Names({**i, "d_k": i.d_model, "d_v": i.d_model}))


_JOINED = "The batch is counted as one long sequence: items do not meet."

COSTS = (
    _counted("cost-linear", lambda i: _costs(i, keys=1), *_SQUARE),
    _counted("cost-linear", lambda i: {"score_entries": i.get("batch", 1) * i.T}, "score_entries"),
    *(
        _partly("cost-linear", _linear(scores, weighted), *_moved(scores, weighted))
        for scores in (None, *_WIDTHS)
        for weighted in (None, *_WIDTHS)
        if scores or weighted
    ),
    _counted("cost-flops", lambda i: _costs(i, times=2), *_WORK, "total"),
    *(
        _partly("cost-causal-discount", seen, *keys)
        for seen in _SEEN
        for keys in (("scores", "weighted_sum", "score_entries"), ("scores", "weighted_sum"))
    ),
    *(_partly("cost-causal-discount", seen, "scores") for seen in _SEEN),
    _counted(
        "cost-causal-discount",
        _in_flops(_with(lambda i, c: _SEEN[0](i))),
        *("scores", "weighted_sum", "total"),
    ),
    _counted(
        "cost-linear", _in_flops(lambda i: _costs(i, keys=1)), "scores", "weighted_sum", "total"
    ),
    _counted("cost-one-product", _total_of("projections", "scores", "output_projection"), "total"),
    _counted(
        "cost-one-product", _total_of("projections", "weighted_sum", "output_projection"), "total"
    ),
    _partly("cost-one-product", lambda i: {"weighted_sum": 0}, "weighted_sum"),
    _partly("cost-one-product", lambda i: {"scores": 0}, "scores"),
    _partly("cost-width", _each_cost(lambda i: i.d_model), "scores"),
    _partly("cost-width", _each_cost(lambda i: i.d_model), "scores", "weighted_sum"),
    _counted("cost-batch-ignored", lambda i: _costs(i, batch=1), *_ALL),
    _counted("cost-batch-ignored", lambda i: {"score_entries": i.T * i.T}, "score_entries"),
    _counted("batch-flattened", _joined, *_SQUARE, says=_JOINED),
    _counted("count-square", _square, *_WORK, "total"),
    _partly("count-square", _square, "projections"),
    _partly("count-square", _square, "projections", "output_projection"),
    _partly("count-output-missing", lambda i: {"output_projection": 0}, "output_projection"),
    _counted("count-output-missing", _total_of("projections", "scores", "weighted_sum"), "total"),
    known("count-output-missing", total=lambda i, e: e.projections + e.scores + e.weighted_sum),
    # The first comes to the same total: what its projections show tells them apart.
    _partly("cost-projection-missing", _projecting(lambda i: 2 * i.d_k), "projections"),
    _partly("cost-projection-missing", _projecting(lambda i: i.d_k + i.d_v), "projections"),
    _partly("cost-one-projection", _projecting(lambda i: i.d_k), "projections"),
    _partly("cost-square-widths", _projecting(lambda i: 3 * i.d_k), "projections"),
    _counted("cost-entries-added", _total_of(*_WORK, "score_entries"), "total"),
    _counted("cost-overflow", _wrapped, *_ALL),
)

# --- paths and passes --------------------------------------------------------------------


def _convolution(i: Names) -> tuple[int, int]:
    """Distance and kernel of a convolution that reaches back at all."""
    kernel = i.get("kernel", 3)
    if i.architecture != "convolution" or kernel < 2:
        raise NotReached("convolution")
    return i.distance, kernel


def _layers(count: Callable[[int, int], int]) -> Callable[[Names, Names], int]:
    return lambda i, e: count(*_convolution(i))


def _step_by_step(i: Names, e: Names) -> int:
    if i.architecture != "self-attention":
        raise NotReached("attention")
    return int(i.distance)


def _between(i: Names, e: Names) -> int:
    if i.architecture != "recurrent":
        raise NotReached("recurrent")
    return int(i.distance - 1)


def _dilated(distance: int, kernel: int) -> int:
    return max(1, math.ceil(math.log(distance, kernel))) if distance > 1 else 1


def _dilated_exactly(distance: int, kernel: int) -> int:
    """Layers until a reach that grows by the kernel's power covers the distance."""
    layers, reach = 0, 1
    while reach < distance:
        reach *= kernel
        layers += 1
    return max(1, layers)


PATHS = (
    known("attention-step-by-step", length=_step_by_step),
    known("steps-between", length=_between),
    known("kernel-as-reach", length=_layers(lambda d, k: math.ceil(d / k))),
    known("layers-in-part", length=_layers(lambda d, k: d // (k - 1))),
    known("path-of-attention", length=_layers(lambda d, k: 1)),
    known("path-one-more", length=_layers(lambda d, k: d // (k - 1) + 1)),
    known("path-one-more", length=_layers(lambda d, k: math.ceil(d / (k - 1)) + 1)),
    known("convolution-centred", length=_layers(lambda d, k: math.ceil(d / max(1, (k - 1) // 2)))),
    known("convolution-centred", length=_layers(lambda d, k: math.ceil(d / max(1, k // 2)))),
    known("convolution-dilated", length=_layers(_dilated)),
    known("convolution-dilated", length=_layers(_dilated_exactly)),
    known("kernel-ignored", length=_layers(lambda d, k: math.ceil(d / 2))),
    known("kernel-ignored", length=_layers(lambda d, k: d)),
)


def _mode(i: Names, mode: str) -> int:
    if i.mode != mode:
        raise NotReached(mode)
    return int(i.tokens)


PASSES = (
    known("training-one-by-one", passes=lambda i, e: _mode(i, "training")),
    known("first-token-free", passes=lambda i, e: max(_mode(i, "generation") - 1, 0)),
    known("passes-logarithmic", passes=lambda i, e: math.ceil(math.log2(_mode(i, "generation")))),
    known(
        "passes-logarithmic",
        passes=lambda i, e: max(1, math.ceil(math.log2(_mode(i, "generation")))),
    ),
    known("passes-logarithmic", passes=lambda i, e: _mode(i, "generation").bit_length()),
    known("modes-exchanged", passes=lambda i, e: 1 if i.mode == "generation" else int(i.tokens)),
)
