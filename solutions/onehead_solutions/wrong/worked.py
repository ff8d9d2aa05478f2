"""Numbers worked by hand: what comes of one wrong step, where a single row is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from onehead.model import Array, Names, NotReached
from onehead_solutions.attention import causal
from onehead_solutions.wrong.names import Wrong
from onehead_solutions.wrong.steps import (
    CONTEXT,
    KEYS,
    OUTPUT,
    QUERIES,
    SCORES,
    VALUES,
    Step,
    changed,
    through,
    weight_steps,
)
from onehead_solutions.wrong.traces import FULL_ROWS

APART = 0.01  # numbers that a thousandth in each cannot make one
_COMPARED = 4  # variants; all of them would cost every start of the grader half a second
Numbers = Array | None  # None: the step cannot be taken, or needs what is not given
Worked = tuple[str, Callable[[Any], Numbers]]  # a mistake's name, and what comes of it
Given = Callable[[Any], Names]


def causal_chain(without: Iterable[str] = ()) -> Iterator[tuple[str, Step]]:
    """The wrong steps of a causal layer of one sequence, by the stage that each is made in."""
    hidden = set(without)
    steps: Mapping[str, Iterable[Step]] = {
        "Q": QUERIES,
        "K": KEYS,
        "V": VALUES,
        "scores": SCORES,
        "visible": changed(lambda i, e: causal(e.scores.shape[-1])),
        "weights": weight_steps(without=FULL_ROWS),
        "context": CONTEXT,
        "output": OUTPUT,
    }
    for stage, of_stage in steps.items():
        yield from ((stage, step) for step in of_stage if step[0] not in hidden)


def apart(a: Numbers, b: Numbers) -> bool:
    """Whether two rows of numbers are told from each other."""
    if a is None or b is None or a.shape != b.shape:
        return a is not b
    return bool(np.max(np.abs(a - b)) > APART)


def worked(
    variants: Sequence[Any], given: Given, until: str, row: int, without: Iterable[str] = ()
) -> Iterator[Worked]:
    """What each wrong step makes of a row of the stage ``until``, where that is wrong.

    Steps that make the same numbers in each of some variants are one mistake: the first of them.
    """
    found: list[list[Numbers]] = []
    variants = variants[:_COMPARED]
    right = [_row(given, until, row, {}, v) for v in variants]
    for stage, (name, step) in causal_chain(without):
        compute = partial(_row, given, until, row, {stage: step})
        if name == "mask-zero-fill":
            compute = partial(_unlike, compute, partial(_row, given, until, row, {"visible": _all}))
        numbers = [compute(v) for v in variants]
        if all(x is None or not apart(x, due) for x, due in zip(numbers, right, strict=True)):
            continue
        if any(not any(map(apart, numbers, others)) for others in found):
            continue
        found.append(numbers)
        yield name, compute


def _all(i: Names, e: Names) -> Array:
    return np.ones_like(i.visible)


def _unlike(compute: Callable[[Any], Numbers], other: Callable[[Any], Numbers], v: Any) -> Numbers:
    """Nothing where another mistake makes the same: a hidden score that is 0 is as if unmasked."""
    made = compute(v)
    return made if apart(made, other(v)) else None


def _row(given: Given, until: str, row: int, steps: Mapping[str, Wrong], variant: Any) -> Numbers:
    i = given(variant)
    try:
        with np.errstate(all="ignore"):
            value = np.asarray(through(i, i, steps, until)[until][row], dtype=np.float64)
    except (NotReached, AttributeError, KeyError, IndexError, ValueError):
        return None
    return value if np.isfinite(value).all() else None
