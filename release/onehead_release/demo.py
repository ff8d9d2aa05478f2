"""A sample class of 12, graded: what an instructor sees, from start to end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from onehead.classroom import Class, grade_class
from onehead.cli import available_jobs
from onehead.errors import OneheadError
from onehead.isolation import choose
from onehead.reports.text import class_table
from onehead.sandbox import Limits
from onehead.submission import safe_names
from onehead_release.solved import Form, write_submission

_HALF = ("01_one_reading", "02_sources", "03_projections", "04_matrix_form")
_LIMITS = Limits()


def run(out: Path) -> str:
    """Write the class, grade it, and say what came of it.

    Raises:
        OneheadError: ``out`` holds something that is not an earlier demo.
    """
    submitted = out / "submitted"
    if out.exists() and any(out.iterdir()) and not submitted.is_dir():
        raise OneheadError(
            f"{str(out)!r} is not empty and holds no earlier demo: give another --out"
        )
    shutil.rmtree(submitted, ignore_errors=True)
    for learner, write in CLASS.items():
        write(submitted / learner)
    results = out / "results"
    order = Class(submitted, results, _LIMITS, choose("auto"), available_jobs(), resume=False)
    graded = grade_class(order)
    folders = safe_names([result.submission for result in graded.results])
    pages = (results / "feedback" / folder / "index.html" for folder in sorted(folders.values()))
    return "\n".join(
        [
            f"A class of {len(CLASS)}, as notebooks and scripts, in {submitted}",
            "",
            class_table(graded.results),
            "",
            f"Marks: {results / 'grades.csv'}",
            "Feedback, a page each:",
            *(f"  {page}" for page in pages),
        ]
    )


def _solved(form: Form) -> Callable[[Path], None]:
    return lambda folder: write_submission(folder, "solved", form)


def _untouched(folder: Path) -> None:
    write_submission(folder, "untouched", "ipynb")


def _half(folder: Path) -> None:
    write_submission(folder, "untouched", "ipynb")
    write_submission(folder, "solved", "ipynb", _HALF)


def _mistaken(stem: str, mistake: str) -> Callable[[Path], None]:
    """All solved, but for the last cell of one script: a wrong answer of the bank."""

    def write(folder: Path) -> None:
        bank = files("onehead_solutions") / "bank" / "wrong" / mistake
        entries = sorted(
            (entry for entry in bank.iterdir() if _is_for(entry.read_text(), stem)),
            key=lambda e: e.name,
        )
        _append(folder, stem, entries[0].read_text())

    return write


def _is_for(entry: str, stem: str) -> bool:
    return f"exercise: lesson-{stem[:2]}" in entry


def _append(folder: Path, stem: str, cell: str) -> None:
    write_submission(folder, "solved", "py")
    script = folder / f"{stem}.py"
    script.write_text(f"{script.read_text()}\n# %%\n{cell}")


def _crashes(folder: Path) -> None:
    _append(folder, "02_sources", "import os\n\ndef visibility(*sizes):\n    os._exit(1)\n")


def _hangs(folder: Path) -> None:
    hang = "def causal_mask(T):\n    while True:\n        pass\n"
    _append(folder, "04_matrix_form", hang)


CLASS: dict[str, Callable[[Path], None]] = {
    "ada": _solved("ipynb"),
    "ben": _solved("py"),
    "chloe": _untouched,
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
