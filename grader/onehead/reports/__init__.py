"""Reports: each a pure function of the result model, one file a format.

A format that ``onehead report`` offers is a module of this folder with ``NAME`` and
``report(graded, wishes)``; it is found by walking the folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, cast

from onehead.model import Graded


@dataclass(frozen=True)
class Wishes:
    """What an instructor may ask of a format beyond its name."""

    fill: str | None = None  # the text of the gradebook that the LMS exported
    column: str | None = None  # the column of it that takes the marks


@dataclass(frozen=True)
class Report:
    """Texts by the names of the files that hold them, and what its reader has to be told."""

    files: Mapping[str, str]
    notes: tuple[str, ...] = field(default=())


class Format(Protocol):
    NAME: str

    def report(self, graded: Graded, wishes: Wishes) -> Report: ...


@cache
def formats() -> Mapping[str, Format]:
    """Every format of this folder by its name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {module.NAME: cast(Format, module) for module in modules if hasattr(module, "NAME")}
