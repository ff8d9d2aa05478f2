"""The whole loop on a sample class of 12: release, hand out, answer, grade, feedback."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path

from onehead import reporting
from onehead.classroom import Class, grade_class
from onehead.cli import available_jobs
from onehead.course import CHOICE
from onehead.errors import OneheadError
from onehead.folder_names import safe_names
from onehead.isolation import choose
from onehead.reports.text import class_table
from onehead.sandbox import Limits
from onehead_release import bundle
from onehead_release.verify import verify

COURSE = "self-attention"
_HALF = ("01_one_reading", "02_sources", "03_projections", "04_matrix_form")
MARK = ".onehead-demo"  # a folder with it is a demo's, and may be written anew

_LIMITS = Limits()

Answer = Callable[[Path, Path], None]  # a learner's folder, the release


def run(out: Path) -> str:
    """Build a release, let a class answer it, grade the class, and say what came of it.

    Raises:
        OneheadError: ``out`` holds something that is not an earlier demo, or the release would
            give something away.
    """
    release, submitted, results = out / "release", out / "submitted", out / "results"
    if out.exists() and any(out.iterdir()) and not (out / MARK).is_file():
        raise OneheadError(
            f"{str(out)!r} is not empty and holds no earlier demo: give another --out"
        )
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).touch()  # a demo from now on, should it stop half way
    os.environ[CHOICE] = COURSE  # whatever else is installed: the class answers this one
    bundle.build(release, with_site=False)
    if problems := verify(release):
        raise OneheadError(f"the release is not fit to be handed out: {problems[0]}")
    shutil.rmtree(submitted, ignore_errors=True)
    for learner, answer in CLASS.items():
        hand_out(release, submitted / learner)
        answer(submitted / learner, release)
    order = Class(submitted, results, _LIMITS, choose("auto"), available_jobs(), resume=False)
    grade_class(order)
    graded = reporting.load(results)
    folders = safe_names(graded.names)
    pages = (results / "feedback" / folder / "index.html" for folder in sorted(folders.values()))
    return "\n".join(
        [
            f"A release, built and verified, in {release}",
            f"A class of {len(CLASS)} that it was handed out to, in {submitted}",
            "",
            class_table(graded.results),
            "",
            f"Marks: {results / 'grades.csv'}",
            "Feedback, a page each:",
            *(f"  {page}" for page in pages),
        ]
    )


def hand_out(release: Path, folder: Path) -> None:
    """Give a learner the notebooks of the bundle."""
    folder.mkdir(parents=True)
    for notebook in sorted((release / "learner").glob("*.ipynb")):
        shutil.copy(notebook, folder)


def _solve(folder: Path, release: Path, stems: Iterable[str] | None = None) -> None:
    """Answer notebooks rightly: those of ``stems``, or all."""
    solved = release / "solved" / "notebooks"
    for stem in sorted(path.stem for path in solved.glob("*.ipynb")) if stems is None else stems:
        shutil.copy(solved / f"{stem}.ipynb", folder)


def _solve_as_scripts(folder: Path, release: Path) -> None:
    """Hand in scripts instead of the notebooks."""
    for script in sorted((release / "solved" / "scripts").glob("*.py")):
        (folder / f"{script.stem}.ipynb").unlink()
        shutil.copy(script, folder)


def _leave(folder: Path, release: Path) -> None:
    """Hand in what was handed out."""


def _half(folder: Path, release: Path) -> None:
    _solve(folder, release, _HALF)


def _mistaken(stem: str, mistake: str) -> Answer:
    """All solved, but for the last cell of one script: a wrong answer of the bank."""

    def answer(folder: Path, release: Path) -> None:
        bank = files("onehead_solutions") / "bank" / "wrong" / mistake
        entries = sorted(
            (entry for entry in bank.iterdir() if _is_for(entry.read_text(), stem)),
            key=lambda e: e.name,
        )
        _append(folder, release, stem, entries[0].read_text())

    return answer


def _is_for(entry: str, stem: str) -> bool:
    return f"exercise: lesson-{stem[:2]}" in entry


def _append(folder: Path, release: Path, stem: str, cell: str) -> None:
    _solve_as_scripts(folder, release)
    script = folder / f"{stem}.py"
    script.write_text(f"{script.read_text()}\n# %%\n{cell}")


def _crashes(folder: Path, release: Path) -> None:
    _append(
        folder, release, "02_sources", "import os\n\ndef visibility(*sizes):\n    os._exit(1)\n"
    )


def _hangs(folder: Path, release: Path) -> None:
    hang = "def causal_mask(T):\n    while True:\n        pass\n"
    _append(folder, release, "04_matrix_form", hang)


CLASS: dict[str, Answer] = {
    "ada": _solve,
    "ben": _solve_as_scripts,
    "chloe": _leave,
    "dana": _half,
    "eli": _mistaken("04_matrix_form", "scale-missing"),
    "fay": _mistaken("04_matrix_form", "mask-after-softmax"),
    "gus": _mistaken("04_matrix_form", "softmax-over-queries"),
    "hana": _mistaken("05_output_projection", "count-bias-missing"),
    "ivan": _mistaken("06_batch_axis", "mask-first-item"),
    "jo": _mistaken("07_costs", "cost-linear"),
    "kai": _crashes,
    "lea": _hangs,
}
