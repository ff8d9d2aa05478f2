"""The nbgrader course: source notebooks with nbgrader's metadata, released by nbgrader itself.

A part's stub is a cell that learners fill in. The check after it is a locked cell with the
contract's points; its hidden test has the part graded by a process that keeps the references, and
says nothing else. Solutions stand nowhere in the course, so there is none to cut out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from onehead import cell_names as names
from onehead.errors import OneheadError
from onehead.model import Exercise, Part
from onehead_release.chapter import chapter
from onehead_release.notebook import to_bytes
from onehead_release.solved import untouched_notebook

BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"

CONFIG = '''\
"""nbgrader's settings for this course. Its root is this folder."""

import os

c = get_config()  # noqa: F821
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
c.CourseDirectory.course_id = "onehead"

# The sources hold stubs and no solutions: nbgrader has none to clear.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Seconds for one cell: a part is asked many questions, and a call that hangs costs its share.
c.ExecutePreprocessor.timeout = 300

# Blank, and no 0, for a submission that has no marks yet.
c.ExportApp.plugin_class = "onehead.nbgrader_export.CsvExport"
'''


def source_notebook(exercise: Exercise) -> NotebookNode:
    """The exercise's notebook with nbgrader's metadata and hidden tests."""
    notebook = untouched_notebook(exercise.stem)
    cells = {cell.id: cell for cell in notebook.cells}
    for part in exercise.parts:
        stub, check = cells[names.stub(part.name)], cells[names.check(part.name)]
        stub.metadata["nbgrader"] = _metadata(stub.id, solution=True)
        check.metadata["nbgrader"] = _metadata(check.id, points=part.points)
        check.source = f"{check.source}\n{hidden_test(exercise, part)}"
    return notebook


def _metadata(name: str, *, solution: bool = False, points: float | None = None) -> NotebookNode:
    """nbgrader's own entry of a cell, in version 3 of its schema."""
    entry = {
        "schema_version": 3,
        "grade_id": name,
        "grade": points is not None,
        "solution": solution,
        "locked": not solution,
        "task": False,
    }
    if points is not None:
        entry["points"] = points
    node: NotebookNode = nbformat.from_dict(entry)
    return node


def hidden_test(exercise: Exercise, part: Part) -> str:
    """What nbgrader runs and, in its feedback pages, prints: it names the part and nothing else."""
    return "\n".join(
        [
            BEGIN,
            "from onehead.nbgrader_cell import grade",
            f"grade({json.dumps(exercise.id)}, {json.dumps(part.name)}, globals())",
            END,
        ]
    )


def write_course(folder: Path, exercises: tuple[Exercise, ...]) -> None:
    """Writes the course, and nbgrader's own release of it, into the folder.

    Raises OneheadError when nbgrader fails, or releases something else than the stubs.
    """
    name = chapter().name
    source = folder / "source" / name
    source.mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    for exercise in exercises:
        path = source / f"{exercise.stem}.ipynb"
        path.write_bytes(to_bytes(source_notebook(exercise)))
    with tempfile.TemporaryDirectory() as elsewhere:
        database = f"sqlite:///{elsewhere}/gradebook.db"  # differs at each build: not kept
        run_nbgrader(folder, "generate_assignment", name, "--db", database)
    for exercise in exercises:
        _refuse_hidden_tests(released(folder, exercise.stem))


def released(folder: Path, stem: str) -> Path:
    """nbgrader's released notebook of a course folder."""
    return folder / "release" / chapter().name / f"{stem}.ipynb"


def _refuse_hidden_tests(path: Path) -> None:
    """nbgrader keeps a hidden test without a word where it does not know its markers."""
    text = path.read_text(encoding="utf-8")
    kept = [word for word in ("HIDDEN", "nbgrader_cell", "globals()") if word in text]
    if kept:
        raise OneheadError(
            f"nbgrader's release of {path.name} still holds {', '.join(kept)} of a hidden test: "
            f"check the markers {BEGIN!r} and {END!r} against ClearHiddenTests"
        )


def run_nbgrader(folder: Path, *arguments: str) -> str:
    """Runs one of nbgrader's commands in the course; what it said.

    Raises OneheadError where nbgrader is not installed, and with its last lines when it fails.
    """
    if find_spec("nbgrader") is None:
        raise OneheadError(
            "a release is built with nbgrader, which is not installed here: "
            "pip install 'onehead[nbgrader]'"
        )
    with tempfile.TemporaryDirectory() as settings:
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=folder,
            env=_environment(settings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise OneheadError(f"nbgrader {arguments[0]} failed: {said or 'it said nothing'}")
    return done.stdout + done.stderr


def _environment(settings: str) -> dict[str, str]:
    """This process's, without anybody's own settings for Jupyter.

    nbgrader looks its ``alembic`` up on the PATH: this interpreter's comes first.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return os.environ | {"PATH": path, "JUPYTER_CONFIG_DIR": settings}
