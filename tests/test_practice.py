"""The practice set: references, handed-over code, drawn numbers, and what the notebook says."""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from onehead import families
from onehead.compare import allowed_error
from onehead.grade import _as_handed_over, _not_graded, is_unfilled, mark_outcomes
from onehead.marks import checks
from onehead.model import Case, Error, Misconception, Names, NotReached, Outcome, Part, PartResult
from onehead_release.notebook import cell_ids, read_source, to_script
from onehead_solutions import practice, practice_debugging, practice_drawn, wrong
from onehead_solutions.practice_interpretation import MAP_2, VALUES_1, W_O_1, WEIGHTS_1
from onehead_solutions.practice_pool import POOL, variant

SOURCE = Path(__file__).resolve().parents[1] / "exercises" / "10_practice.py"
KINDS = (
    "shape",
    "calculation",
    "masking",
    "projection",
    "parameter-count",
    "debugging",
    "batching",
    "interpretation",
)
PARTS = {part.name: part for part in practice.PARTS}
CALLED = [name for name, part in PARTS.items() if part.probe == "call"]
DRAWN = list(practice_drawn.ANSWERS)
DEBUGGING = [name for name in PARTS if name.startswith("debugging")]

every_part = pytest.mark.parametrize("name", PARTS)
every_call = pytest.mark.parametrize("name", CALLED)
every_drawn = pytest.mark.parametrize("name", DRAWN)
every_debugging = pytest.mark.parametrize("name", DEBUGGING)


def learner_of(number: int) -> str:
    """A name that chooses the variant of this number."""
    return next(
        name for name in map(str, itertools.count()) if zlib.crc32(name.encode()) % 16 == number
    )


LEARNERS = [learner_of(number) for number in range(16)]


def asked(part: Part, learner: str = "amara") -> Part:
    """The part as it is graded: each case knows for whom its numbers were drawn."""
    cases = (replace(c, inputs={**c.inputs, "LEARNER": learner}) for c in part.cases)
    return replace(part, cases=tuple(cases))


def outcome(function: Callable[..., Any], case: Case) -> Outcome:
    inputs = {k: copy.deepcopy(v) for k, v in case.inputs.items() if k != "LEARNER"}
    try:
        with np.errstate(all="ignore"):
            return Outcome("returned", function(**inputs))
    except Exception as error:
        bases = tuple(base.__name__ for base in type(error).__mro__)
        return Outcome("raised", error=Error(type(error).__name__, bases, str(error)))


def outcomes_of(part: Part, answer: Any) -> dict[str, Outcome]:
    if part.probe == "value":
        return {case.name: Outcome("returned", answer) for case in part.cases}
    return {case.name: outcome(answer, case) for case in families.planned(part)}


def marked(part: Part, answer: Any) -> PartResult:
    return mark_outcomes(part, outcomes_of(part, answer))


def reference(name: str, learner: str = "amara") -> Any:
    answer = getattr(practice, PARTS[name].defined_as, None)
    return practice.solved_value(name, learner) if answer is None else answer


def code_of(cell_id: str) -> str:
    (found,) = [cell.source for cell in read_source(SOURCE).cells if cell.id == cell_id]
    assert isinstance(found, str)
    return found


@pytest.fixture(scope="module")
def notebook() -> Mapping[str, Any]:
    """What the untouched notebook defines."""
    inert = ModuleType("onehead")
    vars(inert).update(check=lambda name: None, progress=lambda: None)
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "onehead", inert)
        for cell in read_source(SOURCE).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, cell.id, "exec"), names)
    return names


# --- the set -----------------------------------------------------------------------------


def test_there_are_three_problems_of_each_kind_worth_a_point_each() -> None:
    assert list(PARTS) == [f"{kind}-{number}" for kind in KINDS for number in (1, 2, 3)]
    assert [part.points for part in practice.PARTS] == [1] * 24
    assert practice.EXERCISE.draws
    for name, part in PARTS.items():
        assert part.target == name.replace("-", "_")


@every_part
def test_the_reference_gets_full_marks(name: str) -> None:
    result = marked(asked(PARTS[name]), reference(name))
    assert result.findings == ()
    assert (result.status, result.score) == ("graded", 1)


@every_drawn
def test_each_variant_is_answered_by_its_own_numbers_only(name: str) -> None:
    part = PARTS[name]
    scores = {
        (asker, other): marked(asked(part, asker), practice.solved_value(name, other)).score
        for asker in LEARNERS
        for other in LEARNERS
    }
    assert all((score == 1) == (asker == other) for (asker, other), score in scores.items())


@every_drawn
def test_a_learner_without_a_name_is_graded(name: str) -> None:
    assert marked(PARTS[name], practice.solved_value(name, "")).score == 1
    assert marked(asked(PARTS[name], "\udc80"), practice.solved_value(name, "\udc80")).score == 1


def test_numbers_worked_by_hand_are_right_to_a_thousandth() -> None:
    part = asked(PARTS["calculation-2"])
    answer = np.array(practice.solved_value("calculation-2", "amara"))
    assert marked(part, (answer + 0.00099).tolist()).score == 1
    assert marked(part, (answer - 0.00099).tolist()).score == 1
    assert marked(part, (answer + np.array([0, 0.00101])).tolist()).score == 0


def test_a_float_is_no_count() -> None:
    part = asked(PARTS["parameter-count-1"])
    answer = practice.solved_value("parameter-count-1", "amara")
    assert marked(part, np.int64(answer)).score == 1
    assert marked(part, float(answer)).score == 0


# --- hidden cases and known mistakes -----------------------------------------------------


@every_call
def test_public_examples_alone_do_not_pass(name: str) -> None:
    """An answer that knows the public cases by heart fails every check."""
    part = asked(PARTS[name])
    public = [case for case in part.cases if case.public]
    assert 1 < len(public) < len([c for c in part.cases if not c.raises])
    right = outcomes_of(part, reference(name))
    first = right[public[0].name]
    by_heart = {n: right[n] if n in {c.name for c in public} else first for n in right}
    failed = {finding.check for finding in mark_outcomes(part, by_heart).findings}
    assert failed >= {check for check in checks(part) if check != "behaviour"}


MISTAKEN = [
    pytest.param(part, name, id=f"{part.name} {name}")
    for part in practice.PARTS
    for name in sorted({mistake.name for mistake in part.misconceptions if mistake.wrong})
    if not (part.name.startswith("calculation") or part.answer == "tuple")
]


def made_by(part: Part, mistake: Misconception, stage: str) -> dict[str, Outcome]:
    made = outcomes_of(part, reference(part.name))
    for case in families.planned(part):
        if case.raises:
            continue
        try:
            with np.errstate(all="ignore"):
                value = mistake.wrong[stage](Names(case.inputs), Names())
        except NotReached:
            continue
        except ValueError as error:
            raised = Error("ValueError", ("ValueError", "Exception"), str(error))
            made[case.name] = Outcome("raised", error=raised)
            continue
        due = made[case.name].value
        made[case.name] = Outcome(
            "returned", due | {stage: value} if part.answer == "dict" else value
        )
    return made


@pytest.mark.parametrize(("part", "name"), MISTAKEN)
def test_a_known_mistake_is_refused_under_its_name(part: Part, name: str) -> None:
    """Some ways to a mistake do no harm in a part, such as a low fill where no row is empty."""
    part = asked(part)
    ways = [mistake for mistake in part.misconceptions if mistake.name == name]
    results = [
        mark_outcomes(part, made_by(part, way, stage)) for way in ways for stage in way.wrong
    ]
    named = {f.misconception for result in results for f in result.findings}
    assert named - {None} == {name}


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_mistake_in_drawn_numbers_is_told_in_every_variant(number: int, learner: str) -> None:
    mistakes = getattr(practice_drawn, f"MISTAKES_{number}")
    part, v = asked(PARTS[f"calculation-{number}"], learner), variant(learner)
    made = [(name, numbers) for name, compute in mistakes if (numbers := compute(v)) is not None]
    due = np.array(practice.solved_value(part.name, learner))
    for name, numbers in made:
        if not wrong.apart(numbers, due):
            continue
        others = {other for other, x in made if not wrong.apart(x, numbers)}
        result = marked(part, np.round(numbers, 4).tolist())
        assert result.score == 0
        (found,) = result.findings
        assert found.misconception in ({name} if others == {name} else {name, None})
        (finding,) = marked(part, (numbers + 0.0123).tolist()).findings
        assert finding.misconception is None


@every_call
def test_a_known_mistake_differs_by_a_hundred_tolerances_somewhere(name: str) -> None:
    part = asked(PARTS[name])
    judged = [stage.name for stage in part.stages if stage.allow is not None]
    ways = [(m, stage) for m in part.misconceptions for stage in m.wrong if stage in judged]
    far = {
        (m.name, stage)
        for m, stage in ways
        if any(_far(part, stage, m, case) for case in part.cases)
    }
    assert far == {(m.name, stage) for m, stage in ways}


def _far(part: Part, stage_name: str, mistake: Misconception, case: Case) -> bool:
    (stage,) = [stage for stage in part.stages if stage.name == stage_name]
    inputs = Names(case.inputs)
    assert stage.want is not None
    earlier = Names({s.name: s.want(inputs, Names()) for s in part.stages if s.want is not None})
    with np.errstate(all="ignore"):
        due = stage.want(inputs, earlier)
        try:
            wrong = mistake.wrong[stage_name](inputs, earlier)
        except (NotReached, ValueError):
            return False
        allowed = np.asarray(allowed_error(stage, inputs, earlier))
    return due.shape != wrong.shape or bool(np.any(~(np.abs(due - wrong) <= 100 * allowed)))


# --- debugging ---------------------------------------------------------------------------


def broken(name: str) -> Callable[..., Any]:
    function = PARTS[name].handed_over
    assert function is not None
    return function


@every_debugging
def test_the_broken_code_passes_no_check(name: str) -> None:
    part = asked(PARTS[name])
    result = marked(part, broken(name))
    assert result.score == 0
    assert {finding.check for finding in result.findings} == set(checks(part))


@every_debugging
def test_the_notebook_hands_over_the_broken_code(name: str, notebook: Mapping[str, Any]) -> None:
    part = PARTS[name]
    (stub,) = ast.parse(code_of(f"{name}-stub")).body
    (kept,) = ast.parse(inspect.getsource(broken(name))).body
    assert isinstance(stub, ast.FunctionDef) and isinstance(kept, ast.FunctionDef)
    assert [a.arg for a in stub.args.args] == [a.arg for a in kept.args.args]
    assert list(map(ast.unparse, stub.body[1:-1])) == list(map(ast.unparse, kept.body[1:-1]))
    function = notebook[part.defined_as]
    for case in part.cases:
        assert np.array_equal(function(**case.inputs), broken(name)(**case.inputs))


@every_debugging
def test_code_that_does_what_it_did_is_unfinished(name: str) -> None:
    def renamed(*arguments: Any) -> Any:
        result = broken(name)(*arguments)
        return 1 * result + 0

    part = asked(PARTS[name])
    cosmetic = [outcome(lambda **i: renamed(*i.values()), case) for case in families.planned(part)]
    assert all(map(_as_handed_over, [part] * len(cosmetic), families.planned(part), cosmetic))
    whole = _not_graded(part, cosmetic)
    assert whole is not None and (whole.status, whole.score) == ("unfinished", 0)
    repaired = list(outcomes_of(part, reference(name)).values())
    assert _not_graded(part, repaired) is None


def test_each_of_two_mistakes_repaired_alone_is_half_a_point() -> None:
    source = inspect.getsource(practice_debugging.broken_3)
    scaled = source.replace("d_model**0.5", "K.shape[-1] ** 0.5")
    over_keys = source.replace("axis=1", "axis=-1")
    part = asked(PARTS["debugging-3"])
    for repaired, check in ((scaled, "a batch"), (over_keys, "one sequence")):
        names: dict[str, Any] = {"np": np}
        exec(repaired, names)
        result = marked(part, names["broken_3"])
        assert result.score == 0.5
        assert [finding.check for finding in result.findings] == [check]


# --- drawn numbers -----------------------------------------------------------------------


def test_the_notebook_holds_the_pool_and_chooses_as_the_grader_does(
    notebook: Mapping[str, Any],
) -> None:
    assert notebook["POOL"] == POOL
    assert len(POOL) == 16
    assert notebook["variant"] == variant(notebook["LEARNER"])
    assert [variant(learner) for learner in LEARNERS] == POOL


def test_the_notebook_gives_the_numbers_that_the_answers_are_made_from(
    notebook: Mapping[str, Any],
) -> None:
    given = {
        "one_query": {"keys": practice_drawn.KEYS_1},
        "causal_row": {"keys": practice_drawn.KEYS_2, "values": practice_drawn.VALUES_2},
        "whole_layer": {W: getattr(practice_drawn, W) for W in ("W_Q", "W_K", "W_V", "W_O")},
        "one_position": {"weights": WEIGHTS_1, "V": VALUES_1, "W_O": W_O_1},
    }
    for name, arrays in given.items():
        for key, array in arrays.items():
            assert np.array_equal(notebook[name][key], array)
    assert np.array_equal(notebook["attention_map"], MAP_2)
    drawn = {"one_query": "query", "causal_row": "query", "whole_layer": "X"}
    for (name, key), entry in zip(drawn.items(), ("query", "asker", "X"), strict=True):
        assert notebook[name][key].tolist() == notebook["variant"][entry]


def digits(number: int) -> int:
    return len(str(number))


def test_variants_are_equally_hard_by_size_and_by_digits() -> None:
    for entry in ("query", "asker", "X"):
        arrays = [np.array(v[entry]) for v in POOL]
        assert len({array.shape for array in arrays}) == 1
        assert len({np.count_nonzero(array) for array in arrays}) == 1
        assert all(np.max(np.abs(array)) <= 2 for array in arrays)
    for v in POOL:
        sizes = [v[name] for name in ("d_model", "d_k", "d_v", "d_context")]
        assert len(set(sizes)) == 4
        d_model, d_k, _ = v["counted"]
        d_v = practice_drawn.value_width(*v["counted"])
        assert practice_drawn.parameters(d_model, d_k, d_v, bias=True) == v["counted"][2]
        assert all(digits(n) == 2 and n % 10 for n in (*sizes, d_model, d_k, d_v))
        totals = (practice_drawn.ANSWERS[f"parameter-count-{k}"](v) for k in (1, 2))
        assert all(digits(n) == 4 for n in (*totals, v["counted"][2]))


def softmax(scores: Any) -> Any:
    return np.exp(scores) / np.exp(scores).sum()


def drawn_weights(v: Mapping[str, Any]) -> Iterator[Any]:
    yield practice_drawn.weights_of_one_query(v)
    yield softmax(practice_drawn.KEYS_2[:3] @ np.array(v["asker"]) / 2)
    Q, K = (np.array(v["X"]) @ W for W in (practice_drawn.W_Q, practice_drawn.W_K))
    yield softmax(K[:2] @ Q[1] / 2)


@pytest.mark.parametrize("v", POOL)
def test_no_variant_has_saturated_or_even_weights(v: Mapping[str, Any]) -> None:
    for weights in drawn_weights(v):
        assert 0.4 <= weights.max() <= 0.8
        assert weights.min() > 0.03
        assert len(set(weights.round(6))) == len(weights)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_answers_of_variants_lie_apart(number: int) -> None:
    answers = [practice_drawn.ANSWERS[f"calculation-{number}"](v) for v in POOL]
    for one, other in itertools.combinations(answers, 2):
        assert np.max(np.abs(one - other)) > 0.01
    counts = [practice_drawn.ANSWERS[f"parameter-count-{number}"](v) for v in POOL]
    assert len(set(counts)) == 16


# --- interpretation ----------------------------------------------------------------------


def test_the_tempting_orders_are_refuted_by_clear_effects() -> None:
    effects = WEIGHTS_1 * np.linalg.norm(VALUES_1 @ W_O_1, axis=1)
    assert effects.round(9).tolist() == [0.5, 1.5, 0.9, 1.0]
    assert practice.interpretation_1 == np.argsort(-effects).tolist()
    tempting = [
        m.wrong["order"](Names(), Names()) for m in PARTS["interpretation-1"].misconceptions
    ]
    assert all(order != practice.interpretation_1 for order in tempting)
    assert len(set(map(tuple, tempting))) == 3


def test_the_most_read_token_is_not_preferred() -> None:
    assert MAP_2.sum(axis=1).round(12).tolist() == [1] * 5
    assert MAP_2.sum(axis=0).round(12).tolist() == [2, 1.1, 1.4, 0.3, 0.2]
    assert "`2, 1.1, 1.4, 0.3, 0.2`" in " ".join(code_of("interpretation-2").split())
    ratios = practice.interpretation_2(MAP_2)
    assert ratios[0] < 1 < ratios[2] == ratios.max()


def test_each_condition_on_other_weights_is_checked() -> None:
    part = asked(PARTS["interpretation-3"])
    case = part.cases[0]
    weights, V = case.inputs["weights"], case.inputs["V"]
    right = practice.interpretation_3(weights, V)
    refused = {
        "no weight differs by 0.05": weights,
        "the context moves": np.roll(weights, 1),
        "not 1": right + 0.1,
        "is negative": weights + np.array([-1.0, 1.0, 0.0, 0.0]),
        "4 finite weights": right[:3],
        "4 weights are due, not None": None,
        "4 weights are due": "even",
    }
    for text, other in refused.items():
        said = part.stages[0].judge(Names(case.inputs), other)  # type: ignore[misc]
        assert said is not None and text in said
    assert all(min(c.inputs["weights"]) >= 0.08 for c in part.cases)
    assert all(c.inputs["V"].shape[0] > c.inputs["V"].shape[1] + 1 for c in part.cases)


# --- the notebook ------------------------------------------------------------------------


def test_the_source_is_its_own_canonical_script() -> None:
    assert to_script(read_source(SOURCE)) == SOURCE.read_text(encoding="utf-8")


def test_each_problem_has_a_text_a_stub_and_a_check_in_order() -> None:
    ids = cell_ids(read_source(SOURCE))
    assert [i.removesuffix("-stub") for i in ids if i.endswith("-stub")] == list(PARTS)
    for name in PARTS:
        assert ids.index(name) < ids.index(f"{name}-stub") == ids.index(f"{name}-check") - 1
        assert code_of(f"{name}-check") == f'check("{name}")'


@every_part
def test_each_text_names_a_lesson_and_the_form_of_the_answer(name: str) -> None:
    text = code_of(name)
    assert text.startswith(f"## {name} · ") and "(1 point)" in text
    assert text.count("*Relative: [lesson ") == 1
    form = text.split("**Form:** ")[1]
    function = PARTS[name].probe == "call"
    assert form.startswith(
        ("a function", "the function") if function else ("a dict", "a list", "an int")
    )


@every_part
def test_an_untouched_stub_is_unfinished(name: str, notebook: Mapping[str, Any]) -> None:
    part, stub = PARTS[name], notebook[PARTS[name].defined_as]
    if part.probe == "value":
        assert is_unfilled(stub)
    elif part.handed_over is None:
        assert inspect.signature(stub).parameters.keys() == part.cases[0].inputs.keys()
        result = _not_graded(part, [outcome(stub, case) for case in families.planned(part)])
        assert result is not None and result.status == "unfinished"


def test_a_problem_asks_for_one_thing_or_a_few() -> None:
    numbers = Counter(len(checks(part)) for part in practice.PARTS)
    assert max(numbers) <= 5
