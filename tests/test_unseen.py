"""Answers written from the contract alone are right or wrong, and bear the names that they should.

``bank/unseen`` has a file for each part, with an entry after each line ``# %% right STYLE`` or
``# %% wrong ENTRY: NAMES``: all the names that the grader finds, "-" for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import onehead_solutions
from onehead.grade import grade_part
from onehead.sandbox import Box, Limits
from onehead.session import Session
from onehead.source import Cell, Source

UNSEEN = sorted((Path(onehead_solutions.__file__).parent / "bank" / "unseen").glob("*.py"))
PARTS = {
    f"{exercise.id}.{part.name}": part
    for exercise in onehead_solutions.load()
    for part in exercise.parts
}
ENTRY = re.compile(r"^# %% (right|wrong) (\w+)(?:: (.*))?\n", re.MULTILINE)


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits(), "process") as box:
        yield box


def entries(path: Path) -> Iterator[tuple[str, set[str] | None, str]]:
    """Each entry's label, its names (None: it is right) and its code."""
    _, *pieces = ENTRY.split(path.read_text())
    for kind, label, names, code in zip(*[iter(pieces)] * 4, strict=True):
        found = set(names.split(", ")) - {"-"} if kind == "wrong" else None
        yield f"{kind} {label}", found, code


@pytest.mark.parametrize("path", UNSEEN, ids=lambda path: path.stem)
def test_unseen_answers_are_rightly_judged_and_named(path: Path, box: Box) -> None:
    part = PARTS[path.stem]
    wrong = {}
    for label, names, code in entries(path):
        compile(code, label, "exec")  # what is no Python is refused for that alone
        cells = (Cell("cell 1", f"import numpy as np\n\n{code}"),)
        with Session(Source("ok", cells, notebook=True), box) as session:
            # State is proved by asking anew; the smallest counterexamples are not looked at.
            result = grade_part(part, session, explain="hidden-state" in (names or ()))
        found = {f.misconception for f in result.findings if f.misconception is not None}
        due = set() if names is None else names
        if found != due or (result.score == result.max_score) != (names is None):
            wrong[label] = (sorted(found), sorted(due), result.score)
    assert wrong == {}
    assert any(names is not None for _, names, _ in entries(path))


def test_unseen_answers_are_many() -> None:
    found = [names for path in UNSEEN for _, names, _ in entries(path)]
    assert sum(names is None for names in found) >= 130
    assert sum(names is not None for names in found) >= 450
