"""Classes to measure on: every learner a mixture of untouched, right and wrong notebooks.

Answers are those of the bank, each solved in another style or spoiled by a known mistake, so that
learners share answers part by part, as a real class does. Only those who have not touched a
notebook share all of it: each of the others has a comment of its learner's own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import nbformat

import onehead_solutions
from onehead_release.solved import solved_notebook

BANK = Path(onehead_solutions.__file__).parent / "bank"
OWN = "# what I tried, learner"
UNTOUCHED, SOLVED, STYLED = 0.15, 0.25, 0.3  # shares of the notebooks; the rest hold a mistake


def write(folder: Path, untouched: Path, learners: int, stems: Sequence[str]) -> None:
    """A class in nbgrader's folders, ``LEARNER/self-attention/STEM.ipynb``: the same each time."""
    chance = random.Random(4)
    for k in range(learners):
        place = folder / f"learner-{k:05}" / "self-attention"
        place.mkdir(parents=True)
        for stem in stems:
            text = _notebook(stem, untouched, chance)
            (place / f"{stem}.ipynb").write_text(text.replace(OWN, f"{OWN} {k}"))


def _notebook(stem: str, untouched: Path, chance: random.Random) -> str:
    kind = chance.random()
    if kind < UNTOUCHED:
        return (untouched / f"{stem}.ipynb").read_text()
    added = ""
    if kind >= UNTOUCHED + SOLVED:
        right = kind < UNTOUCHED + SOLVED + STYLED
        answers = _answers("right" if right else "wrong", stem)
        added = chance.choice(answers) if answers else ""
    return _with_cell(stem, added)


@cache
def _with_cell(stem: str, added: str) -> str:
    """The solved notebook, with an answer put after the stub that it replaces."""
    notebook = nbformat.from_dict(solved_notebook(stem))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    names = set(re.findall(r"^(?:def|class) (\w+)|^(\w+)\s*(?::[^=]+)?=", added, re.MULTILINE))
    defined = {name for pair in names for name in pair if name}
    at = [c for c in cells if any(re.search(rf"^(?:def|class) {n}\b|^{n}\b.*=", c.source, re.M)
                                  for n in defined)]  # fmt: skip
    if added and at:
        at[-1].source += f"\n\n\n{added}"
    cells[-1].source += f"\n{OWN}"
    return str(nbformat.writes(notebook))


@cache
def _answers(kind: str, stem: str) -> list[str]:
    if kind == "right":
        return [path.read_text() for path in sorted((BANK / kind).glob(f"*/{stem}*.py"))]
    number = {"09": "review", "10": "practice"}.get(stem[:2], f"lesson-{stem[:2]}")
    texts = (path.read_text() for path in sorted((BANK / kind).glob("*/*.py")))
    return [text for text in texts if re.search(rf"^# exercise: {number}$", text, re.MULTILINE)]
