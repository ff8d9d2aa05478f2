"""The lessons' figures: drawn by code from the chapter's own numbers, the same bytes every time.

A source names a figure as an image, ``![](figure:NAME)``; a notebook holds the image itself, with
the sentence that stands for it where it can't be seen. A module here is a group of figures: its
``FIGURES`` maps each name to a function that draws it.
"""

from __future__ import annotations

import base64
import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from html import escape
from importlib.util import find_spec

from nbformat import NotebookNode

from onehead.errors import OneheadError
from onehead_release.chapter import chapter
from onehead_release.figures.drawing import Figure

REFERENCE = re.compile(r"!\[\]\(figure:([\w-]+)\)")


@cache
def figures() -> Mapping[str, Callable[[], Figure]]:
    """Every figure by its name, found by walking this folder, and a chapter's own ``figures``."""
    found: dict[str, Callable[[], Figure]] = {}
    for package in (__name__, f"{chapter().package}.figures"):
        if find_spec(package) is None:
            continue
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            found |= getattr(importlib.import_module(f"{package}.{module.name}"), "FIGURES", {})
    return found


@cache
def image(name: str) -> str:
    """The figure as an HTML image that holds its own data.

    Raises OneheadError when there is no such figure.
    """
    if name not in figures():
        raise OneheadError(
            f"there is no figure {name!r}; there are: {', '.join(sorted(figures()))}"
        )
    figure = figures()[name]()
    data = base64.b64encode(figure.svg.encode("utf-8")).decode("ascii")
    alt = escape(figure.says, quote=True)
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'


def drawn(notebook: NotebookNode) -> NotebookNode:
    """A copy of the notebook with each figure in place of its reference."""
    copy = deepcopy(notebook)
    for cell in copy.cells:
        if cell.cell_type == "markdown":
            cell.source = REFERENCE.sub(lambda found: image(found[1]), cell.source)
    return copy


def named(notebook: NotebookNode) -> NotebookNode:
    """A copy with references in place of the figures: what a script holds."""
    copy = deepcopy(notebook)
    for cell in copy.cells:
        if cell.cell_type == "markdown" and "<img " in cell.source:
            for name in figures():
                cell.source = cell.source.replace(image(name), f"![](figure:{name})")
    return copy
