"""A class: the same bytes whatever the jobs, nothing lost, nobody's fault on anybody else."""

from __future__ import annotations

import csv
import fcntl
import json
import multiprocessing
import os
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from multiprocessing import Pipe
from pathlib import Path

import jsonschema
import pytest

import onehead_solutions
from onehead import pool
from onehead.classroom import Class, Run, grade_class
from onehead.errors import OneheadError
from onehead.grade import grade_exercise
from onehead.isolation import choose
from onehead.ledger import PART
from onehead.pool import _Pool
from onehead.reports import jsonl
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source
from onehead.submission import SubmissionFolder
from onehead_release.solved import write_submission

STEMS = [exercise.stem for exercise in onehead_solutions.load()]
LIMITS = Limits(seconds=5.0)


def run(submissions: Path, out: Path, jobs: int = 1, resume: bool = True) -> Run:
    return grade_class(Class(submissions, out, LIMITS, choose("process"), jobs, resume))


def lines(out: Path) -> list[str]:
    return (out / "results.jsonl").read_text().splitlines()


def grades(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "grades.csv").read_text().splitlines()))


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "submitted"
    few = ["04_matrix_form", "05_output_projection"]
    write_submission(folder / "ada", "solved", "ipynb", few)
    write_submission(folder / "ben", "solved", "py", few)
    write_submission(folder / "chloe", "untouched", "ipynb", few)
    write_submission(folder / "dan", "solved", "py", few)
    (folder / "dan" / "04_matrix_form.py").write_text("import os\nos._exit(1)\n")
    (folder / "eve").mkdir()
    (folder / "eve" / "04_matrix_form.ipynb").write_bytes(b"\x00\xff no notebook")
    return folder


@pytest.fixture(scope="module")
def graded(submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("graded")
    run(submitted, out)
    return out


def test_marks_of_a_small_class(graded: Path) -> None:
    results = {r.submission: r for r in map(jsonl.from_line, lines(graded))}
    assert {name: result.score for name, result in results.items()} == {
        "ada": 20.0, "ben": 20.0, "chloe": 0.0, "dan": 10.0, "eve": 0.0,
    }  # fmt: skip
    statuses = {name: result.exercises[3].status for name, result in results.items()}
    assert (statuses["dan"], statuses["eve"]) == ("crashed", "unreadable")
    assert [e.id for e in results["eve"].exercises] == [e.id for e in onehead_solutions.load()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_bytes_again_and_with_any_number_of_jobs(
    submitted: Path, graded: Path, tmp_path: Path, jobs: int
) -> None:
    run(submitted, tmp_path, jobs)
    for name in (
        "results.jsonl",
        "grades.csv",
        "feedback/ada/index.html",
        "feedback/eve/index.html",
    ):
        assert (tmp_path / name).read_bytes() == (graded / name).read_bytes()


def test_no_file_of_the_run_is_left_over(graded: Path) -> None:
    assert {path.name for path in graded.iterdir()} == {
        "results.jsonl", "grades.csv", "run.json", "feedback", ".digests.jsonl", ".lock",
    }  # fmt: skip


def test_lines_fit_the_schema(graded: Path) -> None:
    schema = json.loads(jsonl.SCHEMA_FILE.read_text())
    for line in lines(graded):
        jsonschema.validate(json.loads(line), schema)
        assert jsonl.to_line(jsonl.from_line(line)) == line


def test_grades_csv_has_a_row_a_submission(graded: Path) -> None:
    rows = grades(graded)
    assert [row["submission"] for row in rows] == ["ada", "ben", "chloe", "dan", "eve"]
    assert (rows[3]["lesson-04"], rows[3]["lesson-05"], rows[3]["total"]) == ("0.0", "10.0", "10.0")


def test_the_record_says_how_code_was_isolated(graded: Path) -> None:
    record = json.loads((graded / "run.json").read_text())
    assert record["isolation"]["level"] == "process"
    assert record["failures"] == {}
    page = (graded / "feedback/ada/index.html").read_text()
    assert "isolation level process" in page


def test_the_record_has_the_memory_of_this_run_alone(submitted: Path, tmp_path: Path) -> None:
    ballast = bytearray(b"x") * 2**29  # of the program that starts the run
    onehead = Path(sys.executable).with_name("onehead")
    command = [onehead, "grade", submitted, "--out", tmp_path, "--isolation", "process"]
    subprocess.run(command, check=True, capture_output=True)
    record = json.loads((tmp_path / "run.json").read_text())
    assert 20 < record["peak_memory_mb"] < len(ballast) / 2**20


def test_unchanged_submissions_are_not_graded_again(
    submitted: Path, graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    real = pool.grade_one
    monkeypatch.setattr(
        pool, "grade_one", lambda c, who, *how: asked.append(who.name) or real(c, who, *how)
    )
    before = (graded / "results.jsonl").read_bytes()
    assert run(submitted, graded).kept == 5
    assert asked == []
    assert (graded / "results.jsonl").read_bytes() == before


def test_a_run_that_stopped_goes_on_where_it_was(
    submitted: Path, graded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = pool.grade_one, []

    def stop_at_third(*given: object) -> pool.Answer:
        asked.append(1)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(pool, "grade_one", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        run(submitted, tmp_path)
    part = tmp_path / PART
    assert len(part.read_text().splitlines()) == 2
    part.write_text(part.read_text() + '{"schema": "onehead/result/1", "submission": "chl')
    monkeypatch.setattr(pool, "grade_one", real)
    assert run(submitted, tmp_path).kept == 2
    assert (tmp_path / "results.jsonl").read_bytes() == (graded / "results.jsonl").read_bytes()


def test_the_grader_own_failure_is_blank_and_never_zero(
    submitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pool.grade

    def fails_on_ben(course: Sequence[object], submission: object, box: object) -> object:
        if submission.name == "ben":  # type: ignore[attr-defined]
            raise RuntimeError("a fault of ours")
        return real(course, submission, box)  # type: ignore[arg-type]

    monkeypatch.setattr(pool, "grade", fails_on_ben)
    assert list(run(submitted, tmp_path).failures) == ["ben"]
    rows = {row["submission"]: row for row in grades(tmp_path)}
    assert (rows["ben"]["total"], rows["ada"]["total"]) == ("", "20.0")
    assert "a fault of ours" in json.loads((tmp_path / "run.json").read_text())["failures"]["ben"]
    monkeypatch.setattr(pool, "grade", real)
    again = run(submitted, tmp_path)
    assert (again.failures, again.kept) == ({}, 4)


def test_a_second_grader_leaves_a_folder_in_use_alone(submitted: Path, tmp_path: Path) -> None:
    with open(tmp_path / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OneheadError, match="another grader is at work"):
            run(submitted, tmp_path)


def test_a_worker_ends_without_a_word_when_its_grader_is_gone(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Also where the grader leaves with an answer unread, which resets the connection."""
    ours, theirs = Pipe()
    theirs.send(("ada", "an answer that nobody reads"))
    ours.close()
    pool._work(theirs, pool.How(LIMITS, "process"))
    assert capfd.readouterr().err == ""


def test_the_same_code_is_run_once_and_a_crash_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that may have been the machine's doing are not handed on."""
    exercise = {e.stem: e for e in onehead_solutions.load()}["04_matrix_form"]
    real, opened = Box.child, []
    monkeypatch.setattr(Box, "child", lambda *how: opened.append(1) or real(*how))

    def children(source: str, box: Box) -> int:
        before = len(opened)
        grade_exercise(exercise, Source("ok", (Cell("cell 1", source),)), box)
        return len(opened) - before

    right = "import numpy as np\n\ndef causal_mask(T):\n    return np.tri(T) > 0\n"
    crash = "import os\n\ndef causal_mask(T):\n    os._exit(1)\n"
    with Box(LIMITS, "process") as box:
        assert [children(right, box) > 0, children(right, box)] == [True, 0]
        assert children(f"{right}# my own", box) > 0
        assert [children(crash, box) > 0, children(crash, box) > 0] == [True, True]
    with Box(Limits(seconds=6.0), "process") as other:
        assert children(right, other) > 0


def test_a_submission_that_ends_its_grading_process_is_alone_to_blame(
    submitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that its process was to grade next are graded by another."""
    fork, real = multiprocessing.get_context("fork"), pool.grade_one

    def dies_on_ben(exercises: object, learner: object, *how: object) -> pool.Answer:
        if learner.name == "ben":  # type: ignore[attr-defined]
            os._exit(1)
        return real(exercises, learner, *how)  # type: ignore[arg-type]

    monkeypatch.setattr(pool.mp, "get_context", lambda kind: fork)  # workers have the change below
    monkeypatch.setattr(pool, "grade_one", dies_on_ben)
    done = run(submitted, tmp_path, jobs=2)
    assert done.failures == {"ben": "its grading process ended twice"}
    assert [json.loads(line)["submission"] for line in lines(tmp_path)] == [
        "ada",
        "chloe",
        "dan",
        "eve",
    ]


def test_a_module_in_the_current_folder_is_not_run(submitted: Path, tmp_path: Path) -> None:
    """It may be a learner's: the grader may be started where files were handed in."""
    here = tmp_path / "here"
    here.mkdir()
    for name in ("numpy", "socket", "click", "onehead"):
        text = f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\nraise ImportError\n"
        (here / f"{name}.py").write_text(text)
    onehead = Path(sys.executable).with_name("onehead")
    command = [onehead, "grade", submitted, "--out", tmp_path / "out", "--jobs", "2"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
    subprocess.run(command, check=True, capture_output=True, cwd=here, env=environment)
    assert not (tmp_path / "ran").exists()


def test_processes_that_do_not_start_are_one_clear_line(
    submitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(process: object) -> None:
        raise EOFError

    monkeypatch.setattr(multiprocessing.get_context("forkserver").Process, "start", ended)
    with pytest.raises(OneheadError, match=r"can't start a grading process .*--jobs 1"):
        run(submitted, tmp_path, jobs=2)


def test_the_next_submission_is_handed_out_while_there_are_enough_for_all() -> None:
    workers = _Pool(pool.How(LIMITS, "process"), 2)
    held = {Pipe()[0]: deque() for _ in range(2)}  # type: ignore[var-annotated]
    workers._given, workers._workers = held, dict.fromkeys(held)
    waiting = [(SubmissionFolder(str(k), Path()), 1) for k in reversed(range(6))]
    workers._hand_out(waiting)
    assert [[who.name for who, _ in given] for given in held.values()] == [["0", "2"], ["1", "3"]]
    del waiting[1:]
    for given in held.values():
        given.popleft()
    workers._hand_out(waiting)  # the last one is for whoever is the first to be free
    assert [len(given) for given in held.values()] == [1, 1]
    assert len(waiting) == 1
