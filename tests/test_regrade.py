"""A fix shows whose marks it would change, and why, before it does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.test_cli import onehead
from tests.test_grading import order
from tests.test_intake import put
from tests.test_overrides import HEAD, marks

import onehead_solutions
from onehead import classroom, course, grading, regrade
from onehead.errors import OneheadError
from onehead.model import ExerciseResult, Names, PartResult
from onehead.regrade import why
from onehead_release.solved import write_submission

COURSE = onehead_solutions.load()
MATRIX, OUTPUT = "lesson-04", "lesson-05"


def broken() -> tuple[object, ...]:
    """The course with a wrong reference: future tokens are to be seen, not past ones."""

    def upside_down(inputs: Names, earlier: Names) -> object:
        return np.triu(np.ones((inputs.T, inputs.T), dtype=bool))

    lesson = COURSE[3]
    mask = lesson.parts[0]
    assert (lesson.id, mask.name) == (MATRIX, "causal_mask")
    wrong = replace(mask.stages[0], want=upside_down)
    parts = (replace(mask, stages=(wrong, *mask.stages[1:])), *lesson.parts[1:])
    return (*COURSE[:3], replace(lesson, parts=parts), *COURSE[4:])


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class graded with the wrong reference; from then on the course is as it should be."""
    write_submission(tmp_path / "class" / "ada", "solved", "py", ["04_matrix_form"])
    mistaken = "def causal_mask(T):\n    return np.triu(np.ones((T, T), bool))\n"
    mistaken = f"import numpy as np\n{mistaken}"
    put(tmp_path / "class" / "ben", {"04_matrix_form.py": mistaken})
    put(tmp_path / "class" / "cy", {"05_output_projection.py": "x = 1\n"})
    monkeypatch.setattr(course, "load", broken)
    monkeypatch.setattr(classroom, "fingerprint", lambda limits: "before")
    grading.run(order(tmp_path / "class", tmp_path / "out"), print, print)
    monkeypatch.setattr(course, "load", lambda: COURSE)
    monkeypatch.setattr(classroom, "fingerprint", lambda limits: "after")
    return tmp_path


def run(folder: Path, only: str | None = None, apply: bool = False) -> list[str]:
    said: list[str] = []
    regrade.run(order(folder / "class", folder / "out"), only, apply, said.append)
    return said


def everything(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and ".regrade" not in path.parts)
    return {str(path): path.read_bytes() for path in files}


def test_changes_are_shown_and_nothing_is_changed(graded: Path) -> None:
    before = everything(graded / "out")
    said = run(graded)
    assert said[0] == f"ada: {MATRIX} causal_mask: 0.5 -> 1 (now right: visible)"
    assert said[1].startswith(f"ben: {MATRIX} causal_mask: 1 -> 0.5 (now not right: visible, ")
    assert said[2:] == [
        "marks would change for 2 of 3 submissions: 1 gain, 1 lose",
        "nothing is changed yet: run the same with --apply to change it",
    ]
    assert everything(graded / "out") == before
    assert run(graded) == said


def test_what_was_shown_is_what_is_applied(graded: Path) -> None:
    shown = run(graded, MATRIX)
    before = marks(graded / "out")
    applied = run(graded, MATRIX, apply=True)
    assert applied[:2] == shown[:2]
    assert applied[2].startswith(f"marks have changed in {MATRIX} for 2 of 3")
    after = marks(graded / "out")
    assert (after["ada"] - before["ada"], after["ben"] - before["ben"]) == (0.5, -0.5)
    page = (graded / "out" / "feedback" / "ada" / "index.html").read_text()
    assert f"{after['ada']:g} of 114 points" in page
    assert json.loads((graded / "out" / "run.json").read_text())["regraded"] == MATRIX
    assert run(graded) == ["marks would change for 0 of 3 submissions"]


def test_applied_results_are_those_of_a_fresh_run(graded: Path) -> None:
    run(graded, apply=True)
    grading.run(order(graded / "class", graded / "fresh"), print, print)
    for name in ("results.jsonl", "grades.csv", "feedback/ben/index.html"):
        assert (graded / "out" / name).read_bytes() == (graded / "fresh" / name).read_bytes()
    assert grading.run(order(graded / "class", graded / "out"), print, print).kept == 3


def test_other_exercises_are_left_and_told_of(graded: Path) -> None:
    before = marks(graded / "out")
    said = run(graded, OUTPUT, apply=True)
    assert said == [
        f"marks have changed in {OUTPUT} for 0 of 3 submissions",
        f"other exercises would change, too, and were left: {MATRIX}",
    ]
    assert marks(graded / "out") == before


def test_an_own_mark_stands(graded: Path) -> None:
    (graded / "out" / "overrides.csv").write_text(HEAD + f"ben,{MATRIX},causal_mask,1,ours\n")
    assert "your own mark stands" in run(graded, apply=True)[1]
    with open(graded / "out" / "grades.csv") as stream:
        assert f",{marks(graded / 'out')['ben']}," in stream.read()
    assert "ours" in (graded / "out" / "feedback" / "ben" / "index.html").read_text()


def test_files_that_changed_since_are_told_apart(graded: Path) -> None:
    put(graded / "class" / "cy", {"04_matrix_form.py": "def causal_mask(T):\n    return 0\n"})
    write_submission(graded / "class" / "ben", "solved", "py", ["04_matrix_form"])
    said = run(graded, MATRIX)
    assert "its files have changed since" in next(line for line in said if line.startswith("ben"))
    assert "changed since" not in said[0]


def test_who_came_or_went_keeps_the_marks(graded: Path) -> None:
    (graded / "class" / "ben").rename(graded / "class" / "zoe")
    before = marks(graded / "out")["ben"]
    said = run(graded, apply=True)
    assert said[:2] == [
        "ben is not among the submissions: its marks stay",
        "zoe has no marks yet: onehead grade gives it some",
    ]
    assert marks(graded / "out")["ben"] == before


def test_a_failure_of_the_grader_changes_no_marks(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from onehead import pool

    def fails(*given: object) -> object:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(pool, "grade", fails)
    before = everything(graded / "out")
    said = run(graded, apply=True)
    assert said[0] == "the grader failed on ada this time: its marks stay"
    assert everything(graded / "out") == before


def test_a_plain_grade_after_a_fix_tells_what_it_has_changed(graded: Path) -> None:
    warned: list[str] = []
    grading.run(order(graded / "class", graded / "out"), print, warned.append)
    assert warned[-1].startswith(
        "the course or the grader has changed: 2 submissions have other marks for the same files "
        "(ada, ben); onehead regrade shows"
    )


def test_no_such_exercise_or_no_results(graded: Path) -> None:
    with pytest.raises(OneheadError, match="--exercise is 'four'; it can be one of lesson-01"):
        run(graded, "four")
    done = onehead("regrade", graded / "class", "--out", graded / "none")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert not (graded / "none").exists()


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("crashed", "graded", "the exercise was crashed, now graded"),
        ("graded", "graded", "was raised, now graded"),
    ],
)
def test_a_status_says_why(was: str, now: str, says: str) -> None:
    a, b = PartResult("p", "raised", 0.0, 1.0), PartResult("p", "graded", 1.0, 1.0)
    exercises = (ExerciseResult("x", status, 1.0, ()) for status in (was, now))
    assert why(*exercises, a, b) == says
