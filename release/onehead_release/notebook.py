"""Percent-format sources to notebooks and back, the same bytes every time.

A source names each cell: ``# %% id="scores-stub"``. In the notebook that name is the cell's id,
so that tools and learners can point at a cell by a word that says what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from onehead.errors import OneheadError

# Fixed, so that a notebook does not depend on the machine that it was built on.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# No header in the script, and of a cell's metadata its id alone.
SCRIPT_FILTERS = {"notebook_metadata_filter": "-all", "cell_metadata_filter": "id,-all"}
DEFINITION = re.compile(r"(@|def |class |async def )")
CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # nbformat 4.5

# nbformat's functions carry no types of their own.
_node: Callable[[Mapping[str, Any]], NotebookNode] = nbformat.from_dict
_writes: Callable[[NotebookNode], str] = nbformat.writes


def read_source(path: Path) -> NotebookNode:
    """The notebook of a percent-format source: readable cell ids, no outputs, no counts.

    Raises OneheadError when a cell has no id, a malformed one, or another cell's.
    """
    source = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    cells = [_cell(path, number, cell) for number, cell in enumerate(source.cells, start=1)]
    _refuse_duplicates(path, cells)
    return _node({"nbformat": 4, "nbformat_minor": 5, "metadata": METADATA, "cells": cells})


def _cell(path: Path, number: int, cell: NotebookNode) -> NotebookNode:
    name = cell.metadata.get("id")
    if not isinstance(name, str) or not CELL_ID.fullmatch(name):
        start = cell.source.split("\n")[0]
        given = "no id" if name is None else f"the id {name!r}"
        raise OneheadError(
            f'{path.name}: cell {number} ("{start}") has {given}; expected one of 1 to 64 letters, '
            f'digits, "-" and "_": write it as # %% id="scores-stub"'
        )
    clean = {"id": name, "cell_type": cell.cell_type, "metadata": {}, "source": cell.source}
    if cell.cell_type == "code":
        clean |= {"execution_count": None, "outputs": []}
    return _node(clean)


def _refuse_duplicates(path: Path, cells: list[NotebookNode]) -> None:
    first: dict[str, int] = {}
    for number, cell in enumerate(cells, start=1):
        if cell.id in first:
            raise OneheadError(
                f'{path.name}: cells {first[cell.id]} and {number} both have the id "{cell.id}"; '
                f"rename one of them"
            )
        first[cell.id] = number


def to_bytes(notebook: NotebookNode) -> bytes:
    """The notebook as a file: sorted keys, lines split as Jupyter does, one final newline."""
    return (_writes(notebook).rstrip("\n") + "\n").encode("utf-8")


def cell_ids(notebook: NotebookNode) -> list[str]:
    """The ids of the notebook's cells, top to bottom."""
    return [cell.id for cell in notebook.cells]


def replace(notebook: NotebookNode, sources: Mapping[str, str]) -> NotebookNode:
    """A copy of the notebook with new sources in the cells that are named; the rest stays.

    Raises OneheadError when the notebook has no cell of such an id.
    """
    known = cell_ids(notebook)
    unknown = [name for name in sources if name not in known]
    if unknown:
        raise OneheadError(
            f"the notebook has no cell {', '.join(map(repr, unknown))}; its cells are: "
            f"{', '.join(known)}"
        )
    copy = deepcopy(notebook)
    for cell in copy.cells:
        cell.source = sources.get(cell.id, cell.source)
    return copy


def to_script(notebook: NotebookNode) -> str:
    """The percent-format script of a notebook, ids included; ``read_source`` reads it back."""
    copy = deepcopy(notebook)
    copy.metadata = _node({"jupytext": SCRIPT_FILTERS})
    following = [*copy.cells[1:], None]
    for cell, after in zip(copy.cells, following, strict=True):
        cell.metadata = _node({"id": cell.id, "lines_to_next_cell": _blank_lines(cell, after)})
    script: str = jupytext.writes(copy, fmt="py:percent")
    return script


def _blank_lines(cell: NotebookNode, after: NotebookNode | None) -> int:
    """Two around a function or class, as formatters have it; one elsewhere."""
    if after is None:
        return 1
    unindented = [line for line in cell.source.split("\n") if line[:1].strip()]
    ends = cell.cell_type == "code" and unindented and DEFINITION.match(unindented[-1])
    begins = after.cell_type == "code" and DEFINITION.match(after.source)
    return 2 if ends or begins else 1
