"""The feedback page, the progress page and nbgrader's formgrader, on a class that was graded."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.browser.test_front_ends import STEM
from tests.test_cli import onehead

ASSIGNMENT = "self-attention"
MISTAKEN = (" / math.sqrt(len(query))", "")


@pytest.fixture(scope="module")
def course(server: Any, release: Path) -> Path:
    """A course whose class is in its gradebook: ada is right, ben has no scaling in one part."""
    folder: Path = server.course
    shutil.copytree(release / "course", folder)
    solved = release / "solved" / "notebooks" / f"{STEM}.ipynb"
    for learner in ("ada", "ben"):
        handed_in = folder / "submitted" / learner / ASSIGNMENT
        handed_in.mkdir(parents=True)
        shutil.copy(solved, handed_in)
    theirs = folder / "submitted" / "ben" / ASSIGNMENT / solved.name
    theirs.write_text(theirs.read_text().replace(*MISTAKEN))
    done = onehead(
        "grade", folder / "submitted", "--out", folder / "results", "--isolation", "process",
        "--gradebook", folder / "gradebook.db",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_formgrader_shows_the_marks(
    page: Any, server: Any, course: Path, picture: Callable[[Any, str], None]
) -> None:
    page.goto(f"{server.url}/formgrader/manage_submissions/{ASSIGNMENT}")
    rows = page.locator("#main-table tr")
    rows.filter(has_text="ben").wait_for()
    picture(page, "formgrader-class")
    with open(course / "results" / "grades.csv", newline="") as stream:
        totals = {row["submission"]: float(row["total"]) for row in csv.DictReader(stream)}
    assert totals["ben"] < totals["ada"] == 10
    for learner, total in totals.items():
        assert f"{total:.4g} / 114" in rows.filter(has_text=learner).inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_feedback_page_is_for_everybody(
    page: Any,
    course: Path,
    scheme: str,
    axe: Callable[[Any], list[str]],
    picture: Callable[[Any, str], None],
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto((course / "results" / "feedback" / "ben" / "index.html").as_uri())
    assert "scale-missing" in page.locator("body").inner_text()
    picture(page, f"feedback-{scheme}")
    assert axe(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_progress_page_is_for_everybody(
    page: Any,
    release: Path,
    learner_python: Path,
    tmp_path: Path,
    scheme: str,
    axe: Callable[[Any], list[str]],
    picture: Callable[[Any, str], None],
) -> None:
    solved = release / "solved" / "notebooks" / f"{STEM}.ipynb"
    (tmp_path / solved.name).write_text(solved.read_text().replace(*MISTAKEN))
    command = [learner_python, "-c", "from onehead.cli import main; main()", "progress"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    page.emulate_media(color_scheme=scheme)
    page.goto((tmp_path / "progress.html").as_uri())
    picture(page, f"progress-{scheme}")
    assert axe(page) == []
