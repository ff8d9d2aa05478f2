"""nbgrader's gradebook after ``onehead grade --gradebook``: read by nbgrader itself."""

from __future__ import annotations

import csv
import datetime
import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat.v3 import MetadataValidatorV3
from nbgrader.plugins import CsvExportPlugin
from tests.classes import NASTY, finding, part
from tests.test_cli import onehead

import onehead_solutions
from onehead import cell_names
from onehead import gradebook as gradebook_module
from onehead.errors import OneheadError
from onehead.gradebook import Book, comment_text
from onehead.model import Graded
from onehead.nbgrader_export import CsvExport
from onehead.reporting import load
from onehead.submission import SubmissionFolder, read
from onehead_release.nbgrader_course import run_nbgrader
from onehead_release.solved import write_submission

ASSIGNMENT = "self-attention"
COURSE = onehead_solutions.load()
STEMS = [exercise.stem for exercise in COURSE]
WRONG = "weights = stable_softmax(np.where(visible, scores, -np.inf))"


@contextmanager
def opened(course: Path) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own, with a newer SQLAlchemy
        with Gradebook(f"sqlite:///{course}/gradebook.db", "onehead") as book:
            yield book


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gradebook") / "submitted"
    write_submission(folder / "ada", "solved", "ipynb", STEMS)
    write_submission(folder / "ben", "solved", "py", ["04_matrix_form"])
    script = folder / "ben" / "04_matrix_form.py"
    text = script.read_text().replace("scores = scaled_scores(Q, K)", "scores = Q @ K.T")
    script.write_text(text)
    (folder / "ben" / "05_output_projection.ipynb").write_bytes(b"\x00 no notebook")
    write_submission(folder / "chloe", "untouched", "ipynb", ["04_matrix_form"])
    (folder / "chloe" / "timestamp.txt").write_text("2026-01-09 12:00:00 UTC\n")
    return folder


@pytest.fixture(scope="module")
def entered(release: Path, submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release's course after a class was graded into its gradebook. Others work on copies."""
    course = tmp_path_factory.mktemp("entered") / "course"
    shutil.copytree(release / "course", course)
    database = course / "gradebook.db"
    arguments = ["--isolation", "process", "--gradebook", database]
    done = onehead("grade", submitted, "--out", course / "results", *arguments)
    assert done.returncode == 0, done.stderr
    assert f"3 submissions entered in sqlite:///{database}" in done.stdout
    return course


@pytest.fixture
def course(entered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(entered, tmp_path / "course"))


def again(course: Path, graded: Graded, submitted: Path) -> Any:
    """Enter a class in the course's gradebook."""
    learners = {
        path.name: SubmissionFolder(path.name, submitted, (path.name,))
        for path in submitted.iterdir()
    }
    book = Book(str(course / "gradebook.db"), COURSE)
    return book.save(graded, lambda name: read(learners[name], STEMS))


def exported(course: Path) -> dict[str, dict[str, str]]:
    with opened(course) as book:
        CsvExport(to=str(course / "grades.csv")).export(book)
    return rows(course)


def rows(course: Path) -> dict[str, dict[str, str]]:
    with open(course / "grades.csv", newline="") as stream:
        return {row["student_id"]: row for row in csv.DictReader(stream)}


def scores(course: Path) -> dict[str, float]:
    return {name: float(row["score"]) for name, row in exported(course).items()}


def test_every_cell_has_its_parts_marks(entered: Path) -> None:
    graded = load(entered / "results")
    with opened(entered) as book:
        for result in graded.results:
            submission = book.find_submission(ASSIGNMENT, result.submission)
            found = {(n.name, g.name): g.score for n in submission.notebooks for g in n.grades}
            assert not submission.needs_manual_grade
            assert found == {
                (exercise.stem, cell_names.check(part.name)): part.score
                for exercise, marked in zip(COURSE, result.exercises, strict=True)
                for part in marked.parts
            }


def test_nbgraders_export_has_the_same_totals(course: Path) -> None:
    graded = load(course / "results")
    due = {result.submission: result.score for result in graded.results}
    assert due["ada"] == 114 and 7 < due["ben"] < 10 and due["chloe"] == 0
    assert scores(course) == pytest.approx(due)
    ada = exported(course)["ada"]
    assert (ada["score"], ada["max_score"]) == ("114.0", "114.0")  # no 114.00000000000001


def test_the_courses_settings_name_our_export_with_nbgraders_columns(course: Path) -> None:
    with opened(course) as book:
        book.add_student("dora", first_name="Dora, the second")
        book.add_submission(ASSIGNMENT, "dora")
        CsvExportPlugin(to=str(course / "theirs.csv")).export(book)
    run_nbgrader(course, "export", "--db", f"sqlite:///{course}/gradebook.db")
    theirs = (course / "theirs.csv").read_text()
    lines = zip((course / "grades.csv").read_text().splitlines(), theirs.splitlines(), strict=True)
    for our, their in lines:
        if "dora" not in our:
            ours, others = our.split(","), their.split(",")
            assert ours[:7] == others[:7]
            if ours[3] != "student_id":
                assert [*map(float, ours[7:])] == pytest.approx([*map(float, others[7:])])
    assert rows(course)["dora"]["first_name"] == "Dora, the second"
    assert ",0.0,0.0,0.0," in theirs and rows(course)["dora"]["score"] == ""


def test_comments_name_what_is_wrong(entered: Path) -> None:
    with opened(entered) as book:
        name = cell_names.stub("self_attention")
        ben = book.find_comment(name, "04_matrix_form", ASSIGNMENT, "ben").comment
        chloe = book.find_comment(name, "04_matrix_form", ASSIGNMENT, "chloe").comment
    assert ben.startswith(
        "3.5 of 4 points. 7 of 8 checks are right.\n* **scale-missing** `` scores"
    )
    assert chloe == "No response."


@pytest.mark.parametrize("learner", ["ada", "ben", "chloe"])
def test_the_notebooks_are_valid_and_have_every_cell(entered: Path, learner: str) -> None:
    for exercise in COURSE:
        path = entered / "autograded" / learner / ASSIGNMENT / f"{exercise.stem}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        MetadataValidatorV3().validate_nb(notebook)
        names = [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]
        due = [f(part.name) for part in exercise.parts for f in (cell_names.stub, cell_names.check)]
        assert sorted(names) == sorted(due)


def test_a_script_is_shown_with_each_check_behind_what_it_checks(entered: Path) -> None:
    path = entered / "autograded" / "ben" / ASSIGNMENT / "04_matrix_form.ipynb"
    shown = json.loads(path.read_text())["cells"]
    ids = [cell["id"] for cell in shown]
    at = ids.index("self_attention-check")
    assert ids[at - 1] == "self_attention-stub"
    assert "scores = Q @ K.T" in shown[at - 1]["source"]
    assert "scale-missing" in shown[at]["outputs"][0]["text"]
    damaged = json.loads(path.with_name("05_output_projection.ipynb").read_text())["cells"]
    assert "no notebook" in damaged[0]["source"]


def test_nbgraders_feedback_has_marks_and_comments(course: Path) -> None:
    database = f"sqlite:///{course}/gradebook.db"
    run_nbgrader(course, "generate_feedback", ASSIGNMENT, "--db", database, "--student", "ben")
    page = (course / "feedback" / "ben" / ASSIGNMENT / "04_matrix_form.html").read_text()
    assert "<strong>scale-missing</strong> <code>scores[query 0, key 0]" in page
    assert "(Score: 3.5 / 4.0)" in page
    pages = list((course / "feedback").rglob("*.html"))
    assert len(pages) == 10
    assert not any("onehead_solutions" in page.read_text() for page in pages)


def test_formgrader_finds_the_submissions(course: Path) -> None:
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import Config

    settings = Config()
    settings.CourseDirectory.root = str(course)
    settings.CourseDirectory.db_url = f"sqlite:///{course}/gradebook.db"
    settings.CourseDirectory.course_id = "onehead"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api = NbGraderAPI(config=settings)
        found = {entry["student"]: entry for entry in api.get_submissions(ASSIGNMENT)}
        notebooks = api.get_notebook_submissions(ASSIGNMENT, "04_matrix_form")
    assert {name: entry["autograded"] for name, entry in found.items()} == dict.fromkeys(
        ("ada", "ben", "chloe"), True
    )
    assert found["ada"]["score"] == pytest.approx(114)
    assert sorted(entry["student"] for entry in notebooks) == ["ada", "ben", "chloe"]


def test_a_regrade_keeps_what_a_person_has_entered(course: Path, submitted: Path) -> None:
    graded = load(course / "results")
    before = scores(course)["ben"]
    with opened(course) as book:
        ask = ("04_matrix_form", ASSIGNMENT, "ben")
        grade = book.find_grade(cell_names.check("self_attention"), *ask)
        grade.manual_score, grade.extra_credit = 4.0, 0.25
        book.find_comment(cell_names.stub("self_attention"), *ask).manual_comment = "by hand"
        book.db.commit()
    again(course, graded, submitted)
    assert scores(course)["ben"] == before + 0.5 + 0.25
    with opened(course) as book:
        grade = book.find_grade(cell_names.check("self_attention"), *ask)
        assert (grade.auto_score, grade.manual_score, grade.extra_credit) == (3.5, 4.0, 0.25)
        assert grade.needs_manual_grade  # nbgrader's own rule: for review
        comment = book.find_comment(cell_names.stub("self_attention"), *ask)
        assert comment.comment == "by hand" and "scale-missing" in comment.auto_comment


def test_late_penalties_are_nbgraders(course: Path, submitted: Path) -> None:
    settings = course / "nbgrader_config.py"
    text = settings.read_text()
    settings.write_text(f'{text}\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    with opened(course) as book:
        assert book.find_submission(ASSIGNMENT, "chloe").timestamp == datetime.datetime(
            2026, 1, 9, 12
        )
        book.find_assignment(ASSIGNMENT).duedate = datetime.datetime(2026, 1, 1)
        book.find_submission(ASSIGNMENT, "ben").timestamp = datetime.datetime(2026, 1, 2)
        book.db.commit()
    graded = load(course / "results")
    again(course, graded, submitted)
    row = exported(course)["ben"]
    assert row["raw_score"] == row["late_submission_penalty"] != "0.0"
    assert (row["score"], exported(course)["ada"]["late_submission_penalty"]) == ("0.0", "0.0")
    settings.write_text(text)
    again(course, graded, submitted)
    assert exported(course)["ben"]["late_submission_penalty"] == "0.0"


def test_what_could_not_be_graded_is_no_exported_zero(course: Path, submitted: Path) -> None:
    graded = load(course / "results")
    with opened(course) as book:
        book.add_student("dora")
        book.add_student("never")
    (submitted / "dora").mkdir(exist_ok=True)
    (submitted / "emil").mkdir(exist_ok=True)
    failed = Graded(graded.results[:1], {name: "a fault" for name in ("ben", "dora", "emil")})
    try:
        saved = again(course, failed, submitted)
    finally:
        (submitted / "dora").rmdir()
        (submitted / "emil").rmdir()
    assert (saved.waiting, saved.unknown) == (["ben", "dora"], ["emil"])
    found = exported(course)
    assert "emil" not in found
    assert (found["dora"]["score"], found["dora"]["raw_score"]) == ("", "")
    assert float(found["ben"]["score"]) > 7  # of what was handed in before
    assert found["never"]["score"] == "0.0"  # as in nbgrader: handed in nothing
    with opened(course) as book:
        assert book.find_submission(ASSIGNMENT, "ben").needs_manual_grade


@pytest.mark.parametrize("text", [*NASTY, "$$x$$ \\begin{align}", "`` `a` **b**"])
def test_a_learners_text_in_a_comment_stays_text(text: str) -> None:
    from nbconvert.filters import markdown2html

    said = markdown2html(comment_text(part("attend", 1.0, 3.0, finding(text))))
    tags = {tag.split()[0].strip("<>/") for tag in said.replace(">", "> ").split("<")[1:]}
    assert tags <= {"p", "ul", "li", "code"}
    assert said.count("<li>") == 1


# --- what can't be used ------------------------------------------------------------------


def test_without_nbgrader_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gradebook_module, "find_spec", lambda name: None)
    with pytest.raises(OneheadError, match=r"pip install 'onehead\[nbgrader\]'"):
        Book(str(tmp_path / "gradebook.db"), COURSE)


def test_a_gradebook_of_another_course_is_refused(course: Path) -> None:
    with opened(course) as book:
        book.find_grade_cell(cell_names.check("attend"), "03_projections", ASSIGNMENT).max_score = 5
        book.db.commit()
    with pytest.raises(OneheadError, match="'03_projections' has other cells or points"):
        Book(str(course / "gradebook.db"), COURSE)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("nowhere/gradebook.db", "no folder"),
        ("gradebook.db", "holds none"),
        ("text.db", "can't be used .*not a database"),
        ("broken/gradebook.db", r"nbgrader_config\.py' can't be loaded: SyntaxError"),
    ],
)
def test_a_gradebook_that_can_not_be_used_is_one_line(
    tmp_path: Path, where: str, says: str
) -> None:
    (tmp_path / "text.db").write_text("no database, however long this text is" * 100)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "nbgrader_config.py").write_text("c =")
    with pytest.raises(OneheadError, match=says) as refusal:
        Book(str(tmp_path / where), COURSE)
    assert "\n" not in str(refusal.value)


def test_a_gradebook_that_can_not_be_used_stops_before_anything_is_graded(tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    out = tmp_path / "out"
    done = onehead("grade", tmp_path / "class", "--out", out, "--gradebook", tmp_path / "g.db")
    assert (done.returncode, done.stdout) == (2, "")
    assert not out.exists()
