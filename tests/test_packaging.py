"""What is installed, what it is built from, and what may stand in which file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from onehead.bubblewrap import WORKER_FILES

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LEARNER_ROOTS = ("grader", "exercises")
SECRET_NAME = re.compile(r"onehead_(solutions|release)")


def locked() -> dict[str, str]:
    """The lock's version of each distribution, by canonical name."""
    lines = [line for line in LOCK.splitlines() if not line.startswith("#")]
    pairs = [line.split("==") for line in lines]
    return {canonicalize_name(name): version for name, version in pairs}


def source_files(folder: Path) -> list[Path]:
    """Every file below ``folder`` that a person wrote."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in files if "__pycache__" not in path.parts)


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel that is built from this folder."""
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), "."]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = out.glob("onehead-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_command_is_installed() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="onehead")
    assert script.value == "onehead.cli:main"


def test_the_course_is_found_by_entry_point() -> None:
    (course,) = metadata.entry_points(group="onehead.course")
    assert (course.name, course.value) == ("self-attention", "onehead_solutions:load")


@pytest.mark.parametrize(
    ("root", "package", "target"),
    [
        ("grader", "onehead", "onehead"),
        ("solutions", "onehead_solutions", "onehead_solutions"),
        ("release", "onehead_release", "onehead_release"),
        ("exercises", "", "onehead_solutions/exercises"),
    ],
)
def test_the_wheel_holds_every_file(
    wheel_names: set[str], root: str, package: str, target: str
) -> None:
    folder = ROOT / root / package
    wanted = {f"{target}/{path.relative_to(folder).as_posix()}" for path in source_files(folder)}
    assert wanted <= wheel_names


def test_the_wheel_holds_nothing_else(wheel_names: set[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}
    info = f"onehead-{PROJECT['version']}.dist-info"
    assert tops == {"onehead", "onehead_solutions", "onehead_release", info}


@pytest.mark.parametrize("root", LEARNER_ROOTS)
def test_a_learner_is_never_told_the_secret_packages_name(root: str) -> None:
    told = [
        path.relative_to(ROOT).as_posix()
        for path in source_files(ROOT / root)
        if SECRET_NAME.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert told == []


@pytest.mark.parametrize("name", WORKER_FILES)
def test_what_runs_beside_a_learner_needs_numpy_alone(name: str) -> None:
    path = ROOT / "grader" / "onehead" / name
    tree = ast.parse(path.read_text(encoding="utf-8"))
    roots: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add("." if node.level else (node.module or "").split(".")[0])
    assert roots <= {*sys.stdlib_module_names, "numpy"}


def test_the_box_holds_every_file_that_the_worker_loads() -> None:
    text = (ROOT / "grader" / "onehead" / "worker.py").read_text(encoding="utf-8")
    loaded = {f"{name}.py" for name in re.findall(r'\bload\("(\w+)"\)', text)}
    assert {"worker.py", *loaded} == set(WORKER_FILES)


def test_each_locked_version_is_exact() -> None:
    lines = [line for line in LOCK.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9.-]+==[0-9][\w.]*", line)] == []


def test_the_lock_names_no_place() -> None:
    assert not re.search(r"//|file:|\.whl|(^|\s)/|--\w+-(url|links|host)", LOCK)


def test_torch_is_not_locked() -> None:
    assert {"torch", "torchvision", "nvidia-cublas"}.isdisjoint(locked())


@pytest.mark.parametrize(
    "line",
    [
        *PROJECT["dependencies"],
        *(
            line
            for extra in ("dev", "docs", "site")
            for line in PROJECT["optional-dependencies"][extra]
        ),
    ],
)
def test_what_is_required_is_locked(line: str) -> None:
    wanted = Requirement(line)
    assert wanted.specifier.contains(locked()[canonicalize_name(wanted.name)])


def test_what_the_browser_tests_require_is_locked() -> None:
    """Their own lock holds nothing that could contradict the other."""
    text = (ROOT / "requirements-browser.lock").read_text(encoding="utf-8")
    pairs = [line.split("==") for line in text.splitlines() if not line.startswith("#")]
    own = {canonicalize_name(name): version for name, version in pairs}
    assert own.keys().isdisjoint(locked())
    for line in PROJECT["optional-dependencies"]["browser"]:
        wanted = Requirement(line)
        assert wanted.specifier.contains((locked() | own)[canonicalize_name(wanted.name)])


def test_the_changelog_opens_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, flags=re.MULTILINE)
    assert newest is not None
    assert newest[1] == PROJECT["version"] == metadata.version("onehead")
