"""What a learner handed in, as the notebook that nbgrader's pages show beside marks and comments.

nbgrader makes these by running a notebook. Here they are put together of what was graded, a
notebook or a script, damaged or not: the learner's code cells in their order, and each part's
check after the cell that defines the part, with what the grader says as its output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onehead import cell_names
from onehead.model import Exercise, ExerciseResult, PartResult
from onehead.reports.text import part_text
from onehead.source import Source


@dataclass(frozen=True)
class Released:
    """A cell as it was released: its code and nbgrader's checksum of it."""

    source: str
    checksum: str | None


def notebook(
    exercise: Exercise,
    result: ExerciseResult,
    source: Source,
    released: Mapping[str, Released],
) -> dict[str, Any]:
    """A notebook of format 4.5 with nbgrader's metadata; ``released`` is by grade_id."""
    texts = [cell.source for cell in source.cells if not _is_check(cell.source, released)]
    parts = {part.name: part for part in result.parts}
    after: dict[int, list[str]] = {}
    for part in exercise.parts:
        after.setdefault(_place(part.defined_as, texts), []).append(part.name)
    shown: list[dict[str, Any]] = []
    if said := result.message or ("" if source.status == "ok" else f"{source.status} file"):
        shown.append(_prose("grader-note", said))
    for place in range(-1, len(texts)):
        names = after.get(place, [])
        if place >= 0:
            owner = names[0] if names else None
            shown.append(_code(owner, f"cell-{place + 1}", texts[place], released))
        for name in names:
            if place < 0 or name != names[0]:
                where = "is defined in the cell above" if place >= 0 else "is nowhere defined"
                shown.append(_code(name, "", f"# {name} {where}", released))
            shown.append(_check(parts[name], released))
    return {
        "cells": shown,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _is_check(text: str, released: Mapping[str, Released]) -> bool:
    """Whether a cell is one of the released checks, which have a place of their own."""
    bare = text.strip()
    return any(
        name.endswith(cell_names.check("")) and bare and cell.source.startswith(bare)
        for name, cell in released.items()
    )


def _place(name: str, texts: Sequence[str]) -> int:
    """The last cell that defines a name, which is what was graded; -1 where none does."""
    definition = re.compile(
        rf"^\s*(?:async\s+)?(?:def|class)\s+{name}\b|^\s*{name}\s*[:=]", re.MULTILINE
    )
    return max((k for k, text in enumerate(texts) if definition.search(text)), default=-1)


def _prose(id: str, text: str) -> dict[str, Any]:
    plain = "".join(_harmless(text))
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": plain}


def _harmless(text: str) -> Iterator[str]:
    for character in text:
        plain = character.isalnum() or character in " ,.;"
        yield character if plain else f"&#{ord(character)};" if character.isprintable() else " "


def _code(part: str | None, id: str, text: str, released: Mapping[str, Released]) -> dict[str, Any]:
    """A code cell; with a part's name it is the cell that holds the answer to it."""
    metadata: dict[str, Any] = {}
    if part is not None:
        id = cell_names.stub(part)
        metadata = {"deletable": False, "nbgrader": _metadata(id, released)}
    return {
        "cell_type": "code",
        "id": id,
        "metadata": metadata,
        "source": text,
        "outputs": [],
        "execution_count": None,
    }


def _check(part: PartResult, released: Mapping[str, Released]) -> dict[str, Any]:
    id = cell_names.check(part.name)
    said = part_text(part).rstrip("\n") + "\n"
    points = _metadata(id, released, points=float(part.max_score))
    return {
        "cell_type": "code",
        "id": id,
        "metadata": {"deletable": False, "editable": False, "nbgrader": points},
        "source": released[id].source,
        "outputs": [{"output_type": "stream", "name": "stdout", "text": said}],
        "execution_count": 1,
    }


def _metadata(
    id: str, released: Mapping[str, Released], points: float | None = None
) -> dict[str, Any]:
    """nbgrader's own entry of a cell, in version 3 of its schema."""
    entry: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": id,
        "grade": points is not None,
        "solution": points is None,
        "locked": points is not None,
        "task": False,
        "cell_type": "code",
    }
    if released[id].checksum is not None:
        entry["checksum"] = released[id].checksum
    return entry if points is None else {**entry, "points": points}
