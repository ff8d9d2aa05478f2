"""Every bundle of a release, from the sources: two builds give the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from onehead.errors import OneheadError
from onehead.model import Exercise
from onehead_release import github, site
from onehead_release.chapter import chapter
from onehead_release.figures import named
from onehead_release.nbgrader_course import released, write_course
from onehead_release.notebook import replace, to_bytes, to_script
from onehead_release.public import public_data
from onehead_release.solved import answers
from onehead_release.wheel import version, wheel, wheel_name, zipped

MANIFEST = "MANIFEST.json"
ARCHIVE = "onehead-learner.zip"
SITE = "site"

README = """\
# {title}

Notebooks to work through in order, with a check for each part. Python 3.11 or newer is needed.

    python3 -m venv .venv
    . .venv/bin/activate            # on Windows: .venv\\Scripts\\activate
    pip install {wheel} jupyterlab
    jupyter lab

Open `{first}.ipynb`, run its cells from the top, and replace each stub. The cell below a stub runs
the part's public checks, on your computer and without a network. Grading asks more of the same
code: each notebook says what under "How your answers are checked".

What you have reached is kept beside the notebooks, in `progress.jsonl`. `progress()` in a notebook
and the page `progress.html` show it.

Those who like a terminal install the command as well, `pip install '{wheel}[cli]'`:

    onehead watch            check one exercise at every save, with hints
    onehead check            check them all
    onehead hint PART        a hint for what is not right yet
    onehead progress         how much is done; progress.html shows it, too
    onehead reset NAME       a notebook as it was; your copy stays in kept/
    onehead update           a newer release's notebooks; your answers stay

Hand in the notebooks under the names that they have.
"""


def build(out: Path, with_site: bool = True, pyodide: str | None = None) -> str | None:
    """Writes the nbgrader course, learners' bundles, and the solved and untouched submissions.

    The site is one of the bundles where JupyterLite is installed; returned is a sentence that says
    what it lacks, if so. ``pyodide`` is as in ``site.build``. An earlier build in ``out`` is
    replaced. Raises OneheadError when something else is there.
    """
    lacking = site.missing() if with_site else None
    _refuse_other_files(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".onehead-") as scratch:
        built = Path(scratch) / "release"
        _write(built, chapter().exercises, with_site and not lacking, pyodide)
        if out.exists():
            shutil.rmtree(out)
        built.rename(out)
    return lacking


def _refuse_other_files(out: Path) -> None:
    """What a build has made may be replaced; what anybody has put there since, or changed, not."""
    if not out.exists():
        return
    if not out.is_dir():
        raise OneheadError(f"{str(out)!r} is no folder: give another --out")
    if not any(out.iterdir()):
        return
    there = _digests(out)
    try:
        made = json.loads((out / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise OneheadError(
            f"{str(out)!r} has no {MANIFEST} that can be read, so it is no earlier release that "
            "could be replaced: give an empty or new folder as --out"
        ) from None
    if others := [name for name in there if name not in made]:
        raise OneheadError(
            f"{str(out)!r} holds {others[0]!r}, which is of no earlier release that could be "
            "replaced: move it, or give an empty or new folder as --out"
        )
    if changed := [name for name, digest in there.items() if made[name] != digest]:
        raise OneheadError(
            f"{changed[0]!r} in {str(out)!r} was changed since it was built: keep your copy "
            "elsewhere, or give an empty or new folder as --out"
        )


def _write(
    out: Path, exercises: tuple[Exercise, ...], with_site: bool, pyodide: str | None
) -> None:
    write_course(out / "course", exercises)
    notebooks = {exercise.stem: _read(out, exercise.stem) for exercise in exercises}
    _write_submissions(out, notebooks)
    files = {f"{stem}.ipynb": to_bytes(notebook) for stem, notebook in notebooks.items()}
    package = wheel(public_data(exercises), files)
    learner = {**files, wheel_name(): package}
    names = {"title": chapter().title, "wheel": wheel_name(), "first": exercises[0].stem}
    learner["README.md"] = README.format_map(names).encode()
    _write_files(out / "learner", learner)
    archive = zipped({f"onehead-learner/{name}": data for name, data in learner.items()})
    (out / ARCHIVE).write_bytes(archive)
    _write_files(out / "github", github.template(files, package))
    if with_site:
        site.build(out / SITE, exercises, files, package, pyodide)
    (out / MANIFEST).write_bytes(manifest(out))


def _read(out: Path, stem: str) -> NotebookNode:
    """What nbgrader has released, which is what every learner gets."""
    notebook: NotebookNode = nbformat.read(released(out / "course", stem), as_version=4)
    return notebook


def _write_submissions(out: Path, notebooks: dict[str, NotebookNode]) -> None:
    solved = {stem: replace(notebook, answers(stem)) for stem, notebook in notebooks.items()}
    _write_files(out / "untouched", {f"{stem}.ipynb": to_bytes(n) for stem, n in notebooks.items()})
    _write_files(
        out / "solved" / "notebooks", {f"{stem}.ipynb": to_bytes(n) for stem, n in solved.items()}
    )
    scripts = {f"{stem}.py": to_script(named(n)).encode() for stem, n in solved.items()}
    _write_files(out / "solved" / "scripts", scripts)


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def manifest(out: Path) -> bytes:
    """The SHA-256 of each file of a release, and the version that it was built from."""
    document = {"schema": "onehead/manifest/1", "version": version(), "files": _digests(out)}
    return (json.dumps(document, indent=1) + "\n").encode("utf-8")


def _digests(out: Path) -> dict[str, str]:
    files = (path for path in sorted(out.rglob("*")) if path.is_file())
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path != out / MANIFEST
    }
