"""The guide to a chapter of one's own: a test does literally what it says."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests import consoles

from onehead import frozen
from onehead_release import equivalents

PAGE = Path(__file__).parent.parent / "docs" / "your-own-chapter.md"

PROGRAM = """\
#!{folder}/bin/python
from {module} import main

if __name__ == "__main__":
    raise SystemExit(main())
"""


def environment(folder: Path) -> dict[str, str]:
    """A virtual environment that has what this one has, and settings to use it offline."""
    made = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(made, check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (folder / "share").symlink_to(Path(sys.prefix) / "share")  # Jupyter's own files
    here = [path for path in site.getsitepackages() if path.endswith("site-packages")]
    lines = (f"import site; site.addsitedir({path!r})\n" for path in here)
    (packages / "beside.pth").write_text("".join(lines))
    programs = {
        "onehead": "onehead.cli",
        "pip": "pip._internal.cli.main",
    }
    for name, module in programs.items():
        program = folder / "bin" / name
        program.write_text(PROGRAM.format(folder=folder, module=module))
        program.chmod(0o755)
    beside = str(Path(sys.executable).parent)  # nbgrader's own programs
    return {
        "PATH": os.pathsep.join([str(folder / "bin"), beside, os.environ["PATH"]]),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say: without
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "ONEHEAD_COURSE": "",
    }


@pytest.fixture(scope="module")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all that the guide says has been done."""
    folder = tmp_path_factory.mktemp("chapter")
    consoles.do(PAGE.read_text(), folder, environment(folder / ".venv"))
    return folder


def test_the_class_is_graded_as_it_deserves(chapter: Path) -> None:
    lines = (chapter / "results" / "results.jsonl").read_text().splitlines()
    results = {line["submission"]: line for line in map(json.loads, lines)}
    assert {name: line["score"] for name, line in results.items()} == {
        "ada": 10.0,
        "ben": 6.75,
        "cleo": 0.0,
    }
    (exercise,) = results["ben"]["exercises"]
    found = {
        (finding["check"], finding["misconception"], finding["reread"])
        for part in exercise["parts"]
        for finding in part["findings"]
    }
    assert found == {(check, "heads-reshaped", "heads") for check in ("values", "Q", "K", "V")}


def test_the_release_is_of_this_chapter_alone(chapter: Path) -> None:
    release = chapter / "release"
    assert (release / "course" / "release" / "multi-head" / "01_heads.ipynb").is_file()
    assert "# Multi-head self-attention" in (release / "learner" / "README.md").read_text()
    names = [path.name for path in release.rglob("*.ipynb")]
    assert set(names) == {"01_heads.ipynb"}


def test_what_is_interchangeable_can_be_read(chapter: Path) -> None:
    (rule,) = equivalents.load(
        chapter / "multi-head" / "multi_head_solutions" / "equivalent.toml"
    ).rules
    assert rule.covers("heads/multi_head_attention")


def test_a_learners_package_brings_the_chapters_own_hints(chapter: Path) -> None:
    (wheel,) = (chapter / "release" / "learner").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (exercise,) = frozen.read(archive.read("onehead/data/public.json").decode())
    mistakes = {mistake.name: mistake for mistake in exercise.parts[0].misconceptions}
    hints = mistakes["heads-reshaped"].hints
    assert hints is not None
    assert hints[0] == "Which numbers of token 0 does your first head hold?"
    assert mistakes["heads-interleaved"].hints is None
