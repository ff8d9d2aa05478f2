"""Gradescope's bundle, started as Gradescope starts it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest
from tests.test_cli import onehead
from tests.test_reports import GRADESCOPE

import onehead_solutions
from onehead.errors import OneheadError
from onehead_release import gradescope
from onehead_release.solved import write_submission

FOUR = "04_matrix_form"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gradescope") / "autograder.zip"
    gradescope.write(path)
    return path


@pytest.fixture
def machine(bundle: Path, tmp_path: Path) -> Path:
    """The folder that Gradescope calls /autograder, after setup.sh."""
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "source")
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    write_submission(tmp_path / "submission", "solved", "py", [FOUR])
    return tmp_path


def run(machine: Path, **environment: str) -> tuple[int, dict[str, object], str]:
    settings = {"AUTOGRADER_ROOT": str(machine), "ONEHEAD_ISOLATION": "process"} | environment
    done = subprocess.run(
        ["bash", machine / "source" / "run_autograder"],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    document = json.loads((machine / "results" / "results.json").read_text())
    jsonschema.validate(document, GRADESCOPE)
    return done.returncode, document, done.stderr


def test_the_archive_is_what_gradescope_asks_for(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        for script in ("setup.sh", "run_autograder"):
            assert modes[script] == 0o100755
            text = archive.read(script)
            assert subprocess.run(["bash", "-n"], input=text).returncode == 0
        assert not any("/bank/" in name for name in modes)
    assert gradescope.autograder() == bundle.read_bytes()


def test_a_submission_is_graded_by_the_grader_in_the_bundle(machine: Path) -> None:
    marker = machine / "source" / "lib" / "onehead" / "__init__.py"
    marker.write_text(f"{marker.read_text()}\nimport sys\nprint('the bundle', file=sys.stderr)\n")
    code, document, said = run(machine)
    assert (code, document["score"]) == (0, 10)
    assert "the bundle" in said
    tests = document["tests"]
    assert isinstance(tests, list)
    at_once = [test["name"] for test in tests if test["visibility"] == "visible"]
    assert at_once[0] == "lesson 4 causal_mask (public checks)"
    assert len(at_once) == 4
    later = [test for test in tests if test["visibility"] == "after_published"]
    assert len(later) == sum(len(exercise.parts) for exercise in onehead_solutions.load())
    assert sum(test["score"] for test in later) == 10


def test_it_needs_numpy_alone() -> None:
    missing = (
        "sys.modules |= dict.fromkeys(('click', 'jsonschema', 'nbformat', 'nbgrader', 'rich'))"
    )
    code = f"import sys\n{missing}\nimport onehead.autograder\n"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_nested_upload_is_one_submission(machine: Path) -> None:
    shutil.move(machine / "submission", machine / "my work")
    (machine / "submission").mkdir()
    shutil.move(machine / "my work", machine / "submission")
    assert run(machine)[1]["score"] == 10


def test_visibility_can_be_set(machine: Path) -> None:
    document = run(machine, ONEHEAD_VISIBILITY="after_due_date")[1]
    tests = document["tests"]
    assert isinstance(tests, list)
    assert {test["visibility"] for test in tests} == {"visible", "after_due_date"}


@pytest.mark.parametrize("fault", ["import", "kill", "isolation"])
def test_whatever_ends_the_grader_there_is_a_file_without_a_score(
    machine: Path, fault: str
) -> None:
    settings = {}
    lib = machine / "source" / "lib" / "onehead"
    if fault == "import":
        (lib / "grade.py").write_text("raise RuntimeError('a fault of ours')\n")
    elif fault == "kill":
        (lib / "grade.py").write_text("import os\nos.kill(os.getpid(), 9)\n")
    else:
        settings = {"ONEHEAD_ISOLATION": "moat"}
    code, document, said = run(machine, **settings)
    assert code != 0
    assert not {"score", "tests"} & set(document)
    assert "a fault of ours" not in json.dumps(document)
    assert fault != "isolation" or "--isolation is 'moat'" in said


def test_the_command_writes_it_and_overwrites_nothing_else(tmp_path: Path) -> None:
    done = onehead("release", "gradescope", "--out", tmp_path / "autograder.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert "holds all answers" in done.stdout
    (tmp_path / "thesis.zip").write_bytes(b"mine")
    with pytest.raises(OneheadError, match="is no autograder"):
        gradescope.write(tmp_path / "thesis.zip")
    assert (tmp_path / "thesis.zip").read_bytes() == b"mine"
