"""The instructor's page: its commands are run, one after the other, and do what it says."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from onehead_release.solved import write_submission

PAGE = Path(__file__).parent.parent / "docs" / "instructor.md"
BUILD = "onehead release build --out release\n"
FOUR, FIVE = "04_matrix_form", "05_output_projection"
WORKSHEET = (
    "Identifier,Full name,Grade,Maximum grade\n"
    "Participant 101,Ada Lovelace,,114.00\n"
    "Participant 102,Ben Ng,,114.00\n"
)
EXPORT = (
    "Student,ID,SIS Login ID,Section,Self-attention (7),Essay (8)\n"
    "    Points Possible,,,,114.0,10.0\n"
    '"Lovelace, Ada",101,ada,A,,\n'
    '"Ng, Ben",102,ben,A,,\n'
)


def fences(language: str) -> list[str]:
    """The page's blocks of a language; "" for those that name none."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def term(release: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which an instructor has done all that the page says, and what was said."""
    folder = tmp_path_factory.mktemp("term")
    shutil.copytree(release, folder / "release")  # as its first command makes it
    ada = folder / "downloads" / "Ada Lovelace_101_assignsubmission_file"
    write_submission(ada, "solved", "py", [FOUR, FIVE])
    (ada / f"{FOUR}.py").rename(ada / f"{FOUR} (1).py")
    ben = folder / "downloads" / "Ben Ng_102_assignsubmission_file"
    ben.mkdir()
    (ben / "essay.pdf").touch()
    write_submission(folder / "collected" / "ada" / "self-attention", "solved", "ipynb", [FOUR])
    (folder / "worksheet.csv").write_text(WORKSHEET)
    (folder / "export.csv").write_text(EXPORT)
    overrides = next(text for text in fences("") if text.startswith("submission,"))
    blocks = fences("sh")
    assert BUILD in blocks[0]
    blocks[0] = blocks[0].replace(BUILD, "")
    decided = next(k for k, text in enumerate(blocks) if "overview" in text) + 1
    blocks.insert(decided, f"cat > results/overrides.csv <<'END'\n{overrides}END\n")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": programs, "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    done = subprocess.run(
        ["bash", "-euxc", "\n".join(blocks)],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return folder, done.stdout


def table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_dry_run_says_what_the_page_shows(term: tuple[Path, str]) -> None:
    shown = next(text for text in fences("") if text.startswith("Ada Lovelace_101:"))
    for line in shown.splitlines():
        assert line in term[1]


def test_marks_are_in_both_gradebooks(term: tuple[Path, str]) -> None:
    folder, said = term
    moodle = table(folder / "results" / "reports" / "moodle.csv")
    assert [row["Grade"] for row in moodle] == ["20.00", "0.00"]
    canvas = table(folder / "results" / "reports" / "canvas.csv")
    assert [row["Self-attention (7)"] for row in canvas] == ["114.0", "20.00", "0.00"]
    assert (folder / "worksheet.csv").read_text() == WORKSHEET
    assert "Ben Ng_102_assignsubmission_file/essay.pdf is neither a notebook nor a script" in said


def test_an_own_mark_counts_and_is_shown(term: tuple[Path, str]) -> None:
    folder, _ = term
    totals = {row["submission"]: row["total"] for row in table(folder / "results" / "grades.csv")}
    assert totals == {"Ada Lovelace_101": "20.0", "Ben Ng_102": "1.0"}
    page = (folder / "results" / "feedback" / "Ben Ng_102" / "index.html").read_text()
    assert "right but for a typo in its name" in page


def test_nothing_changes_where_nothing_was_mended(term: tuple[Path, str]) -> None:
    assert "marks would change in lesson-04 for 0 of 2 submissions" in term[1]
    assert "marks have changed in lesson-04 for 0 of 2 submissions" in term[1]


def test_nbgrader_has_marks_and_feedback(term: tuple[Path, str]) -> None:
    folder, _ = term
    (row,) = table(folder / "course" / "grades.csv")
    assert (row["student_id"], float(row["score"])) == ("ada", 10)
    pages = list((folder / "course" / "feedback").rglob("*.html"))
    assert len(pages) == 10


def test_the_rest_is_where_the_page_says(term: tuple[Path, str]) -> None:
    folder, _ = term
    for name in (
        "release/onehead-learner.zip",
        "release/github/.github/workflows/check.yml",
        "results/reports/overview.html",
        "results/reports/overview-shareable.html",
        "autograder.zip",
    ):
        assert (folder / name).is_file(), name
    assert "Ada Lovelace" in (folder / "summary.md").read_text()
