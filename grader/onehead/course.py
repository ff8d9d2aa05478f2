"""The exercises: from the installed course, else from frozen public data.

A course is a package with an entry point in the group ``onehead.course``: the entry point's name is
the course's, what it names returns the exercises. Several may be installed: ``ONEHEAD_COURSE`` says
which one is meant; without it, one that does not come with ``onehead`` itself is.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from types import ModuleType

from onehead import frozen
from onehead.errors import OneheadError
from onehead.model import Exercise

GROUP = "onehead.course"
CHOICE = "ONEHEAD_COURSE"  # the environment's variable, which processes hand on to their own
_OWN = "onehead"  # the distribution that comes with a course


@cache
def entry_points(group: str) -> EntryPoints:
    """The entry points of a group; looked for once, since every installed package is looked at."""
    return metadata.entry_points(group=group)


def load() -> tuple[Exercise, ...]:
    """The exercises of the chosen course, in order; without one, those with public checks.

    Raises:
        OneheadError: no course is installed and no public data are there, or it is open which of
            several is meant.
    """
    point = chosen()
    if point is None and frozen.exists():
        return frozen.load()
    if point is None:
        raise OneheadError(
            "no course is installed here, so there are no hidden checks: "
            "install the instructor's package (pip install . in the course's repository)"
        )
    exercises: tuple[Exercise, ...] = point.load()()
    return exercises


def chosen() -> EntryPoint | None:
    """The entry point of the course that is meant; None where none is installed.

    Raises:
        OneheadError: the course that is asked for is not installed, or it is open which one is
            meant.
    """
    found = sorted(entry_points(GROUP), key=lambda point: point.name)
    names = ", ".join(point.name for point in found)
    if wish := os.environ.get(CHOICE):
        named = [point for point in found if point.name == wish]
        if found and not named:
            raise OneheadError(
                f"{CHOICE} asks for the course {wish!r}, which is not installed; there are: {names}"
            )
        found = named
    if len(found) > 1:
        found = [point for point in found if not _comes_along(point)]
    if len(found) > 1:
        raise OneheadError(
            f"more than one course is installed ({names}): say which one is meant with the "
            f"environment's variable {CHOICE}, or uninstall all but one"
        )
    return found[0] if found else None


def packages() -> tuple[str, ...]:
    """The top-level packages that results may depend on.

    The chosen course's, and that of the course which comes with ``onehead``: it has helpers.
    """
    point = chosen()
    if point is None:
        return ()
    beside = (other for other in entry_points(GROUP) if _comes_along(other))
    return tuple(dict.fromkeys(p.module.split(".")[0] for p in (point, *beside)))


def _comes_along(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name == _OWN


def exercises_in(package: str) -> tuple[Exercise, ...]:
    """The exercises of a course's package, found by walking it, in the order of their file stems.

    A module of an exercise has it as ``EXERCISE``; its file is named as it likes.
    """
    modules = exercise_modules(package).values()
    return tuple(module.EXERCISE for module in modules)


def exercise_modules(package: str) -> Mapping[str, ModuleType]:
    """The modules of a course's package that hold an exercise, by the exercise's file stem."""
    folders = importlib.import_module(package).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(folders) if not module.ispkg)
    modules = (importlib.import_module(f"{package}.{name}") for name in names)
    found = {m.EXERCISE.stem: m for m in modules if isinstance(vars(m).get("EXERCISE"), Exercise)}
    return dict(sorted(found.items()))
