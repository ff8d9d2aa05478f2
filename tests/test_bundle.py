"""What a release holds, and a learner's package in an environment of its own."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import shutil
import subprocess
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

import onehead_solutions
from onehead.errors import OneheadError
from onehead_release.bundle import build
from onehead_release.solved import stems

NOTEBOOKS = [f"{stem}.ipynb" for stem in stems()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def wheel_of(release: Path) -> Path:
    (wheel,) = (release / "learner").glob("*.whl")
    return wheel


def test_two_builds_are_the_same_bytes(release: Path, tmp_path: Path) -> None:
    build(tmp_path / "again")
    files = [path for path in release.rglob("*") if path.is_file()]
    assert len(files) == len([path for path in tmp_path.rglob("*") if path.is_file()])
    differing = [
        path
        for path in files
        if path.read_bytes() != (tmp_path / "again" / path.relative_to(release)).read_bytes()
    ]
    assert differing == []


def test_a_release_holds_what_is_promised(release: Path) -> None:
    assert names(release) == [
        "MANIFEST.json",
        "course",
        "github",
        "learner",
        "onehead-learner.zip",
        "site",
        "solved",
        "untouched",
    ]
    assert names(release / "course") == ["nbgrader_config.py", "release", "source"]
    for step in ("source", "release"):
        assert names(release / "course" / step / "self-attention") == NOTEBOOKS
    assert names(release / "solved" / "notebooks") == NOTEBOOKS
    assert names(release / "solved" / "scripts") == [f"{stem}.py" for stem in stems()]
    assert names(release / "untouched") == NOTEBOOKS


def test_the_archive_is_the_learners_folder(release: Path) -> None:
    with zipfile.ZipFile(release / "onehead-learner.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    learner = {f"onehead-learner/{p.name}": p.read_bytes() for p in (release / "learner").iterdir()}
    assert packed == learner


def test_the_manifest_has_each_files_digest(release: Path) -> None:
    manifest = json.loads((release / "MANIFEST.json").read_text())
    files = [p for p in release.rglob("*") if p.is_file() and p.name != "MANIFEST.json"]
    assert manifest["files"] == {
        p.relative_to(release).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files
    }


def test_the_wheels_record_is_right(release: Path) -> None:
    with zipfile.ZipFile(wheel_of(release)) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith("/RECORD"))
        rows = list(csv.reader(wheel.read(record).decode().splitlines()))
        assert sorted(row[0] for row in rows) == sorted(wheel.namelist())
        for name, digest, size in rows:
            if name != record:
                data = wheel.read(name)
                due = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert (digest, size) == (f"sha256={due}", str(len(data)))


def test_the_wheel_needs_numpy_alone(release: Path) -> None:
    with zipfile.ZipFile(wheel_of(release)) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        lines = wheel.read(name).decode().splitlines()
    needs = [line for line in lines if line.startswith("Requires-Dist") and "extra" not in line]
    assert needs == ["Requires-Dist: numpy>=1.26"]


@pytest.mark.parametrize("name", ["notes.txt", "learner"])
def test_other_peoples_files_are_not_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(OneheadError, match="no earlier release that could be replaced"):
        build(tmp_path)
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("name", ["course/gradebook.db", "course/nbgrader_config.py"])
def test_what_was_put_into_a_release_since_is_not_replaced(
    release: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "release"
    shutil.copytree(release, out)
    (out / name).write_bytes(b"mine")
    with pytest.raises(OneheadError, match=Path(name).name):
        build(out)
    assert (out / name).read_bytes() == b"mine"


@pytest.fixture(scope="module")
def bare_python(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel installed offline; numpy is lent, the course and the repository are not."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel_of(release)) as wheel:
        wheel.extractall(site)
    for numpy in Path(np.__file__).parents[1].glob("numpy*"):
        (site / numpy.name).symlink_to(numpy)
    return folder / "bin" / "python"


# Every cell of the notebooks in a folder, in order, as Jupyter's "run all" would run them.
RUN_ALL = """
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb")):
    namespace = {"__name__": "__main__"}
    print("#", path.stem)
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            try:
                exec("".join(cell["source"]), namespace)
            except NotImplementedError:
                pass
"""


@pytest.mark.parametrize(
    ("notebooks", "mark"), [("solved/notebooks", "✓"), ("learner", "–")], ids=["solved", "stubs"]
)
def test_checks_run_where_nothing_else_is(
    release: Path, bare_python: Path, tmp_path: Path, notebooks: str, mark: str
) -> None:
    done = subprocess.run(
        [bare_python, "-I", "-c", RUN_ALL, str(release / notebooks)],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for exercise in onehead_solutions.load():
        (said,) = [each for each in done.stdout.split("# ") if each.startswith(exercise.stem)]
        for part in exercise.parts:
            answered = mark == "✓" and f"○ {part.name}: answered; only the form" in said
            assert answered or f"{mark} {part.name}: " in said, part.name


def test_the_package_works_where_nothing_else_is(
    release: Path, bare_python: Path, tmp_path: Path
) -> None:
    script = (
        "import sys\n"
        "from onehead import course\n"
        "print(*[exercise.stem for exercise in course.load()])\n"
        "print(any('solutions' in name for name in sys.modules))\n"
        "from onehead import notebooks\n"
        "list(notebooks.init(notebooks.Path('mine')))\n"
    )
    done = subprocess.run(
        [bare_python, "-I", "-c", script], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.splitlines() == [" ".join(stems()), "False"], done.stderr
    for name in NOTEBOOKS:
        written = (tmp_path / "mine" / name).read_bytes()
        assert written == (release / "learner" / name).read_bytes()
    command = [bare_python, "-I", "-c", "from onehead.cli import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "onehead: the command needs click: pip install 'onehead[cli]'\n"
