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


@pytest.fixture(scope="module")
def pages(
    course: Path, release: Path, learner_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """What onehead writes for people to read, each with ben's mistake in it."""
    results = course / "results"
    done = onehead("report", results, "--format", "overview")
    assert done.returncode == 0, done.stderr
    folder = tmp_path_factory.mktemp("mine")
    solved = release / "solved" / "notebooks" / f"{STEM}.ipynb"
    (folder / solved.name).write_text(solved.read_text().replace(*MISTAKEN))
    command = [learner_python, "-c", "from onehead.cli import main; main()", "progress"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    reports = results / "reports"
    return {
        "feedback": results / "feedback" / "ben" / "index.html",
        "overview": reports / "overview.html",
        "shareable": reports / "overview-shareable.html",
        "progress": folder / "progress.html",
    }


SAYS = {
    "feedback": "scale-missing",
    "overview": "scale-missing",
    "shareable": "scale-missing",
    "progress": "attention_reading",
}
# How people read: what a browser is told of the reader, and the width that is left of 1280 pixels.
READERS: dict[str, tuple[dict[str, str], int]] = {
    "light": ({"color_scheme": "light"}, 1280),
    "dark": ({"color_scheme": "dark"}, 1280),
    "forced-colours": ({"forced_colors": "active"}, 1280),
    "forced-dark": ({"forced_colors": "active", "color_scheme": "dark"}, 1280),
    "zoom-200": ({"color_scheme": "light"}, 640),
}


def read_as(page: Any, reader: str) -> int:
    """Show a page as such a reader has it; the width that it may take."""
    media, width = READERS[reader]
    page.emulate_media(**{"forced_colors": "none", **media})
    page.set_viewport_size({"width": width, "height": 1000})
    return width


@pytest.mark.parametrize("name", SAYS)
def test_a_page_is_for_everybody(
    page: Any,
    pages: dict[str, Path],
    name: str,
    axe: Callable[[Any], list[str]],
    picture: Callable[[Any, str], None],
) -> None:
    page.goto(pages[name].as_uri())
    assert SAYS[name] in page.locator("body").inner_text()
    for reader in READERS:
        width = read_as(page, reader)
        picture(page, f"{name}-{reader}")
        assert axe(page) == [], reader
        assert page.evaluate("document.documentElement.scrollWidth") <= width, reader
