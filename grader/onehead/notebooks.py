"""A learner's notebooks: written, brought up to a newer release, and restored, one by one.

A release puts them into the learner's package as data. What a learner's copy was made from is kept
in ``.onehead.json`` beside it, as a digest of each cell: so an update knows which cells are the
learner's by now. Nothing is lost: of each file that changes, the old copy stays in ``kept/``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onehead.errors import OneheadError

PACKAGED = Path(__file__).with_name("data") / "notebooks"
GIVEN, KEPT = ".onehead.json", "kept"
_SCHEMA = "onehead/notebooks/1"

Notebook = dict[str, Any]
Cell = dict[str, Any]


# --- the commands ------------------------------------------------------------------------


def init(folder: Path) -> Iterator[str]:
    """Write the notebooks into a folder; those that are there already stay. What was done.

    Raises:
        OneheadError: this package holds no notebooks, or the folder can't be written to.
    """
    notebooks = packaged()
    given = _given(folder)
    for stem, data in notebooks.items():
        path = folder / f"{stem}.ipynb"
        if path.exists() or path.is_symlink():
            yield f"{path} is there already and stays as it is"
            continue
        _write(path, data)
        given[stem] = digests(json.loads(data))
        yield f"{path} written"
    _remember(folder, given)


def update(folder: Path) -> Iterator[str]:
    """Bring this package's version of the notebooks into a folder; answers stay. What was done.

    Raises:
        OneheadError: as ``init``, or the folder holds no notebook of the course.
    """
    notebooks = packaged()
    given = _given(folder)
    if not any((folder / f"{stem}.ipynb").is_file() for stem in notebooks):
        raise OneheadError(
            f"no notebook of this course in {str(folder)!r}: write them with onehead init {folder}"
        )
    for stem, data in notebooks.items():
        path = folder / f"{stem}.ipynb"
        if not path.is_file():
            _write(path, data)
            yield f"{path} written"
        else:
            yield from _updated(path, json.loads(data), given.get(stem))
        given[stem] = digests(json.loads(data))
        _remember(folder, given)


def reset(name: str, folder: Path) -> Iterator[str]:
    """Write one notebook anew, as it was released; the old copy is kept. What was done.

    ``name`` is a file's, with or without its ending.

    Raises:
        OneheadError: as ``init``, or there is no notebook of that name.
    """
    notebooks = packaged()
    stem = Path(name).name.removesuffix(".ipynb")
    if stem not in notebooks:
        raise OneheadError(f"no notebook is called {name!r}: there are {', '.join(notebooks)}")
    path = folder / f"{stem}.ipynb"
    if path.exists() or path.is_symlink():
        yield f"the old copy is {_keep(path)}"
    _write(path, notebooks[stem])
    _remember(folder, _given(folder) | {stem: digests(json.loads(notebooks[stem]))})
    yield f"{path} is as it was released"


def packaged() -> Mapping[str, bytes]:
    """This package's notebooks by their stems, in order.

    Raises:
        OneheadError: it holds none.
    """
    paths = sorted(PACKAGED.glob("*.ipynb"))
    if not paths:
        raise OneheadError(
            "this package holds no notebooks: those come with a release's learner package "
            "(install the wheel in its folder learner/, or copy the notebooks beside it)"
        )
    return {path.stem: path.read_bytes() for path in paths}


# --- cells, theirs and ours --------------------------------------------------------------


def key(cell: Cell) -> str:
    """A cell's name: nbgrader's, which outlives editors that give out their own ids, or its id."""
    named = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    return str(named or cell.get("id", ""))


def digests(notebook: Notebook) -> dict[str, str]:
    """The digest of each cell's source, by the cell's name."""
    return {key(cell): _digest(cell) for cell in notebook["cells"]}


def _digest(cell: Cell) -> str:
    return hashlib.sha256(source(cell).encode()).hexdigest()[:16]


def source(cell: Cell) -> str:
    text = cell["source"]
    return text if isinstance(text, str) else "".join(text)


@dataclass
class Merge:
    """A released notebook with a learner's cells in it, and what became of which."""

    cells: list[Cell] = field(default_factory=list)
    new: list[str] = field(default_factory=list)  # cells that the release has changed or added
    both: list[str] = field(default_factory=list)  # changed by both: the learner's stays


def merged(mine: Notebook, released: Notebook, given: Mapping[str, str] | None) -> Merge:
    """The release's cells, except where the learner has written something; and the learner's own.

    ``given`` are the digests of what the learner's copy was made from. Where it is not known,
    answers and unknown cells count as the learner's, and prose and checks as the release's.
    """
    merge, found = Merge(), _Pairs(mine["cells"])
    for cell in released["cells"]:
        name = key(cell)
        old = found.take(cell)
        if old is None:
            if given is None or name not in given:  # else the learner has taken it out
                merge.cells.append(cell)
                merge.new.append(name)
        elif source(old) == source(cell):
            merge.cells.append(_as_released(old, cell))
        elif _is_theirs(old, given):
            merge.cells.append(_as_released(old, cell))
            if given is not None and given.get(name) != _digest(cell):
                merge.both.append(name)
        else:
            merge.cells.append(cell)
            merge.new.append(name)
    _insert_own(merge, mine["cells"], found, given)
    return merge


class _Pairs:
    """Which of a learner's cells stands for which of the release's: of its name, else its text."""

    def __init__(self, mine: Sequence[Cell]) -> None:
        self._mine = mine
        self._taken: dict[int, str] = {}  # place in the learner's notebook -> released cell

    def take(self, released: Cell) -> Cell | None:
        for same in (key, source):
            for place, cell in enumerate(self._mine):
                if place not in self._taken and same(cell) == same(released):
                    self._taken[place] = key(released)
                    return cell
        return None

    def released(self, place: int) -> str | None:
        """The released cell that a learner's cell stands for."""
        return self._taken.get(place)


def _as_released(mine: Cell, released: Cell) -> Cell:
    """A learner's cell with the release's name and metadata for nbgrader."""
    metadata = {k: v for k, v in mine.get("metadata", {}).items() if k != "nbgrader"}
    return mine | {"id": released["id"], "metadata": metadata | released["metadata"]}


def _is_theirs(cell: Cell, given: Mapping[str, str] | None) -> bool:
    """Whether a learner has written a cell, or written in it."""
    if given is not None:
        return given.get(key(cell)) != _digest(cell)
    return cell["cell_type"] == "code" and not key(cell).endswith("-check")


def _insert_own(
    merge: Merge, mine: Sequence[Cell], found: _Pairs, given: Mapping[str, str] | None
) -> None:
    """Put cells that the release does not have behind those that they stood behind."""
    place = 0
    for number, cell in enumerate(mine):
        name = found.released(number)
        if name is not None:
            place = 1 + next(k for k, kept in enumerate(merge.cells) if key(kept) == name)
        elif given is None or given.get(key(cell)) != _digest(cell):
            merge.cells.insert(place, cell)
            place += 1


def _updated(path: Path, released: Notebook, given: Mapping[str, str] | None) -> Iterator[str]:
    """Merge one file; what was done."""
    try:
        mine = json.loads(path.read_text(encoding="utf-8"))
        names = {key(cell) for cell in mine["cells"]}
        merge = merged(mine, released, given)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield f"{path} can't be read as a notebook and stays; onehead reset {path.stem} restores it"
        return
    if names.isdisjoint(digests(released)):
        yield f"{path} has no cell of this course and stays as it is"
        return
    if merge.cells == mine["cells"]:
        yield f"{path} is up to date"
    else:
        kept = _keep(path, copy=True)
        document = mine | {"cells": merge.cells}
        text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        _write(path, text.encode("utf-8"))
        what = ", ".join(merge.new) or "cells moved or taken out"
        yield f"{path} updated ({what}); the old copy is {kept}"
    for name in merge.both:
        yield f"  {name} is new in the release, and yours stays"


# --- files -------------------------------------------------------------------------------


def _given(folder: Path) -> dict[str, dict[str, str]]:
    """The digests of the cells that the notebooks in a folder were made from, by stem."""
    try:
        document = json.loads((folder / GIVEN).read_text(encoding="utf-8"))
        cells: dict[str, dict[str, str]] = dict(document["cells"])
        return cells if document["schema"] == _SCHEMA else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _remember(folder: Path, given: Mapping[str, Mapping[str, str]]) -> None:
    text = json.dumps({"schema": _SCHEMA, "cells": given}, indent=1) + "\n"
    _write(folder / GIVEN, text.encode())


def _keep(path: Path, copy: bool = False) -> Path:
    """Put a file away, or a copy of it, under a name that is free; where it is now."""
    folder = path.parent / KEPT
    try:
        folder.mkdir(exist_ok=True)
        number = 1
        while (to := folder / f"{path.stem}-{number}{path.suffix}").exists():
            number += 1
        if copy:
            _write(to, path.read_bytes())
        else:
            os.rename(path, to)
    except OSError as error:
        raise OneheadError(
            f"can't keep a copy of {str(path)!r} ({error.strerror}): nothing was changed in it"
        ) from None
    return to


def _write(path: Path, data: bytes) -> None:
    """All of a file or nothing of it."""
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(data)
        os.replace(beside, path)
    except OSError as error:
        raise OneheadError(
            f"can't write {str(path)!r} ({error.strerror}): give a folder that you may write to"
        ) from None
