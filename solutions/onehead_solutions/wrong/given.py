"""Known mistakes in the practice set's masks, weights and layers, where a single value is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.model import Array, Misconception, Names
from onehead_solutions.attention import causal, visible_softmax
from onehead_solutions.wrong.names import Wrong, of_stages
from onehead_solutions.wrong.rules import CHANGES
from onehead_solutions.wrong.steps import (
    CONTEXT,
    KEYS,
    OUTPUT,
    QUERIES,
    SCORES,
    VALUES,
    Step,
    by_rule,
    changed,
    own_mask,
    through,
    two_steps,
    weight_steps,
)
from onehead_solutions.wrong.traces import BATCH_STEPS, ITEM_WEIGHTS, keys_of_matrix

Mask = Callable[[Names], Array]
Masks = Iterator[Misconception]
Given = Callable[[Names], Mapping[str, Array]]  # the stages of a chain that a part starts from


def masks(
    stage: str,
    due: Mask,
    causal: Mask | None = None,
    other: Mask | None = None,
    both: bool = True,
) -> Masks:
    """The ways to get a mask wrong: as a whole, or in its causal or its other half."""
    for name, wrong in changed(lambda i, e: due(i)):
        yield of_stages(name, {stage: wrong})
    if causal is not None and other is not None:
        for name, change in CHANGES:
            yield of_stages(name, {stage: _one_half(causal, other, change)})
            if both and name in ("mask-missing", "mask-inverted"):
                yield of_stages(name, {stage: _one_half(other, causal, change)})


def _one_half(half: Mask, other: Mask, change: Callable[[Array], Array]) -> Wrong:
    return lambda i, e: change(half(i)) & other(i)


def weights_of(
    given: Given, *, scores: bool, without: Iterable[str] = ()
) -> Iterator[Misconception]:
    """Wrong weights from given queries and keys, or from given scores, under a given mask."""
    hidden = set(without)
    rules = weight_steps(own_mask, hidden)
    steps: list[tuple[str, Step]] = [("weights", step) for step in rules]
    if not scores:
        steps += [("scores", step) for step in SCORES if step[0] in _OF_PAIRS]
    for stage, (name, wrong) in steps:
        if name not in hidden:
            yield of_stages(name, {"weights": _chain(given, {stage: wrong}, "weights")})


_NOTHING = np.zeros((1, 1))  # what a part is not given: no wrong step asks for it
_OF_PAIRS = (
    "scale-missing",
    "scale-by-dk",
    "scale-inverted",
    "scale-by-tokens",
    "qk-swapped",
    "keys-reshaped",
)


def under_masks(given: Given, mistakes: Iterable[Misconception]) -> Iterator[Misconception]:
    """Weights under another mask than the one that is due."""
    for mistake in mistakes:
        wrong = by_rule(visible_softmax, mistake.wrong["visible"])
        yield replace(mistake, wrong={"weights": _chain(given, {"weights": wrong}, "weights")})


def over_items(given: Given) -> Iterator[Misconception]:
    """Wrong weights of a batch that mix its items."""
    for name, wrong in ITEM_WEIGHTS:
        yield of_stages(name, {"weights": _chain(given, {"weights": wrong}, "weights")})
    for mistake in BATCH_STEPS:
        if mistake.name.startswith(("batch", "transpose")) and "scores" in mistake.wrong:
            wrong = mistake.wrong["scores"]
            yield replace(mistake, wrong={"weights": _chain(given, {"scores": wrong}, "weights")})


def _chain(given: Given, steps: Mapping[str, Wrong], until: str) -> Wrong:
    def value(i: Names, e: Names) -> Any:
        if "X" in i:
            return through(i, given(i), steps, until)[until]
        nothing = dict.fromkeys(("Q", "K", "V"), _NOTHING)
        inputs = Names({**i, "X": _NOTHING})
        return through(inputs, {**nothing, **given(i)}, steps, until)[until]

    return value


def _causal(i: Names, e: Names) -> Array:
    return causal(np.shape(i.X)[-2])


def _causal_given(i: Names) -> Mapping[str, Array]:
    *items, tokens, _ = np.shape(i.X)
    return {"visible": np.broadcast_to(causal(tokens), (*items, tokens, tokens))}


def outputs(without: Iterable[str] = ()) -> Iterator[Misconception]:
    """The output of a causal layer, of a sequence or a batch, with one wrong step in it."""
    hidden = set(without)
    batch: dict[str, list[Step]] = {}
    for mistake in BATCH_STEPS:
        for stage, wrong in mistake.wrong.items():
            batch.setdefault(stage, []).append((mistake.name, wrong))
    steps: Mapping[str, Iterable[Step]] = {
        "Q": QUERIES,
        "K": KEYS,
        "V": VALUES,
        "scores": SCORES,
        "visible": changed(_causal),
        "weights": [*weight_steps(), *ITEM_WEIGHTS, ("softmax-over-queries", keys_of_matrix)],
        "context": CONTEXT,
        "output": OUTPUT,
    }
    for stage, of_stage in steps.items():
        for name, wrong in dict.fromkeys([*of_stage, *batch.get(stage, ())]):
            if name not in hidden:
                yield of_stages(name, {"output": _chain(_causal_given, {stage: wrong}, "output")})
    for name, two in two_steps(_causal):
        yield of_stages(name, {"output": _chain(_causal_given, two, "output")})
