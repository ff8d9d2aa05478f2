"""The review: 25 questions, their answers, known wrong answers, and what the notebook says."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from onehead.grade import is_unfilled, mark_outcomes
from onehead.marks import checks
from onehead.model import Outcome, Part, PartResult
from onehead_release.notebook import cell_ids, read_source, to_script
from onehead_solutions import review

SOURCE = Path(__file__).resolve().parents[1] / "exercises" / "09_review.py"
PARTS = {part.name: part for part in review.PARTS}
QUESTIONS = {
    "EQUATION_CHAIN": 5,
    "DISTINCTIONS": 6,
    "ABLATIONS": 3,
    "COSTS": 3,
    "LIMITATIONS": 3,
    "CHECKLIST": 5,
}
every_part = pytest.mark.parametrize("name", PARTS)
every_mistake = pytest.mark.parametrize(
    ("part", "mistake", "question", "answer"),
    [
        pytest.param(part, mistake, question, answer, id=f"{part} {question} {answer}")
        for part, known in review.MISTAKES.items()
        for mistake, question, answer, _ in known
    ],
)


def marked(part: Part, answers: Mapping[str, Any]) -> PartResult:
    return mark_outcomes(part, {part.name: Outcome("returned", dict(answers))})


def text_of(name: str) -> str:
    (cell,) = [cell.source for cell in read_source(SOURCE).cells if cell.id == name]
    assert isinstance(cell, str)
    return cell


@pytest.fixture(scope="module")
def notebook() -> Mapping[str, Any]:
    inert = ModuleType("onehead")
    vars(inert).update(check=lambda name: None, progress=lambda: None)
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "onehead", inert)
        for cell in read_source(SOURCE).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, cell.id, "exec"), names)
    return names


def test_there_are_25_questions_of_two_fifths_of_a_point() -> None:
    assert {name: len(checks(part)) for name, part in PARTS.items()} == QUESTIONS
    assert [part.points for part in review.PARTS] == [2.0, 2.4, 1.2, 1.2, 1.2, 2.0]
    assert review.EXERCISE.points == 10.0


@every_part
def test_the_answers_get_full_marks_and_each_missed_one_costs_its_share(name: str) -> None:
    part, answers = PARTS[name], getattr(review, name)
    result = marked(part, answers)
    assert (result.score, result.findings) == (part.points, ())
    for question in answers:
        missed = marked(part, answers | {question: ...})
        assert missed.score == round(part.points - 0.4, 2)
        assert [finding.check for finding in missed.findings] == [question]


@every_mistake
def test_a_known_wrong_answer_is_refused_under_its_name(
    part: str, mistake: str, question: str, answer: Any
) -> None:
    result = marked(PARTS[part], getattr(review, part) | {question: answer})
    assert [(f.check, f.misconception) for f in result.findings] == [(question, mistake)]


@every_mistake
def test_a_known_wrong_answer_can_be_given(
    part: str, mistake: str, question: str, answer: Any
) -> None:
    assert isinstance(answer, int) or f'`"{answer}"`' in text_of(part)


@every_part
def test_each_question_has_its_reason_and_a_lesson(name: str) -> None:
    assert list(review.EXPLANATIONS[name]) == list(getattr(review, name))
    for reason, lesson in review.EXPLANATIONS[name].values():
        assert reason.endswith(".")
        assert lesson in {f"lesson-{number:02}" for number in range(1, 9)}


@every_part
def test_each_answer_is_offered_in_the_text_and_each_question_is_asked(name: str) -> None:
    text = text_of(name)
    assert "**Form:** " in text
    for question, answer in getattr(review, name).items():
        assert isinstance(answer, int) or f'`"{answer}"`' in text
        assert question.startswith("step ") or f"`{question}`: " in text


@every_part
def test_an_order_uses_each_line_once(name: str) -> None:
    answers = getattr(review, name)
    if "step 1" in answers:
        assert len(set(answers.values())) == len(answers) == 5


def test_two_way_choices_are_balanced() -> None:
    words = list(review.DISTINCTIONS.values())
    assert sorted(words) == ["cross", "effect", "mask", "self", "source", "weight"]


def test_a_pointer_tells_no_two_way_choice() -> None:
    for pointer in PARTS["DISTINCTIONS"].pointers:
        assert len({review.DISTINCTIONS[question] for question in pointer.questions}) == 2


@every_part
def test_each_question_has_one_pointer(name: str) -> None:
    pointed = [question for p in PARTS[name].pointers for question in p.questions]
    assert pointed == list(getattr(review, name))
    for pointer in PARTS[name].pointers:
        lessons = {review.EXPLANATIONS[name][question][1] for question in pointer.questions}
        assert lessons == {pointer.lesson}


def test_a_wrong_step_of_the_checklist_is_no_count_of_layers() -> None:
    result = marked(PARTS["CHECKLIST"], review.CHECKLIST | {"step 1": "E", "step 2": "C"})
    assert [f.message for f in result.findings] == [
        "'step 1' is 'E', which is not right",
        "'step 2' is 'C', which is not right",
    ]


def test_numbers_are_computed_not_remembered() -> None:
    tokens, d_k, kernel, distance = 6, 4, 5, 37
    reach = kernel - 1
    computed = {
        "scores factor": (3 * tokens) ** 2 // tokens**2,
        "causal scores": tokens * tokens * d_k,
        "convolution layers": next(n for n in range(1, 99) if n * reach >= distance),
    }
    assert computed == review.COSTS


def test_the_source_is_its_own_canonical_script() -> None:
    assert to_script(read_source(SOURCE)) == SOURCE.read_text(encoding="utf-8")


@every_part
def test_each_part_has_a_text_a_stub_and_a_check(name: str) -> None:
    ids = cell_ids(read_source(SOURCE))
    assert ids.index(name) + 1 == ids.index(f"{name}-stub") == ids.index(f"{name}-check") - 1
    assert text_of(f"{name}-check") == f'check("{name}")'


@every_part
def test_untouched_stubs_are_unfinished(name: str, notebook: Mapping[str, Any]) -> None:
    assert is_unfilled(notebook[name])
    assert list(notebook[name]) == list(getattr(review, name))
