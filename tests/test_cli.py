"""The commands as they are run: what they print and their exit codes."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onehead_release.solved import write_submission

GOLDEN = Path(__file__).parent / "golden"


def onehead(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("onehead")), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("solved") / "ada"
    write_submission(folder, "solved", "py", ["04_matrix_form"])
    return folder


def test_check_is_0_where_everything_is_right(solved: Path) -> None:
    done = onehead("check", solved)
    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ self_attention: 8 of 8 checks are right" in done.stdout
    assert "public checks: grading asks more" in done.stdout


def test_check_names_the_first_cause_and_is_1(solved: Path, tmp_path: Path) -> None:
    source = (solved / "04_matrix_form.py").read_text()
    wrong = source.replace("scores = scaled_scores(Q, K)", "scores = Q @ K.T")
    (tmp_path / "04_matrix_form.py").write_text(wrong)
    done = onehead("check", "04_matrix_form.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "It looks like scale-missing" in done.stdout


def test_ctrl_c_stops_a_check_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "04_matrix_form.py").write_text("while True: pass")
    command = [str(Path(sys.executable).with_name("onehead")), "check", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and not children.read_text():
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"".join(said).strip() == b""


def test_check_never_says_which_answer_is_wrong(tmp_path: Path) -> None:
    write_submission(tmp_path, "solved", "py", ["01_one_reading"])
    script = tmp_path / "01_one_reading.py"
    script.write_text(script.read_text().replace('"softmax": "inside"', '"softmax": "outside"'))
    done = onehead("check", tmp_path)
    assert done.returncode == 1
    assert "not all of the answers are right" in done.stdout
    assert "softmax" not in done.stdout


def test_hints_come_one_by_one(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "mask_after_softmax" / "04_matrix_form.py", tmp_path)
    first, last = (onehead("hint", "self_attention", tmp_path, *how) for how in ((), ("--open", 3)))
    _, question, more, second, *_ = first.stdout.splitlines()
    assert question == "  Hint 1 of 3: a question. What do the rows of your weights sum to once"
    assert more == "  something is hidden?"
    # The folder follows, on this line or the next: its name is as long as it is.
    assert second.startswith("  Hint 2 of 3: where to look \u25b8 onehead hint self_attention")
    assert "Hint 3 of 3: the idea. " in last.stdout and "onehead hint" not in last.stdout


def test_progress_counts_the_parts_that_are_right(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "mask_after_softmax" / "04_matrix_form.py", tmp_path)
    said = " ".join(onehead("progress", tmp_path).stdout.split())
    assert said.startswith("[....................] 1 of 61 parts are done 2 near, ")
    assert "lesson 4 · Self-Attention in Matrix Form, 1 of 4 · ✓ right causal_mask" in said
    assert "lesson 5 · The Output Projection Restores the Model Width, 4 parts, not begun" in said
    assert {path.name for path in tmp_path.iterdir()} == {
        "04_matrix_form.py",
        "progress.html",
        "progress.jsonl",
    }


def test_what_was_reached_stays_when_the_code_gets_worse(tmp_path: Path) -> None:
    notebook = tmp_path / "04_matrix_form.py"
    shutil.copy(GOLDEN / "mask_after_softmax" / notebook.name, tmp_path)
    first = onehead("progress", tmp_path).stdout
    notebook.write_text("causal_mask = 1")
    assert onehead("progress", tmp_path).stdout == first
    onehead("check", tmp_path)  # adds to what is kept, and makes it no worse
    assert onehead("progress", tmp_path).stdout == first


def test_grade_is_0_for_a_class_of_zeros(tmp_path: Path) -> None:
    (tmp_path / "class" / "zoe").mkdir(parents=True)
    done = onehead("grade", tmp_path / "class", "--out", tmp_path / "out", "--isolation", "process")
    assert done.returncode == 0
    assert "1 submission graded" in done.stdout
    assert "isolation level process" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["grade", "nowhere", "--out", "out"], "nowhere"),
        (["grade", "."], "--out"),
        (["grade", ".", "--out", "out", "--isolation", "docker"], "docker"),
        (["grade", ".", "--out", "out", "--jobs", "0"], "--jobs"),
        (["check", "nothing-here.py"], "nothing-here.py"),
        (["progress", "nowhere"], "nowhere"),
        (["hint", "nothing"], "no exercise in"),
        (["watch"], "no exercise in"),
        (["init", "mine"], "this package holds no notebooks"),
        (["update"], "this package holds no notebooks"),
        (["reset", "04_matrix_form"], "this package holds no notebooks"),
        (["marks"], "marks"),
    ],
)
def test_what_can_not_run_is_one_line_and_2(
    arguments: list[str], says: str, tmp_path: Path
) -> None:
    done = onehead(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert says in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["grade", "class", "--out", "file"], "can't use 'file"),
        (["grade", "class", "--out", "file/out"], "can't use 'file/out"),
        (["demo", "--out", "file"], "can't use 'file' (Not a directory)"),
        (["release", "build", "--out", "file/out"], "can't use 'file"),
        (["release", "gradescope", "--out", "file/out.zip"], "can't use 'file"),
        (["regrade", "class", "--out", "file"], "can't read results.jsonl in 'file'"),
    ],
)
def test_a_file_where_a_folder_is_due_is_one_line_and_stays(
    arguments: list[str], says: str, tmp_path: Path
) -> None:
    (tmp_path / "class" / "zoe").mkdir(parents=True)
    (tmp_path / "file").write_text("mine")
    done = onehead(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_verify_is_0_for_what_was_built_and_1_for_what_was_changed(
    release: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "release"
    shutil.copytree(release, copy)
    done = onehead("release", "verify", copy)
    assert (done.returncode, done.stderr) == (0, "")
    (copy / "learner" / "answers.txt").write_text("more than was built")
    done = onehead("release", "verify", copy)
    assert done.returncode == 1
    assert "answers.txt" in done.stdout
