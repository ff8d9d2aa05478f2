"""A run over what an LMS hands out: taken in, graded, told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.test_cli import onehead
from tests.test_intake import put, text_for, zipped

from onehead import grading
from onehead.reporting import load
from onehead.sandbox import Limits
from onehead_release.solved import write_submission

FOUR, FIVE = "04_matrix_form", "05_output_projection"


DAMAGED = (
    "is damaged; 1 code cell could be read: ask for it again; "
    "Untitled.ipynb is read as 08_audit, by what it defines"
)


@pytest.fixture
def downloaded(tmp_path: Path) -> Path:
    """What Canvas hands out: a solved script under another name, a late archive, an essay."""
    write_submission(tmp_path / "solved", "solved", "py", [FOUR, FIVE])
    four, five = ((tmp_path / "solved" / f"{stem}.py").read_bytes() for stem in (FOUR, FIVE))
    return put(
        tmp_path / "downloaded",
        {
            f"doejane_98_5001_{FOUR}-1.py": four,
            "ngben_LATE_99_5002_my work.zip": zipped({"lesson five.py": five}),
            "ngben_LATE_99_5003_Untitled.ipynb": text_for("x.ipynb", "08_audit", "x")[:-9],
            "older_101_5004_essay.pdf": "",
        },
    )


def order(submissions: Path, out: Path, **more: object) -> grading.Order:
    return grading.Order(submissions, out, Limits(seconds=5.0), "process", **more)  # type: ignore[arg-type]


def test_what_an_lms_hands_out_is_graded_and_what_was_not_read_is_told(
    downloaded: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    warned: list[str] = []
    out = tmp_path / "out"
    grading.run(order(downloaded, out), said.append, warned.append)
    marks = {result.submission: result.score for result in load(out).results}
    assert marks == {"doejane_98": 10, "ngben_99": 10, "older_101": 0}
    assert said == [f"3 submissions graded, results in {out}"]
    assert warned[1:] == [
        "1 submission has files that the LMS marks as late: they count; --late leave leaves them",
        f"ngben_LATE_99_5003_Untitled.ipynb {DAMAGED}",
        "older_101_5004_essay.pdf is neither a notebook nor a script",
    ]
    assert json.loads((out / "run.json").read_text())["to_look_at"] == [
        {
            "submission": "ngben_99",
            "file": "ngben_LATE_99_5003_Untitled.ipynb",
            "told": DAMAGED,
        },
        {
            "submission": "older_101",
            "file": "older_101_5004_essay.pdf",
            "told": "is neither a notebook nor a script",
        },
    ]
    page = (out / "feedback" / "doejane_98" / "index.html").read_text()
    assert f"{FOUR}-1.py is read as {FOUR}" in page


def test_a_late_submission_can_be_left(downloaded: Path, tmp_path: Path) -> None:
    grading.run(order(downloaded, tmp_path / "out", late="leave"), print, print)
    marks = {result.submission: result.score for result in load(tmp_path / "out").results}
    assert marks["ngben_99"] == 0


def test_a_run_is_the_same_again_and_keeps_what_it_has(downloaded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    grading.run(order(downloaded, out), print, print)
    before = (out / "results.jsonl").read_bytes()
    assert grading.run(order(downloaded, out), print, print).kept == 3
    assert (out / "results.jsonl").read_bytes() == before


def test_a_dry_run_shows_the_matching_and_writes_nothing(downloaded: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    done = onehead("grade", downloaded, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "doejane_98: 1 of 10 exercises",
        f"    doejane_98_5001_{FOUR}-1.py -> {FOUR} ({FOUR}-1.py is read as {FOUR})",
        "ngben_99: 2 of 10 exercises",
        f"    ngben_LATE_99_5002_my work.zip/lesson five.py -> {FIVE} (lesson five.py is read as "
        f"{FIVE}, by what it defines; late)",
        f"  ! ngben_LATE_99_5003_Untitled.ipynb -> 08_audit ({DAMAGED}; late)",
        "older_101: 0 of 10 exercises",
        "  ! older_101_5004_essay.pdf (is neither a notebook nor a script)",
        "3 submissions; 2 files to look at, marked with !",
    ]
    assert sorted(tmp_path.rglob("*")) == before


def test_many_files_to_look_at_are_told_in_few_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "MOST", 2)
    put(tmp_path / "class", {f"learner{k}/essay.pdf": "" for k in range(5)})
    warned: list[str] = []
    grading.run(order(tmp_path / "class", tmp_path / "out"), print, warned.append)
    assert len(warned) == 4
    assert warned[-1] == "and 3 more files to look at: see --dry-run"


def test_without_out_only_a_dry_run_can_be_made(tmp_path: Path) -> None:
    put(tmp_path, {"amara/essay.pdf": ""})
    done = onehead("grade", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--out" in done.stderr and len(done.stderr.splitlines()) == 1
