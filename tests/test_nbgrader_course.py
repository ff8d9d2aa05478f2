"""Real nbgrader grades the course as ``onehead grade`` does; each of its traps has a test."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat.v3 import MetadataValidatorV3

import onehead_solutions
from onehead.grade import grade_exercise
from onehead.model import Evidence, Finding, PartResult
from onehead.questioner import shown
from onehead.sandbox import Box, Limits
from onehead.submission import SubmissionFolder, read
from onehead.wording import NOT_REACHED
from onehead_release.nbgrader_course import hidden_test, released, run_nbgrader
from onehead_release.notebook import replace, to_bytes
from onehead_release.solved import answers

ASSIGNMENT = "self-attention"
BANK = Path(onehead_solutions.__file__).parent / "bank" / "wrong"
COURSE = {exercise.stem: exercise for exercise in onehead_solutions.load()}
BY_ID = {exercise.id: exercise.stem for exercise in COURSE.values()}
WRONG = (
    "scale-missing/attend.py",
    "mask-after-softmax",
    "softmax-over-queries",
    "softmax-unstable",
    "count-bias-missing",
    "mask-first-item",
    "cost-linear",
    "input-mutated",
    "output-transposed",
    "context-ignored",
)
# Each is right, and does something around it that nbgrader would misread.
TRAPS = {
    "prints to stderr": "import sys\nprint('noise', file=sys.stderr)\n",
    "warns": "import warnings\nwarnings.warn('noise')\n",
    "logs": "import logging\nlogging.warning('noise')\n",
    "shows": "from IPython.display import display\ndisplay('noise')\n",
}


def entry(name: str) -> Path:
    path = BANK / name
    return path if path.suffix else sorted(path.glob("*.py"))[0]


def stem_of(path: Path) -> str:
    line = next(x for x in path.read_text().splitlines() if x.startswith("# exercise: "))
    return BY_ID[line.removeprefix("# exercise: ").strip()]


def first_part(path: Path, stem: str) -> str:
    """The first part that the bank's entry defines: graded before later cells run."""
    text = path.read_text()
    names = [part.name for part in COURSE[stem].parts]
    return next(name for name in names if re.search(rf"(def|class) {name}\b|^{name} =", text, re.M))


class Class:
    """A course in which learners hand in notebooks, and nbgrader grades them."""

    def __init__(self, release: Path, folder: Path) -> None:
        shutil.copytree(release / "course", folder)
        self.folder, self.database = folder, f"sqlite:///{folder}/gradebook.db"

    def hand_in(self, learner: str, stem: str, cells: dict[str, str]) -> None:
        """The released notebook with these cells replaced."""
        notebook = nbformat.read(released(self.folder, stem), as_version=4)
        folder = self.folder / "submitted" / learner / ASSIGNMENT
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{stem}.ipynb").write_bytes(to_bytes(replace(notebook, cells)))

    def autograde(self) -> None:
        for command in ("generate_assignment", "autograde"):
            run_nbgrader(self.folder, command, ASSIGNMENT, "--db", self.database, "--force")

    def marks(self) -> dict[str, dict[str, float]]:
        """By learner and stem."""
        with Gradebook(self.database, "onehead") as book:
            return {
                submission.student.id: {n.name: n.score for n in submission.notebooks}
                for submission in book.assignment_submissions(ASSIGNMENT)
            }

    def points(self) -> dict[str, dict[str, float]]:
        """The points of each graded cell, by stem."""
        with Gradebook(self.database, "onehead") as book:
            notebooks = book.find_assignment(ASSIGNMENT).notebooks
            return {n.name: {c.name: c.max_score for c in n.grade_cells} for n in notebooks}

    def output(self, learner: str, stem: str) -> str:
        path = self.folder / "autograded" / learner / ASSIGNMENT / f"{stem}.ipynb"
        return path.read_text(encoding="utf-8")


def wrong_cells(path: Path, stem: str) -> dict[str, str]:
    """All solved, but for one cell: the reference, then the bank's wrong answer."""
    cell = f"{first_part(path, stem)}-stub"
    solved = answers(stem)
    return solved | {cell: f"{solved[cell]}\n\n\n{path.read_text()}"}


@pytest.fixture(scope="module")
def graded(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Solved, untouched, ten with a known mistake, and some with a trap, all autograded."""
    course = Class(release, tmp_path_factory.mktemp("nbgrader") / "course")
    for stem in COURSE:
        course.hand_in("solved", stem, answers(stem))
        course.hand_in("untouched", stem, {})
    for name in WRONG:
        path = entry(name)
        course.hand_in(path.parent.name, stem_of(path), wrong_cells(path, stem_of(path)))
    noisy = answers("04_matrix_form")
    for name, lines in TRAPS.items():
        body = "".join(f"    {line}\n" for line in lines.splitlines())
        quiet = noisy["causal_mask-stub"].replace("    return", f"{body}    return")
        course.hand_in(name, "04_matrix_form", noisy | {"causal_mask-stub": quiet})
    rounded = wrong_cells(entry("scale-missing/attend.py"), "03_projections")
    rounded["attend-stub"] = f"%precision 0\n{rounded['attend-stub']}"
    course.hand_in("rounds its marks", "03_projections", rounded)
    course.autograde()
    return course


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits()) as box:
        yield box


def ours(course: Class, learner: str, stem: str, box: Box) -> float:
    folder = SubmissionFolder(learner, course.folder, ("submitted", learner, ASSIGNMENT))
    return grade_exercise(COURSE[stem], read(folder, [stem]).sources[stem], box).score


def test_the_solved_submission_gets_all_points(graded: Class) -> None:
    due = {stem: exercise.points for stem, exercise in COURSE.items()}
    assert graded.marks()["solved"] == pytest.approx(due)


def test_the_untouched_submission_gets_none(graded: Class) -> None:
    assert graded.marks()["untouched"] == dict.fromkeys(COURSE, 0)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_submission_gets_what_onehead_gives(graded: Class, name: str, box: Box) -> None:
    path = entry(name)
    stem = stem_of(path)
    marks = graded.marks()[path.parent.name][stem]
    assert marks < COURSE[stem].points
    assert marks == pytest.approx(ours(graded, path.parent.name, stem, box))


@pytest.mark.parametrize("name", TRAPS)
def test_noise_costs_nothing_and_is_held_back(graded: Class, name: str) -> None:
    assert graded.marks()[name]["04_matrix_form"] == COURSE["04_matrix_form"].points
    outputs = [
        json.dumps(cell["outputs"])
        for cell in json.loads(graded.output(name, "04_matrix_form"))["cells"]
        if cell.get("id", "").endswith("-check")
    ]
    assert "noise" not in "".join(outputs)


def test_a_notebook_can_not_round_its_own_marks(graded: Class, box: Box) -> None:
    marks = graded.marks()["rounds its marks"]["03_projections"]
    assert marks == pytest.approx(ours(graded, "rounds its marks", "03_projections", box))


def test_the_points_are_the_contracts(graded: Class) -> None:
    assert graded.points() == {
        stem: {f"{part.name}-check": part.points for part in exercise.parts}
        for stem, exercise in COURSE.items()
    }


def test_hidden_cells_show_the_report_and_the_points(graded: Class) -> None:
    cells = json.loads(graded.output("scale-missing", "03_projections"))["cells"]
    (attend,) = (cell for cell in cells if cell.get("id") == "attend-check")
    told, score = ("".join(output["data"]["text/plain"]) for output in attend["outputs"])
    assert told.startswith(f"✗ attend: 6 of 7 checks are right; {float(score):g} of 3 points\n")
    assert "It looks like scale-missing" in told
    assert "yours minus expected" in "".join(attend["outputs"][0]["data"]["text/html"])


def test_what_is_not_public_is_not_right_and_no_more() -> None:
    part = COURSE["03_projections"].parts[0]
    hidden = Finding("Q", "projection", "Q", "wrong", "what a hidden case holds")
    public = dataclasses.replace(
        hidden, check="K", message="seen", evidence=Evidence("four tokens")
    )
    later = dataclasses.replace(hidden, check="V", message=f"V {NOT_REACHED}")
    result = PartResult("attend", "graded", 1.0, 3.0, ("Q", "K", "V"), (hidden, public, later))
    told = [finding.message for finding in shown(part, result).findings]
    assert told == ["it shows in a case that is not public", "seen", f"V {NOT_REACHED}"]


def test_nbgrader_feedback_gives_no_hidden_case_away(graded: Class) -> None:
    database = ["--db", graded.database, "--force"]
    run_nbgrader(graded.folder, "generate_feedback", ASSIGNMENT, *database)
    pages = list((graded.folder / "feedback").rglob("*.html"))
    assert len(pages) >= 30
    hidden = {
        case.name
        for exercise in COURSE.values()
        for part in exercise.parts
        for case in part.cases
        if not case.public and len(case.name.split()) >= 3
    }
    released_text = "".join(path.read_text() for path in released_notebooks(graded))
    secret = {name for name in hidden if name not in released_text}
    assert len(secret) > 50
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "onehead_solutions" not in text
        assert [name for name in secret if name in text] == []


def released_notebooks(course: Class) -> list[Path]:
    return [released(course.folder, stem) for stem in COURSE]


def test_what_a_hidden_cell_says_names_the_part_and_nothing_else() -> None:
    exercise = COURSE["03_projections"]
    assert hidden_test(exercise, exercise.parts[0]) == (
        "### BEGIN HIDDEN TESTS\n"
        "from onehead.nbgrader_cell import grade\n"
        'grade("lesson-03", "attend", globals())\n'
        "### END HIDDEN TESTS"
    )


@pytest.mark.parametrize("stem", COURSE)
def test_the_released_notebook_has_no_hidden_test_and_valid_metadata(
    release: Path, stem: str
) -> None:
    path = released(release / "course", stem)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    MetadataValidatorV3().validate_nb(notebook)
    assert "HIDDEN" not in path.read_text() and "nbgrader_cell" not in path.read_text()


@pytest.mark.parametrize("stem", COURSE)
def test_nbgrader_validates_the_solved_notebook(release: Path, stem: str) -> None:
    path = release / "solved" / "notebooks" / f"{stem}.ipynb"
    assert "Success" in run_nbgrader(path.parent, "validate", path.name)


def test_where_the_grader_fails_there_are_no_marks(release: Path, tmp_path: Path) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from onehead import nbgrader_cell\n"
        "nbgrader_cell.grade('lesson-99', 'no part', {})\n"
        "print('a mark')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == -9
    assert "a mark" not in done.stdout
    assert "not its author's fault: KeyError" in done.stderr
