"""Public checks from data alone: full marks for right answers, first causes and names for wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import onehead_solutions
from onehead import course, explain, frozen, sealed
from onehead.checking import public
from onehead.grade import grade_exercise
from onehead.model import Exercise, ExerciseResult, PartResult
from onehead.render.text import render
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source
from onehead_release.public import numbers_asked_for, public_data
from onehead_release.solved import answers, solved_notebook, untouched_notebook
from onehead_solutions import review
from onehead_solutions.claims import PROJECTION_CLAIMS
from onehead_solutions.review import EXPLANATIONS

STEMS = [exercise.stem for exercise in onehead_solutions.load()]


@pytest.fixture(scope="module")
def text() -> str:
    return public_data(onehead_solutions.load())


@pytest.fixture(scope="module")
def exercises(text: str) -> dict[str, Exercise]:
    return {exercise.stem: public(exercise) for exercise in frozen.read(text)}


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits()) as box:
        yield box


def checked(exercise: Exercise, sources: list[str], box: Box) -> ExerciseResult:
    cells = tuple(Cell(f"cell {k}", source) for k, source in enumerate(sources, 1))
    return grade_exercise(exercise, Source("ok", cells, notebook=True), box)


def code(stem: str, *, solved: bool) -> list[str]:
    notebook = solved_notebook(stem) if solved else untouched_notebook(stem)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def with_answer(exercises: dict[str, Exercise], stem: str, answer: str, box: Box) -> ExerciseResult:
    return checked(exercises[stem], [*code(stem, solved=True), answer], box)


def part(result: ExerciseResult, name: str) -> PartResult:
    return next(part for part in result.parts if part.name == name)


@pytest.mark.parametrize("stem", STEMS)
def test_the_references_pass(exercises: dict[str, Exercise], stem: str, box: Box) -> None:
    result = checked(exercises[stem], code(stem, solved=True), box)
    assert [finding for part in result.parts for finding in part.findings] == []
    assert result.score == exercises[stem].points > 0


@pytest.mark.parametrize("stem", STEMS)
def test_the_stubs_are_unfinished(exercises: dict[str, Exercise], stem: str, box: Box) -> None:
    result = checked(exercises[stem], code(stem, solved=False), box)
    assert {part.status for part in result.parts} == {"unfinished"}


@pytest.mark.parametrize(
    ("old", "new", "stage", "name"),
    [
        ("/ math.sqrt(K.shape[-1])", "", "scores", "scale-missing"),
        ("causal(len(X))", "np.ones((len(X), len(X)), bool)", "weights", "mask-missing"),
    ],
)
def test_a_known_mistake_is_named_at_its_first_stage(
    exercises: dict[str, Exercise], old: str, new: str, stage: str, name: str, box: Box
) -> None:
    source = answers("03_projections")["attend-stub"]
    assert old in source
    result = with_answer(exercises, "03_projections", source.replace(old, new), box)
    first = part(result, "attend").findings[0]
    assert (first.stage, first.misconception) == (stage, name)
    assert first.counterexample is not None
    assert first.counterexample.startswith("X = np.array([[1.0], [2.0]])\n")


def test_what_follows_from_a_wrong_stage_is_not_judged(
    exercises: dict[str, Exercise], box: Box
) -> None:
    source = answers("03_projections")["attend-stub"].replace("/ math.sqrt(K.shape[-1])", "")
    findings = part(with_answer(exercises, "03_projections", source, box), "attend").findings
    told = {finding.stage: finding.message for finding in findings}
    assert told["weights"] == "weights was not reached: mend what comes before it"
    assert not {"Q", "K", "V"} & told.keys()


def test_choices_are_right_or_wrong_as_a_whole(exercises: dict[str, Exercise], box: Box) -> None:
    flipped = dict(PROJECTION_CLAIMS, **{"scale-order": "interpretation"})
    result = with_answer(exercises, "03_projections", f"CLAIMS = {flipped!r}", box)
    (finding,) = part(result, "CLAIMS").findings
    assert finding.message.endswith("not all of the answers are right")
    assert "scale-order" not in finding.message


def test_open_choices_are_named(exercises: dict[str, Exercise], box: Box) -> None:
    half = "CLAIMS = {**CLAIMS, 'keys-topic': ...}"
    (finding,) = part(with_answer(exercises, "03_projections", half, box), "CLAIMS").findings
    assert finding.message.endswith("not answered yet: keys-topic")


def test_numbers_that_are_asked_for_are_checked_by_form_alone(
    exercises: dict[str, Exercise], box: Box
) -> None:
    wrong = "TRACE = {key: [9.0] * len(row) for key, row in TRACE.items()}"
    answered = part(with_answer(exercises, "04_matrix_form", wrong, box), "TRACE")
    assert answered.findings == ()
    assert render(explain.part_document(answered)).startswith("○ TRACE: answered; only the form")
    short = "TRACE['context[2]'] = [1.0]"
    (finding,) = part(with_answer(exercises, "04_matrix_form", short, box), "TRACE").findings
    assert finding.message.endswith("'context[2]' must have 2 entries")


def test_the_data_hold_no_number_that_is_asked_for(text: str) -> None:
    rows = [row for exercise in onehead_solutions.load() for row in numbers_asked_for(exercise)]
    assert len(rows) >= 3
    tables = [
        np.asarray(entry["want"], dtype=np.float64)
        for exercise in frozen.load_data(text)
        for part in exercise["parts"]
        for stages in part["due"].values()
        for entry in stages.values()
        if isinstance(entry["want"], np.ndarray)
    ]
    shared = [
        row
        for row in rows
        for table in tables
        if table.ndim
        and table.shape[-1] == row.size
        and np.any(np.all(np.abs(table - row) < 1e-6, axis=-1))
    ]
    assert shared == []


def test_two_freezes_give_the_same_text(text: str) -> None:
    assert public_data(onehead_solutions.load()) == text


def test_without_a_course_the_public_data_are_loaded(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "public.json"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(frozen, "PATH", path)
    monkeypatch.setattr(course, "entry_points", lambda group: ())
    loaded = course.load()
    assert [exercise.stem for exercise in loaded] == STEMS
    assert [e.points for e in loaded] == [e.points for e in onehead_solutions.load()]


def test_other_data_are_refused() -> None:
    with pytest.raises(ValueError, match="'onehead/public/9', not 'onehead/public/1'"):
        frozen.read('{"schema": "onehead/public/9"}')


def test_a_question_is_known_by_its_values_in_order() -> None:
    X, Y = np.ones((2, 2)), np.zeros((2, 2))
    assert frozen.question([X, Y]) == frozen.question([X.copy(), Y.copy()])
    different = [frozen.question(v) for v in ([X, Y], [Y, X], [X], [X.astype(np.float32), Y])]
    assert len(set(different)) == 4


def test_every_part_has_a_public_check(exercises: dict[str, Exercise]) -> None:
    asked = {part.name for exercise in exercises.values() for part in exercise.parts}
    assert asked == {part.name for e in onehead_solutions.load() for part in e.parts}


REASONED = [name for name in EXPLANATIONS if name != "COSTS"]  # numbers have a check of form only


@pytest.mark.parametrize("name", REASONED)
def test_right_answers_open_their_reasons_and_others_do_not(
    exercises: dict[str, Exercise], text: str, name: str
) -> None:
    (part,) = [part for part in exercises["09_review"].parts if part.name == name]
    answers = getattr(review, name)
    reasons = {question: why for question, (why, _) in EXPLANATIONS[name].items()}
    assert part.reasons is not None
    assert part.reasons(answers) == reasons
    assert part.reasons(dict(reversed(answers.items()))) == reasons
    missed, *right = part.pointers
    left = {question: reasons[question] for pointer in right for question in pointer.questions}
    assert part.reasons({**answers, missed.questions[-1]: "X"}) == left
    assert part.reasons(dict.fromkeys(answers, "X")) == {}
    assert not any(why in text for why in reasons.values())
    assert part.lessons == tuple(sorted({lesson for _, lesson in EXPLANATIONS[name].values()}))


def test_the_review_says_which_answers_are_not_right_and_where_to_read(
    exercises: dict[str, Exercise], box: Box
) -> None:
    missed = "ABLATIONS['W_Q zero'] = 'same scores'; DISTINCTIONS['reads-later'] = 'source'"
    result = with_answer(exercises, "09_review", missed, box)
    told = {name: [f.message for f in part(result, name).findings] for name in REASONED}
    assert told == {name: [] for name in REASONED} | {
        "ABLATIONS": ["W_Q zero is not right: see lesson 3"],
        "DISTINCTIONS": ["reads-later and reads-wrong-text are not both right: see lesson 2"],
    }
    assert part(result, "ABLATIONS").checks_passed == 2
    report = render(explain.part_document(part(result, "ABLATIONS")))
    assert "your answer" not in report


def test_a_question_left_open_is_no_wrong_answer_to_the_others(
    exercises: dict[str, Exercise], box: Box
) -> None:
    open_ = with_answer(exercises, "09_review", "CHECKLIST['step 2'] = ...", box)
    (finding,) = part(open_, "CHECKLIST").findings
    assert (finding.check, finding.message) == ("step 2", "not answered yet: step 2")


def test_items_that_are_changed_too_little_are_found_by_the_public_checks(
    exercises: dict[str, Exercise], box: Box
) -> None:
    for items, name in (("[0]", "first-item-changed-only"), ("range(len(X))", "change-too-even")):
        answer = f"""
def items_interact(layer, X):
    for b in {items}:
        Y = X * 1.0
        Y[b] += 1
        if np.delete(np.abs(layer(Y) - layer(X * 1.0)), b, axis=0).max() > 1e-9:
            return True
    return False
"""
        result = part(with_answer(exercises, "06_batch_axis", answer, box), "items_interact")
        assert [finding.misconception for finding in result.findings] == [name]


def test_the_answers_hash_is_made_of_what_a_browser_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has no OpenSSL there."""
    for name in ("scrypt", "pbkdf2_hmac"):
        monkeypatch.delattr(hashlib, name)
    hashes = {sealed.answers_hash({"what": given}, "salt") for given in ("a", "b", "a")}
    assert len(hashes) == 2 and all(len(each) == 32 for each in hashes)
