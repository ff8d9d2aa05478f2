"""Cases that can tell: what every fixture and hidden case has to be like, asked of each in turn."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import onehead_solutions
from onehead import families
from onehead.course import exercise_modules
from onehead.model import Array, Case, Misconception, Names, NotReached, Outcome, Part
from onehead.signature import GENERAL
from onehead.stages import Judged, compare_stage, judge
from onehead_solutions.fixtures import tells
from onehead_solutions.practice_drawn import ANSWERS, MISTAKES_1, MISTAKES_2, MISTAKES_3
from onehead_solutions.practice_pool import POOL
from onehead_solutions.wrong import apart

# One learner for each variant of the practice set's numbers.
LEARNERS = tuple({crc32(name.encode()) % len(POOL): name for name in map(str, range(99))}.values())


def _all_parts() -> Iterator[tuple[str, tuple[ModuleType, Part]]]:
    for module in exercise_modules("onehead_solutions").values():
        exercise = module.EXERCISE
        for part in exercise.parts:
            asked_for = _for_each_learner(part) if part.name in ANSWERS else part
            yield f"{exercise.id} {part.name}", (module, asked_for)


def _for_each_learner(part: Part) -> Part:
    """A part with drawn numbers, its case asked once for each variant."""
    cases = (
        replace(case, name=f"{case.name}, {who}", inputs={**case.inputs, "LEARNER": who})
        for case in part.cases
        for who in LEARNERS
    )
    return replace(part, cases=tuple(cases))


PARTS = dict(_all_parts())

# Parts whose answer holds weights made from scores; in the lessons the scores are made from X, or
# from a query and keys, and there the cases are of every kind.
WEIGHING = [
    name
    for name, (_, part) in PARTS.items()
    if any(stage.name == "weights" and stage.want is not None for stage in part.stages)
    and part.name not in ("stable_softmax", *ANSWERS)
]
ATTENDING = [
    name
    for name in WEIGHING
    if name.startswith("lesson") and {"X", "query"} & PARTS[name][1].cases[0].inputs.keys()
]
LAYERS = [name for name in ATTENDING if "X" in PARTS[name][1].cases[0].inputs]
MASKED = [name for name in ATTENDING if any("visible" in c.inputs for c in PARTS[name][1].cases)]
PROJECTING = [*LAYERS, "lesson-02 project_sources"]

each_part = pytest.mark.parametrize("name", PARTS)
each_attending = pytest.mark.parametrize("name", ATTENDING)
each_masked = pytest.mark.parametrize("name", MASKED)


# --- dtypes ------------------------------------------------------------------------------

# Layers that are handed over compute in float64; two problems say that their numbers are float64.
FLOAT64_ONLY = {
    "lesson-06 items_interact",
    "lesson-08 audit",
    "practice batching-1",
    "practice batching-3",
    "practice interpretation-3",
}


def arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from arrays(inner)


@each_part
def test_real_numbers_are_asked_in_both_dtypes(name: str) -> None:
    _, part = PARTS[name]
    inputs = [x for case in asked(part) for value in case.inputs.values() for x in arrays(value)]
    found = {x.dtype.name for x in inputs if x.dtype.kind == "f"}
    assert found in (set(), {"float64"} if name in FLOAT64_ONLY else {"float32", "float64"})


# --- the reference's answers -------------------------------------------------------------


def asked(part: Part) -> list[Case]:
    """The cases that are answered, not refused."""
    return [case for case in part.cases if not case.raises]


def answer(module: ModuleType, part: Part, case: Case) -> Any:
    """The reference's answer to one case, in the form in which the grader gets it."""
    if part.name in ANSWERS:
        return module.solved_value(part.name, case.inputs["LEARNER"])
    reference = getattr(module, part.defined_as)
    if part.probe == "value":
        return reference
    if part.probe == "call":
        return reference(**case.inputs)
    made = reference(**{key: value for key, value in case.inputs.items() if key in part.init})
    args = {key: value for key, value in case.inputs.items() if key not in part.init}
    call, count = made(**args), made.num_parameters
    return made.trace(**args) | {"call": call, "num_parameters": count}


def judged(name: str, case: Case) -> Judged:
    return _judged(name, PARTS[name][1].cases.index(case))


@functools.cache
def _judged(name: str, k: int) -> Judged:
    module, part = PARTS[name]
    case = part.cases[k]
    return judge(part, case, Outcome("returned", answer(module, part, case)))


def weights(name: str, case: Case) -> Array:
    """The weights that a case's own inputs come to."""
    return np.asarray(judged(name, case).values["weights"])


def layer_inputs(case: Case) -> dict[str, Array]:
    return {key: value for key, value in case.inputs.items() if isinstance(value, np.ndarray)}


def numbers(case: Case) -> list[Array]:
    return [x for x in layer_inputs(case).values() if x.dtype != bool]


def sizes(case: Case) -> tuple[int, ...]:
    """([B,] T, d_model, d_k, d_v) of a layer's case, d_k and T, d_v of a reading's."""
    i = case.inputs
    if "query" in i:
        return len(i["keys"]), len(i["query"]), i["values"].shape[1]
    return *i["X"].shape, i["W_Q"].shape[1], i["W_V"].shape[1]


def tokens(case: Case) -> int:
    return len(case.inputs["keys"]) if "query" in case.inputs else case.inputs["X"].shape[-2]


def same(a: Any, b: Any) -> bool:
    """Equal in every bit, type and order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, Mapping):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a is b if callable(a) else a == b)


def frozen_copy(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {key: x if callable(x) else copy.deepcopy(x) for key, x in inputs.items()}


# --- every part --------------------------------------------------------------------------


@each_part
def test_names_are_unique(name: str) -> None:
    part = PARTS[name][1]
    names = [case.name for case in families.planned(part)]
    assert len(set(names)) == len(names)
    assert any(case.public for case in part.cases) or part.probe == "value"


@each_part
def test_the_reference_is_right_and_leaves_the_inputs_alone(name: str) -> None:
    module, part = PARTS[name]
    for case in families.planned(part):
        before = frozen_copy(case.inputs)
        if case.raises:
            with pytest.raises(ValueError, match=r".") as caught:
                answer(module, part, case)
            missing = [word for word in case.raises if word not in str(caught.value)]
            assert not missing, case.name
        else:
            value = answer(module, part, case)
            judged = judge(part, case, Outcome("returned", value))
            wrong = [c.stage for c in judged.comparisons if c.kind != "ok"]
            assert not wrong, case.name
            assert len(judged.comparisons) == len(part.stages), case.name
            assert judged.form is None, case.name
        assert same(dict(case.inputs), before), case.name


@each_part
def test_no_two_answered_cases_are_the_same_question(name: str) -> None:
    cases = asked(PARTS[name][1])
    for k, case in enumerate(cases):
        twins = [c.name for c in cases[:k] if same(dict(c.inputs), dict(case.inputs))]
        assert not twins, case.name


# --- attention ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", WEIGHING)
def test_weights_are_neither_saturated_nor_uniform(name: str) -> None:
    tried = 0
    for case in asked(PARTS[name][1]):
        found = weights(name, case)
        # One token, a row without a key, and the first row under a causal mask have no choice.
        if not case.extreme and np.count_nonzero(found, axis=-1).max() > 1:
            tried += 1
            assert tells(found), case.name
    assert tried


@each_attending
def test_sizes_differ_in_most_cases_and_are_equal_in_one(name: str) -> None:
    found = [sizes(case) for case in asked(PARTS[name][1])]
    different = [size for size in found if len(set(size)) == len(size)]
    assert len(different) > len(found) / 2
    assert any(len(set(size)) == 1 and len(size) >= 3 for size in found)


@each_attending
def test_one_token_float32_integers_and_large_scores(name: str) -> None:
    cases = asked(PARTS[name][1])
    # Of observed_and_causal one row is asked, and ablate is attend with another matrix.
    assert any(tokens(c) == 1 or {"target", "which"} & c.inputs.keys() for c in cases)
    assert any(all(x.dtype == np.float32 for x in numbers(case)) for case in cases)
    assert any(all(x.dtype.kind == "i" for x in numbers(case)) for case in cases)
    assert sum(case.extreme for case in cases) >= 2
    assert all(len({x.dtype for x in numbers(case)}) == 1 for case in cases)


@each_attending
def test_extreme_cases_have_scores_of_ten_thousand_and_others_do_not(name: str) -> None:
    """Large scores come by moving a row: their differences stay natural where keys are visible."""
    for case in asked(PARTS[name][1]):
        largest = float(np.max(np.abs(_scores(case))))
        assert largest > 1e3 if case.extreme else largest < 100, case.name


def _scores(case: Case) -> Array:
    i = {key: value.astype(np.float64) for key, value in layer_inputs(case).items()}
    if "query" in i:
        return np.asarray(i["keys"] @ i["query"] / np.sqrt(len(i["query"])))
    if "which" in case.inputs:
        i[case.inputs["which"]] = i["replacement"]
    Q, K = i["X"] @ i["W_Q"], i["X"] @ i["W_K"]
    return np.asarray(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))


@each_masked
def test_masks_of_every_kind(name: str) -> None:
    cases = asked(PARTS[name][1])
    empty = [case for case in cases if not weights(name, case).any(axis=-1).all()]
    assert empty
    masks = [case.inputs["visible"] for case in cases if case.inputs.get("visible") is not None]
    if "query" in cases[0].inputs:
        assert any(mask.any() and not mask.all() for mask in masks)
        return
    square = [mask for mask in masks if mask.shape[-1] == mask.shape[-2]]
    assert any(_neither_causal_nor_symmetric(mask) for mask in square)
    assert any(len(mask) >= 3 and _own(mask) for mask in masks if mask.ndim == 3)


def _neither_causal_nor_symmetric(mask: Array) -> bool:
    future = ~np.tri(mask.shape[-1], dtype=bool)
    return bool((mask & future).any() and (mask != mask.swapaxes(-1, -2)).any())


def _own(mask: Array) -> bool:
    return len({item.tobytes() for item in mask}) == len(mask)


@pytest.mark.parametrize("name", PROJECTING)
def test_some_inputs_are_no_float32(name: str) -> None:
    """Whole numbers are exact in float32: they hide a computation in a lower precision."""
    float64 = [c for c in asked(PARTS[name][1]) if all(x.dtype == np.float64 for x in numbers(c))]
    rounded = [c for c in float64 if all((x.astype(np.float32) != x).any() for x in numbers(c))]
    assert len(rounded) >= 4


# --- known mistakes ----------------------------------------------------------------------


def effect(name: str, mistake: Misconception) -> float:
    """How far a mistake is from what is due, in tolerances, where it is furthest."""
    _, part = PARTS[name]
    return max((_distances(part, mistake, name)), default=0.0)


def _distances(part: Part, mistake: Misconception, name: str) -> Iterator[float]:
    for case in asked(part):
        earlier, inputs = judged(name, case).earlier, Names(case.inputs)
        known = Names()
        for stage in part.stages:
            if stage.name in mistake.wrong:
                try:
                    with np.errstate(all="ignore"):
                        value = mistake.wrong[stage.name](inputs, known)
                        comparison = compare_stage(stage, inputs, known, value)
                except (NotReached, ValueError, IndexError, TypeError):
                    continue  # a case that the mistake has nothing to say on
                exact = comparison.kind != "ok" and stage.allow is None
                gross = comparison.kind in ("shape", "non-finite", "hidden")
                # What is worked by hand is right to 0.001: ten times that has to lie between.
                times = 10 if stage.by_hand else 1
                yield float("inf") if exact or gross else times * comparison.tolerances
            if stage.name in earlier:
                known[stage.name] = earlier[stage.name]


def _mistakes() -> Iterator[Any]:
    """Each name that a part's answers can bear, with the ways in which people come to it."""
    for name, (_, part) in PARTS.items():
        for mistake in {m.name: m for m in part.misconceptions if m.wrong}.values():
            if not part.name.startswith("calculation"):
                yield pytest.param(name, mistake.name, id=f"{name} {mistake.name}")


@each_part
def test_every_known_mistake_has_a_sentence_and_a_lesson(name: str) -> None:
    exercise = name.split()[0]
    lessons = [f"lesson-{k:02}" for k in range(1, 9)]
    if exercise in lessons:  # nobody is sent to what is yet to come
        lessons = lessons[: lessons.index(exercise) + 1]
    part = PARTS[name][1]
    for mistake in part.misconceptions:
        assert mistake.says.endswith("."), mistake.name
        assert mistake.reread in lessons or mistake.name in GENERAL, mistake.name


def test_mistakes_of_any_part_are_taught_in_the_first_lesson() -> None:
    for part in (part for exercise in onehead_solutions.load() for part in exercise.parts):
        assert dict(part.rereads) == dict.fromkeys(GENERAL, "lesson-01")


@pytest.mark.parametrize(("name", "mistake"), tuple(_mistakes()))
def test_every_known_mistake_shows(name: str, mistake: str) -> None:
    ways = [m for m in PARTS[name][1].misconceptions if m.name == mistake]
    assert max(effect(name, way) for way in ways) >= 100


@pytest.mark.parametrize(
    ("name", "mistake", "compute"),
    [
        pytest.param(f"calculation-{k}", mistake, compute, id=f"calculation-{k} {mistake}")
        for k, mistakes in enumerate((MISTAKES_1, MISTAKES_2, MISTAKES_3), start=1)
        for mistake, compute in dict(reversed(mistakes)).items()
    ],
)
def test_a_mistake_shows_in_the_learners_numbers(name: str, mistake: str, compute: Any) -> None:
    """These are right to 0.001, and asked once: ten times that has to lie between.

    What many forget shows to every learner; the rest to most.
    """
    hidden = [v for v in POOL if not apart(compute(v), ANSWERS[name](v))]
    every = mistake.startswith("scale-by-d") or mistake in ("scale-missing", "mask-missing")
    assert len(hidden) <= (0 if every else 6)
