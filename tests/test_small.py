"""Small cases: right answers are right on them, known mistakes show on them, and they are small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.test_cases import same

from onehead import families
from onehead.course import exercise_modules
from onehead.evidence import call
from onehead.grade import mark_outcomes
from onehead.model import Case, Error, Misconception, Outcome
from onehead.shrink import shows, with_counterexamples
from onehead.stages import judge
from onehead_solutions import output_projection, projections
from onehead_solutions.attention import visible_softmax

PARTS = {
    f"{exercise.id} {part.name}": (module, part)
    for module in exercise_modules("onehead_solutions").values()
    for exercise in (module.EXERCISE,)
    for part in exercise.parts
    if part.small
}
each_part = pytest.mark.parametrize("name", PARTS)


def answer(name: str, case: Case) -> Outcome:
    """What the reference answers."""
    module, part = PARTS[name]
    inputs = {key: np.copy(x) if isinstance(x, np.ndarray) else x for key, x in case.inputs.items()}
    reference = getattr(module, part.defined_as)
    try:
        if part.probe == "class":
            made = reference(*(inputs.pop(key) for key in part.init))
            value = {**made.trace(**inputs), "call": made(**inputs)} if inputs else made
            value["num_parameters"] = made.num_parameters
        else:
            value = reference(**inputs)
    except ValueError as error:
        return Outcome("raised", error=Error("ValueError", ("ValueError",), str(error)))
    return Outcome("returned", value)


@each_part
def test_the_reference_is_right_on_every_small_case(name: str) -> None:
    part = PARTS[name][1]
    for case in part.small:
        outcome = answer(name, case)
        judged = judge(part, case, outcome)
        if case.raises:
            assert outcome.error is not None, case.name
            assert all(word in outcome.error.message for word in case.raises), case.name
            continue
        assert judged.comparisons, case.name
        assert {comparison.kind for comparison in judged.comparisons} == {"ok"}, case.name


@each_part
def test_small_cases_are_small_and_public_and_no_case_of_the_checks(name: str) -> None:
    part = PARTS[name][1]
    names = [case.name for case in part.small]
    assert len(set(names)) == len(names) <= 45
    for case in part.small:
        assert case.public and case.twin is None
        assert call(part, case) or not case.inputs, case.name
        hidden = [c for c in part.cases if not c.public]
        assert not any(same(dict(c.inputs), dict(case.inputs)) for c in hidden), case.name
    first = part.small[0].inputs
    assert all(np.size(x) <= 4 for x in first.values() if isinstance(x, np.ndarray))


def _ways() -> Iterator[Any]:
    for name, (_, part) in PARTS.items():
        stages = {stage.name for stage in part.stages}
        ways: dict[tuple[str, str], list[Misconception]] = {}
        for mistake in part.misconceptions:
            for stage in sorted(stages & mistake.wrong.keys()):
                ways.setdefault((mistake.name, stage), []).append(mistake)
        for (mistake_name, stage), found in ways.items():
            yield pytest.param(name, stage, found, id=f"{name} {mistake_name} {stage}")


@pytest.mark.parametrize(("name", "stage", "ways"), tuple(_ways()))
def test_a_known_mistake_shows_on_a_small_case(
    name: str, stage: str, ways: list[Misconception]
) -> None:
    part = PARTS[name][1]
    assert any(shows(part, way, stage, case) for way in ways for case in part.small)


# --- counterexamples ---------------------------------------------------------------------


def told(name: str, wrong: Any) -> tuple[Any, list[str]]:
    """The first finding on a wrong function, and the names of the cases that were asked for it."""
    part = PARTS[name][1]
    asked: list[str] = []

    def outcome(case: Case) -> Outcome:
        inputs = {
            key: np.copy(x) if isinstance(x, np.ndarray) else x for key, x in case.inputs.items()
        }
        try:
            return Outcome("returned", wrong(**inputs))
        except ValueError as error:
            return Outcome("raised", error=Error("ValueError", ("ValueError",), str(error)))

    def ask(cases: Any) -> dict[str, Outcome]:
        asked.extend(case.name for case in cases)
        return {case.name: outcome(case) for case in cases}

    result = mark_outcomes(part, {case.name: outcome(case) for case in families.planned(part)})
    return with_counterexamples(part, result, ask).findings[0], asked


def unscaled(**inputs: Any) -> Any:
    trace = projections.attend(**inputs)
    scores = trace["Q"] @ trace["K"].T
    weights = visible_softmax(scores, np.tri(len(scores), dtype=bool))
    return {**trace, "scores": scores, "weights": weights, "context": weights @ trace["V"]}


def test_a_named_mistake_is_confirmed_by_one_question() -> None:
    finding, asked = told("lesson-03 attend", unscaled)
    assert finding.misconception == "scale-missing"
    assert asked == ["two tokens, d_k = 2"]
    assert finding.counterexample == (
        "X = np.array([[1.0], [2.0]])\n"
        "W_Q = np.array([[1.0, 0.0]])\n"
        "W_K = np.array([[1.0, -1.0]])\n"
        "W_V = np.array([[3.0]])\n"
        'attend(X, W_Q, W_K, W_V)["scores"]\n'
        "# yours:    [[1, 2], [2, 4]]\n"
        "# expected: [[0.707, 1.41], [1.41, 2.83]]"
    )
    assert finding.message.startswith("scores[query 0, key 0] is 1, should be 0.707; 4 of 4")
    assert (finding.at, finding.got, finding.expected) == ({"query": 0, "key": 0}, 1.0, 0.707107)


def test_the_code_of_a_counterexample_runs_and_gives_the_learners_value() -> None:
    finding, _ = told("lesson-03 attend", unscaled)
    *lines, asked, yours, _ = finding.counterexample.splitlines()
    space = {
        "np": np,
        "attend": lambda *args: unscaled(
            **dict(zip(("X", "W_Q", "W_K", "W_V"), args, strict=True))
        ),
    }
    exec("\n".join(lines), space)
    assert yours == f"# yours:    {eval(asked, space).astype(int).tolist()}"


def test_what_has_no_name_is_looked_for_in_all_small_cases() -> None:
    def off(**inputs: Any) -> Any:
        trace = projections.attend(**inputs)
        if len(inputs["X"]) > 2:
            trace["scores"][2] += np.arange(len(inputs["X"])) ** 2
        return trace

    finding, asked = told("lesson-03 attend", off)
    assert (finding.stage, finding.misconception) == ("scores", None)
    assert len(asked) == len(PARTS["lesson-03 attend"][1].small)
    assert finding.counterexample.startswith("X = np.array([[1.0], [2.0], [0.0]])\n")


def test_what_only_a_hidden_case_shows_has_no_counterexample() -> None:
    def off(**inputs: Any) -> Any:
        trace = projections.attend(**inputs)
        if len(inputs["X"]) == 6:
            trace["V"] += np.eye(*trace["V"].shape)
        return trace

    finding, _ = told("lesson-03 attend", off)
    assert (finding.stage, finding.counterexample) == ("V", None)


def test_a_count_that_is_right_is_not_told() -> None:
    finding, _ = told(
        "lesson-05 parameter_count",
        lambda **i: {**output_projection.parameter_count(**i), "W_Q": i["d_model"] ** 2},
    )
    assert finding.counterexample == (
        'parameter_count(d_model=3, d_k=1, d_v=2)["W_Q"]\n# yours:    9'
    )
    assert finding.expected is None


def test_what_should_be_refused_is_shown_refused() -> None:
    finding, _ = told(
        "lesson-02 visibility",
        lambda T_q, T_k, causal: (
            np.ones((T_q, T_k), bool) if not causal else np.tri(T_q, T_k, dtype=bool)
        ),
    )
    assert finding.misconception == "causal-offset"
    assert finding.counterexample == (
        "visibility(T_q=1, T_k=2, causal=True)\n"
        "# yours:    [[True, False]]\n"
        "# expected: a ValueError that names 1 and 2"
    )
