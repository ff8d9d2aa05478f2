"""Results are read back, checked, and written in a format that is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from tests.classes import graded_classes, small
from tests.test_cli import onehead

from onehead import isolation, reporting
from onehead.errors import OneheadError
from onehead.model import Graded
from onehead.reports import Wishes, formats, jsonl


def put(folder: Path, graded: Graded, level: str = "kernel") -> Path:
    """The folder as ``onehead grade`` leaves it."""
    folder.mkdir(exist_ok=True)
    lines = "".join(f"{jsonl.to_line(result)}\n" for result in graded.results)
    (folder / "results.jsonl").write_text(lines)
    record = {"failures": dict(graded.failed), "isolation": {"level": level}}
    (folder / "run.json").write_text(json.dumps(record))
    return folder


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(graded_classes())
def test_what_grade_wrote_is_read_back(tmp_path: Path, graded: Graded) -> None:
    read = reporting.load(put(tmp_path, graded))
    assert (read.results, read.failed) == (graded.results, graded.failed)


def test_a_weak_isolation_is_told_on_every_page(tmp_path: Path) -> None:
    put(tmp_path, small(), "process")
    report = reporting.make(tmp_path, "html", Wishes())
    assert all(escape(isolation.warning("process")) in page for page in report.files.values())


Break = Callable[[str], str]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text[:-40], "line 2 is torn"),
        (lambda text: text.replace("result/1", "result/9"), "line 1: data.schema must be"),
        (lambda text: text.replace('"score": 3.5', '"score": 8.0'), "line 2: score is 8, .* 3.5"),
        (
            lambda text: text.replace('"score": 2.5', '"score": "2"'),
            r"parts\[1\]\.score must be number",
        ),
        (lambda text: text.replace('"graded"', '"done"', 1), "status must be one of"),
        (lambda text: text + text.splitlines()[0] + "\n", "two lines for 'Ada Lovelace_101'"),
        (lambda text: "[]\n" + text, "line 1: data must be object"),
    ],
)
def test_a_file_that_was_not_left_so_is_refused_in_one_line(
    tmp_path: Path, change: Break, says: str
) -> None:
    path = put(tmp_path, small()) / "results.jsonl"
    path.write_text(change(path.read_text()))
    with pytest.raises(OneheadError, match=says) as refusal:
        reporting.load(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_run_that_is_not_finished_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(OneheadError, match=r"no results\.jsonl"):
        reporting.load(tmp_path)
    (put(tmp_path, small()) / "results.jsonl.part").touch()
    with pytest.raises(OneheadError, match="not finished"):
        reporting.load(tmp_path)


@pytest.mark.parametrize("text", ["{", "{}", '{"failures": 3, "isolation": {"level": ""}}'])
def test_a_record_that_can_not_be_read_is_no_class_without_failures(
    tmp_path: Path, text: str
) -> None:
    (put(tmp_path, small()) / "run.json").write_text(text)
    with pytest.raises(OneheadError, match=r"run\.json"):
        reporting.load(tmp_path)


@pytest.mark.parametrize("name", sorted(set(formats()) - {"canvas"}))
def test_each_format_is_written_as_it_was_made(tmp_path: Path, name: str) -> None:
    written, notes = reporting.write(put(tmp_path, small()), name, Wishes())
    assert (written, notes) != ([], ())
    report = reporting.make(tmp_path, name, Wishes())
    files = {tmp_path / "reports" / file: text.encode() for file, text in report.files.items()}
    assert {path: path.read_bytes() for path in written} == files


def test_report_says_what_it_has_written(tmp_path: Path) -> None:
    done = onehead("report", put(tmp_path, small()), "--format", "html")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"written: {tmp_path / 'reports' / 'html'}")


def test_report_fills_an_export_and_leaves_it_alone(tmp_path: Path) -> None:
    put(tmp_path, small())
    export = tmp_path / "export.csv"
    export.write_bytes(b"Student,ID,Task (7)\r\n,,\r\nNg,102,\r\n")
    out = tmp_path / "out"
    done = onehead("report", tmp_path, "--format", "canvas", "--fill", export, "--out", out)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "Ada Lovelace_101 has no row of the file to fill: enter its marks by hand",
        "the grader failed on Cy Young_103: its cell is left as it was",
    ]
    assert (out / "canvas.csv").read_bytes() == b"Student,ID,Task (7)\r\n,,\r\nNg,102,3.50\r\n"
    assert export.read_bytes() == b"Student,ID,Task (7)\r\n,,\r\nNg,102,\r\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--format", "pdf"], "pdf"),
        (["--format", "canvas"], "--fill"),
        (["--format", "canvas", "--fill", "nowhere.csv"], "nowhere.csv"),
        (["--format", "canvas", "--fill", "latin.csv"], "UTF-8"),
        (["--format", "csv", "--fill", "plain.csv"], "for canvas and moodle, not csv."),
        (["--format", "junit", "--column", "Grade"], "for canvas and moodle, not junit."),
        ([], "overview. See onehead report --help."),
    ],
)
def test_a_report_that_can_not_be_made_is_one_line_and_2(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    put(tmp_path, small())
    (tmp_path / "plain.csv").write_text("Student,ID\n")
    (tmp_path / "latin.csv").write_bytes(b"Student,ID\nZo\xeb,1\n")
    done = onehead("report", ".", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert says in done.stderr
