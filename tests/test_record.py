"""What a learner has reached: kept line by line, never worse, and missed answers that come back."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import onehead_solutions
from onehead import in_notebook, record, standing
from onehead.errors import OneheadError
from onehead.model import FORM, Finding, PartResult, Verdict
from onehead.record import FILE, Record, State
from onehead.render import text
from onehead_release.solved import write_submission

COURSE = {exercise.id: exercise for exercise in onehead_solutions.load()}
LESSON, REVIEW = COURSE["lesson-04"], COURSE["review"]
MONDAY, TUESDAY, WEDNESDAY = (date(2026, 3, day) for day in (2, 3, 4))


def result(name: str, wrong: int = 0, of: int = 4, verdict: Verdict = "wrong") -> PartResult:
    checks = tuple(f"check {number}" for number in range(of))
    findings = tuple(
        Finding(check, "numerical", None, verdict, "it is not") for check in checks[:wrong]
    )
    return PartResult(name, "graded", 0.0, 1.0, checks, findings)


def shown(known: Record, today: date) -> str:
    return " ".join(text.render(standing.document(tuple(COURSE.values()), known, today)).split())


@pytest.mark.parametrize(
    ("answered", "state"),
    [
        (result("TRACE"), "right"),
        (PartResult("TRACE", "graded", 0.0, 1.0, (FORM,)), "answered"),
        (result("TRACE", wrong=1), "near"),
        (result("TRACE", wrong=2), "wrong"),
        (result("TRACE", wrong=4), "wrong"),
        (PartResult("TRACE", "unfinished", 0.0, 1.0), "open"),
        (PartResult("TRACE", "missing", 0.0, 1.0), "open"),
        (PartResult("TRACE", "raised", 0.0, 1.0), "wrong"),
        (PartResult("TRACE", "timed-out", 0.0, 1.0), "wrong"),
    ],
)
def test_a_result_is_right_near_wrong_or_open(answered: PartResult, state: State) -> None:
    assert record.state_of(answered) == state


def test_answers_that_are_not_all_given_are_open() -> None:
    finding = Finding("answers", "cost", None, "wrong", "not answered yet: scores factor")
    partly = PartResult("COSTS", "graded", 0.0, 1.2, ("answers",), (finding,))
    assert record.state_of(partly) == "open"


def test_checking_again_never_makes_it_worse(tmp_path: Path) -> None:
    for wrong in (4, 1, 0, 4, 2):
        record.note(tmp_path, LESSON, [result("TRACE", wrong)], MONDAY)
    known = record.read(tmp_path)
    assert known.best("lesson-04", "TRACE") == "right"
    assert [step.state for step in known.steps] == ["wrong", "near", "right"]
    assert known.best("lesson-04", "causal_mask") == "open"


def test_a_line_that_was_cut_off_costs_itself_alone(tmp_path: Path) -> None:
    record.note(tmp_path, LESSON, [result("TRACE")], MONDAY)
    with open(tmp_path / FILE, "ab") as stream:
        stream.write(b'{"exercise": "lesson-04", "part": "causal_')
    record.note(tmp_path, LESSON, [result("stable_softmax")], TUESDAY)
    known = record.read(tmp_path)
    assert [step.part for step in known.steps] == ["TRACE", "stable_softmax"]
    assert len((tmp_path / FILE).read_bytes().splitlines()) == 3


def test_what_is_no_step_is_passed_over(tmp_path: Path) -> None:
    record.note(tmp_path, LESSON, [result("TRACE")], MONDAY)
    good = json.loads((tmp_path / FILE).read_text())
    bad = [good | {"state": "perfect"}, good | {"day": "monday"}, good | {"more": 1}, [], 7, "x"]
    with open(tmp_path / FILE, "a") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in bad)
        stream.write("\xff no json\n")
    assert len(record.read(tmp_path).steps) == 1


def test_several_notebooks_may_write_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "import onehead_solutions; from onehead import record\n"
        "from onehead.model import PartResult\n"
        "exercise = onehead_solutions.load()[int(sys.argv[1])]\n"
        "for part in exercise.parts:\n"
        "    done = PartResult(part.name, 'graded', 1.0, 1.0, ('all',))\n"
        "    record.note(Path(sys.argv[2]), exercise, [done])\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(number), str(tmp_path)])
        for number in (3, 9)
    ]
    assert [process.wait() for process in running] == [0, 0]
    known = record.read(tmp_path)
    for exercise in (COURSE["lesson-04"], COURSE["practice"]):
        assert all(known.best(exercise.id, each.name) == "right" for each in exercise.parts)


# --- what was missed comes back ----------------------------------------------------------


def test_a_missed_group_comes_back_on_another_day_until_it_is_right_there(tmp_path: Path) -> None:
    record.note(tmp_path, REVIEW, [result("COSTS", wrong=2)], MONDAY)
    record.note(tmp_path, REVIEW, [result("COSTS")], MONDAY)
    known = record.read(tmp_path)
    assert known.best("review", "COSTS") == "right"
    assert "comes back another day: COSTS." in shown(known, MONDAY)
    assert "Once more" not in shown(known, MONDAY)

    said = shown(known, TUESDAY)
    assert "Once more: Put ... in place of the old answers" in said
    assert "COSTS in 09_review.ipynb, missed on 2026-03-02; explained in lesson 7" in said

    record.note(tmp_path, REVIEW, [result("COSTS", wrong=3)], TUESDAY)  # missed again
    record.note(tmp_path, REVIEW, [result("COSTS")], TUESDAY)
    assert "missed on 2026-03-03" in shown(record.read(tmp_path), WEDNESDAY)

    record.note(tmp_path, REVIEW, [result("COSTS")], WEDNESDAY)
    known = record.read(tmp_path)
    assert known.missed("review", "COSTS") is None
    assert "COSTS in 09" not in shown(known, WEDNESDAY)
    assert known.best("review", "COSTS") == "right"


def test_a_part_of_a_lesson_does_not_come_back(tmp_path: Path) -> None:
    record.note(tmp_path, LESSON, [result("TRACE", wrong=4)], MONDAY)
    record.note(tmp_path, LESSON, [result("TRACE")], MONDAY)
    assert "Once more" not in shown(record.read(tmp_path), TUESDAY)


def test_the_same_on_the_same_day_is_no_news(tmp_path: Path) -> None:
    for _ in range(3):
        record.note(tmp_path, REVIEW, [result("COSTS", wrong=2)], MONDAY)
        record.note(tmp_path, REVIEW, [result("COSTS")], MONDAY)
    assert len((tmp_path / FILE).read_bytes().splitlines()) == 2


# --- what is shown -----------------------------------------------------------------------


def test_the_document_says_how_each_part_stands_and_what_is_next(tmp_path: Path) -> None:
    steps = [result("causal_mask"), result("stable_softmax", 1), result("self_attention", 3)]
    record.note(tmp_path, LESSON, steps, MONDAY)
    said = shown(record.read(tmp_path), MONDAY)
    assert "1 of 61 parts are done 1 near, 1 not right yet, 58 open" in said
    assert "Next: attention_reading in 01_one_reading.ipynb (lesson 1, One" in said
    assert (
        "lesson 4 · Self-Attention in Matrix Form, 1 of 4 · ✓ right causal_mask · "
        "≈ near stable_softmax · ✗ not right yet self_attention · – open TRACE" in said
    )
    assert "lesson 5 · The Output Projection Restores the Model Width, 4 parts, not begun" in said


def test_when_all_is_done_nothing_is_next(tmp_path: Path) -> None:
    for exercise in COURSE.values():
        record.note(tmp_path, exercise, [result(each.name) for each in exercise.parts], MONDAY)
    said = shown(record.read(tmp_path), MONDAY)
    assert "[####################] 61 of 61 parts are done" in said
    assert "All parts are done. Hand in your notebooks." in said


def test_a_folder_that_can_not_be_written_to_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(OneheadError, match=r"progress can't be kept in .*: work in a folder that"):
        standing.note(tmp_path, tuple(COURSE.values()), [(LESSON, [result("TRACE")])])


# --- in a notebook -----------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's folder with notebooks, as the kernel's working folder."""
    write_submission(tmp_path, "untouched", "ipynb", [LESSON.stem, REVIEW.stem])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_check_is_kept_and_progress_shows_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"causal_mask": lambda T: [[k <= q for k in range(T)] for q in range(T)]}
    in_notebook.check("causal_mask", names)
    in_notebook.check("TRACE", {})
    assert record.read(folder).best("lesson-04", "causal_mask") == "right"
    capsys.readouterr()
    in_notebook.progress()
    said = capsys.readouterr().out
    assert "✓ right causal_mask" in said and "1 of 61 parts are done" in said
    page = (folder / standing.PAGE).read_text(encoding="utf-8")
    assert "<h1>Your progress</h1>" in page and "<code>causal_mask</code>" in page
    assert "<script" not in page and "http" not in page


def test_nothing_is_kept_while_nbgrader_runs_the_notebook(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    in_notebook.check("TRACE", {})
    in_notebook.progress()
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(AssertionError):
        in_notebook.check("TRACE", {})
    in_notebook.progress()
    assert {path.suffix for path in folder.iterdir()} == {".ipynb"}


def test_nothing_is_kept_where_no_notebook_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    in_notebook.check("TRACE", {})
    capsys.readouterr()
    in_notebook.progress()
    said = " ".join(capsys.readouterr().out.split())
    assert said == f"No notebook of the course is in {tmp_path}: no progress is kept."
    assert [*tmp_path.iterdir()] == []
