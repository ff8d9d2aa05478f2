"""Whatever a learner's process may answer, there is a result, a line and a page.

A process can send any plain data: each part's right answers are changed here and there into odd
ones, and have to be judged, named and told without an error of the grader's.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.test_hostile import COURSE, solved_cells

from onehead import families
from onehead.grade import drawn, mark_outcomes
from onehead.model import Case, Error, Exercise, ExerciseResult, Opaque, Outcome, Part, Result
from onehead.reports import html, jsonl, text
from onehead.sandbox import Box, Limits
from onehead.session import Session
from onehead.shrink import with_counterexamples
from onehead.source import Cell, Source

ROUNDS = 3
TEXTS = ["", "x" * 4000, "\x1b[31m\u202e::error::x", "=1+1", "<script>", "ValueError"]
NUMBERS = [True, False, 0, -1, 2**63, 10**1200, -0.0, math.nan, math.inf, -math.inf, 1e308, 5e-324]
SCALARS = [
    *TEXTS, *NUMBERS, None, ..., Opaque("f"), Opaque(""), np.float64("nan"), np.int8(-128),
    np.uint64(2**64 - 1), np.float16(65504), np.float32("inf"), np.bool_(True),
]  # fmt: skip
KEYS = [None, True, -5, 1.5, math.nan, "extra", "x" * 4000, Opaque("k")]
CODES = ["b1", "i1", "i8", "u1", "u8", "f2", "f4", "f8"]
ERRORS = [
    Error("ValueError", ("ValueError", "Exception"), "3 4", "cell 1", -(10**30)),
    Error("<b>", ("NotImplementedError",), "\x1b"),
    Error("", (), ""),
]


def entries(draw: random.Random) -> np.ndarray[Any, Any]:
    """An array of any shape and dtype, of any bits."""
    code = draw.choice(CODES)
    shape = [draw.choice([0, 1, 2, 3, 5]) for _ in range(draw.choice([0, 1, 2, 2, 3, 6]))]
    raw = np.frombuffer(draw.randbytes(math.prod(shape) * int(code[1:])), code.replace("b", "u"))
    return (raw > 127 if code == "b1" else raw.copy()).reshape(shape)


def odd(draw: random.Random, depth: int = 0) -> Any:
    kind = draw.random()
    if kind < 0.5 or depth > 4:
        return draw.choice(SCALARS)
    if kind < 0.7:
        return entries(draw)
    items = [odd(draw, depth + 1) for _ in range(draw.choice([0, 1, 2, 5, 20]))]
    if kind < 0.9:
        return items if kind < 0.8 else tuple(items)
    return {draw.choice(KEYS): item for item in items}


def changed(draw: random.Random, value: Any) -> Any:
    """A value with something odd in it, or instead of it."""
    if draw.random() < 0.15:
        return odd(draw)
    if isinstance(value, dict):
        pairs = [(key, value[key]) for key in value if draw.random() > 0.05]
        return {
            draw.choice(KEYS) if draw.random() < 0.05 else key: (
                changed(draw, item) if draw.random() < 0.4 else item
            )
            for key, item in pairs
        }
    if isinstance(value, list | tuple):
        return type(value)(changed(draw, x) if draw.random() < 0.4 else x for x in value)
    return changed_array(draw, value) if isinstance(value, np.ndarray) else odd(draw)


def changed_array(draw: random.Random, value: np.ndarray[Any, Any]) -> Any:
    with np.errstate(all="ignore"):
        return draw.choice(
            [
                lambda: value.astype(draw.choice(CODES)),
                lambda: value * draw.choice([0, -1, 1e300, math.nan, math.inf, 1e-320]),
                lambda: np.where(np.arange(value.size).reshape(value.shape) == 0, math.nan, value),
                lambda: value.T,
                lambda: value[None],
                lambda: value[..., :1],
                lambda: value.tolist(),
                lambda: entries(draw),
            ]
        )()


def right(exercise: Exercise, box: Box) -> Iterator[tuple[Part, dict[str, Outcome]]]:
    """Each part with its right outcomes by case."""
    cells = (Cell(f"cell {k}", code) for k, code in enumerate(solved_cells(exercise.stem), 1))
    with Session(Source("ok", tuple(cells), notebook=True), box) as session:
        learner = session.learner() if exercise.draws else None
        for part in (drawn(part, learner) for part in exercise.parts):
            yield part, {c.name: session.ask(part, c) for c in families.planned(part)}


def odd_outcome(draw: random.Random, outcome: Outcome) -> Outcome:
    kind = draw.random()
    if kind < 0.05:
        return Outcome("raised", error=draw.choice(ERRORS))
    if kind < 0.07:
        return Outcome("missing")
    value = changed(draw, outcome.value)
    again = (changed(draw, outcome.value),) if kind > 0.9 else ()
    return replace(outcome, status="returned", value=value, error=None, again=again)


def check_reports(exercise: Exercise, part: Part, outcomes: dict[str, Outcome]) -> None:
    def smaller(cases: Sequence[Case]) -> dict[str, Outcome]:
        return {c.name: odd for c, odd in zip(cases, outcomes.values(), strict=False)}

    result = with_counterexamples(part, mark_outcomes(part, outcomes), smaller)
    whole = Result("n", (ExerciseResult(exercise.id, "graded", part.points, (result,)),))
    line = jsonl.to_line(whole)
    assert len(line) < 40_000
    assert jsonl.from_line(line).score == whole.score
    html.page(whole)
    text.part_text(result)


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits(), "process") as box:
        yield box


@pytest.mark.parametrize("id", COURSE)
def test_odd_answers_have_a_result(box: Box, id: str) -> None:
    exercise = COURSE[id]
    for part, outcomes in right(exercise, box):
        draw = random.Random(f"{id} {part.name}")
        for share in [0.2, *[1.0] * (ROUNDS - 1)]:
            check_reports(
                exercise,
                part,
                {
                    name: odd_outcome(draw, outcome) if draw.random() < share else outcome
                    for name, outcome in outcomes.items()
                },
            )


@pytest.mark.parametrize("id", COURSE)
def test_one_odd_answer_to_everything_has_a_result(box: Box, id: str) -> None:
    exercise = COURSE[id]
    for part, outcomes in right(exercise, box):
        draw = random.Random(f"all {id} {part.name}")
        for value in [entries(draw), [entries(draw)], odd(draw), draw.choice(SCALARS)]:
            same = Outcome("returned", value)
            check_reports(exercise, part, dict.fromkeys(outcomes, same))
