"""Planted secrets of each sort are found, and a release as built is clean."""

from __future__ import annotations

import base64
import gzip
import io
import json
import marshal
import py_compile
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import onehead_solutions
from onehead.course import exercise_modules
from onehead.errors import OneheadError
from onehead_release import secrets
from onehead_release.verify import Search, layout_problems, verify
from onehead_solutions.claims import PROJECTION_CLAIMS
from onehead_solutions.matrix_form import EXERCISE, TRACE

SOFTMAX = """
    peak = np.max(scores, axis=-1, keepdims=True, where=visible, initial=-np.inf)
    shifted = np.where(visible, scores - np.where(np.isfinite(peak), peak, 0), -np.inf)
"""
RENAMED = """
def f(a, b):
    big = np.max(a, axis=-1, keepdims=True, where=b, initial=-np.inf)
    moved = np.where(
        b, a - np.where(np.isfinite(big), big, 0), -np.inf,
    )
    return moved
"""
HIDDEN = next(
    case for case in EXERCISE.parts[2].cases if case.name == "six tokens, all visible"
).inputs["X"]


@pytest.fixture(scope="module")
def search() -> Search:
    return Search(secrets.load())


def notebook(**changes: object) -> bytes:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "source": ["x = 1"]}
    cells = [cell | {"execution_count": None} | changes]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes.txt", data)
    return buffer.getvalue()


def tarred(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        entry = tarfile.TarInfo("notes.txt")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def base64_run(data: bytes) -> bytes:
    return b"data: " + base64.encodebytes(data)


PLANTED: dict[str, tuple[str, bytes, str]] = {
    "a run of source": ("a.py", SOFTMAX.encode(), "source of attention.py"),
    "source in a comment": (
        "a.py",
        SOFTMAX.replace("    ", "# ").encode(),
        "source of attention.py",
    ),
    "source in markdown": ("a.md", f"```\n{SOFTMAX}```".encode(), "source of attention.py"),
    "another layout and names": ("a.py", RENAMED.encode(), "code of the form of"),
    "a renamed form in a cell": (
        "a.ipynb",
        notebook(source=RENAMED.splitlines(keepends=True)),
        "code of the form of",
    ),
    "choices as a dict": ("a.py", repr(PROJECTION_CLAIMS).encode(), "answers of lesson-03 CLAIMS"),
    "choices in metadata": (
        "a.ipynb",
        notebook(metadata={"nbgrader": {"key": PROJECTION_CLAIMS}}),
        "answers of lesson-03 CLAIMS",
    ),
    "choices in an output": (
        "a.ipynb",
        notebook(outputs=[{"text": [repr(PROJECTION_CLAIMS)]}]),
        "answers of lesson-03 CLAIMS",
    ),
    "numbers asked for": ("a.txt", repr(TRACE).encode(), "numbers that are asked for, in digits"),
    "a hidden input in digits": (
        "a.txt",
        repr(HIDDEN.tolist()).encode(),
        "'six tokens, all visible', in digits",
    ),
    "a hidden input as bytes": (
        "a.bin",
        b"\x93" + HIDDEN.tobytes(),
        "an input of 'six tokens, all visible'",
    ),
    "a hidden input in base64": (
        "a.json",
        json.dumps({"body": base64.b64encode(HIDDEN.tobytes()).decode()}).encode(),
        "an input of 'six tokens, all visible'",
    ),
    "a hidden input as float32": (
        "a.bin",
        HIDDEN.astype(np.float32).tobytes(),
        "an input of 'six tokens, all visible'",
    ),
    "the package's name": ("a.py", b"import onehead_solutions", "names the package"),
    "an archive": ("a.zip", zipped(SOFTMAX.encode()), "source of attention.py"),
    "an archive in an archive": ("a.zip", zipped(zipped(SOFTMAX.encode())), "source of"),
    "a compressed tar": ("a.txz", tarred(SOFTMAX.encode()), "source of attention.py"),
    "gzip in base64": ("a.txt", base64_run(gzip.compress(SOFTMAX.encode())), "source of"),
    "an output of a run": ("a.ipynb", notebook(outputs=[{"text": "1"}]), "has outputs of a run"),
    "a count of a run": ("a.ipynb", notebook(execution_count=3), "has outputs of a run"),
    "strange metadata": (
        "a.ipynb",
        notebook(metadata={"answer": 1}),
        "unexpected metadata 'answer'",
    ),
    "a broken archive": ("a.zip", zipped(b"x" * 99)[:-40] + b"PK\x05\x06" + bytes(18), "archive"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_secret_is_found(what: str, search: Search) -> None:
    name, data, expected = PLANTED[what]
    assert expected in "\n".join(search.file(name, data))


def test_byte_code_is_refused_under_any_name(search: Search, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    compiled = Path(py_compile.compile(str(tmp_path / "a.py"), cfile=str(tmp_path / "a.pyc")))
    data = compiled.read_bytes()
    assert marshal.loads(data[16:]).co_names == ("x",)
    for name, found in (("a.pyc", data), ("a.dat", data), ("a.txt", base64_run(data))):
        assert "byte code" in "\n".join(search.file(name, found)), name


@pytest.mark.parametrize(
    "harmless",
    [
        "import numpy as np\nfrom onehead import check\n",
        "def attend(X, W_Q, W_K, W_V):\n    raise NotImplementedError('attend is not started')\n",
        "from onehead.signature import GENERAL, Sight, read\n",
        "@dataclass(frozen=True, eq=False)  # by identity\nclass Case:\n    name: str\n",
        "Softmax of the visible scores, context = weights @ V; 0.231, 0.629, 0.140",
    ],
)
def test_what_is_public_is_not_refused(harmless: str, search: Search) -> None:
    assert search.file("a.py", harmless.encode()) == []


def test_every_reference_is_found_in_a_file(search: Search) -> None:
    folder = Path(onehead_solutions.__file__).parent
    modules = exercise_modules("onehead_solutions").values()
    lessons = [folder / f"{module.__name__.split('.')[1]}.py" for module in modules]
    unseen = [path.name for path in lessons if not search.file(path.name, path.read_bytes())]
    assert unseen == []


# --- a release ---------------------------------------------------------------------------


def test_a_release_as_built_is_clean(release: Path) -> None:
    assert verify(release) == []


def test_a_solved_notebook_in_the_learners_folder_is_found(release: Path, search: Search) -> None:
    data = (release / "solved/notebooks/04_matrix_form.ipynb").read_bytes()
    assert any("source of" in problem for problem in search.file("04_matrix_form.ipynb", data))


def added(folder: Path) -> None:
    (folder / "learner" / "notes.txt").write_text("hello")


def removed(folder: Path) -> None:
    (folder / "learner" / "README.md").unlink()


def changed(folder: Path) -> None:
    (folder / "untouched" / "02_sources.ipynb").write_text("{}")


def linked(folder: Path) -> None:
    (folder / "learner" / "README.md").unlink()
    (folder / "learner" / "README.md").symlink_to(folder / "MANIFEST.json")


def kept_database(folder: Path) -> None:
    (folder / "course" / "gradebook.db").write_bytes(b"")


def aged(folder: Path) -> None:
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    (folder / "MANIFEST.json").write_text(json.dumps(manifest | {"version": "0.0.1"}))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (added, "learner/notes.txt: an unexpected file"),
        (added, "learner/notes.txt: not in the manifest"),
        (removed, "learner/README.md: missing"),
        (removed, "learner/README.md: in the manifest, and not there"),
        (changed, "untouched/02_sources.ipynb: not the file of the manifest"),
        (linked, "learner/README.md: a link"),
        (kept_database, "course/gradebook.db: an unexpected file"),
        (aged, "MANIFEST.json: built from version 0.0.1, and this is 0.1.0"),
    ],
)
def test_a_changed_release_is_refused(
    release: Path, tmp_path: Path, change: Callable[[Path], None], problem: str
) -> None:
    copy = tmp_path / "release"
    shutil.copytree(release, copy)
    change(copy)
    assert problem in layout_problems(copy)


def test_a_file_too_many_in_the_wheel_is_found(release: Path, search: Search) -> None:
    (wheel,) = (release / "learner").glob("*.whl")
    buffer = io.BytesIO(wheel.read_bytes())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("onehead/extra.py", "x = 1")
    found = search.file(f"learner/{wheel.name}", buffer.getvalue())
    assert found == [f"learner/{wheel.name}: onehead/extra.py: an unexpected file"]


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OneheadError, match=r"has no MANIFEST\.json, so it is no release: make one"):
        verify(tmp_path)
