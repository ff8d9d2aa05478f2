"""The chapter that a release is built from: the chosen course, and where its files are."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

from onehead import course
from onehead.errors import OneheadError
from onehead.model import Exercise

ENGINE = "onehead"  # the distribution that the grader is installed as


@dataclass(frozen=True)
class Chapter:
    """A course's package. Its ``exercises/`` and its ``bank/`` lie in it or beside it."""

    name: str  # of its entry point, and of the assignment in nbgrader
    entry: str  # what the entry point names: "onehead_solutions:load"
    distribution: str  # that brings it: "onehead" for the chapter of this repository
    exercises: tuple[Exercise, ...]

    @property
    def package(self) -> str:
        return self.entry.split(":")[0].split(".")[0]

    @property
    def title(self) -> str:
        """The package's ``TITLE``, else its name."""
        title: str = getattr(importlib.import_module(self.package), "TITLE", self.name)
        return title

    @property
    def folder(self) -> Path:
        """The package's own folder."""
        (folder,) = importlib.import_module(self.package).__path__
        return Path(folder)

    @property
    def bank(self) -> Path:
        """Right and wrong answers, to try the grader on; it need not be there."""
        return self.folder / "bank"

    @property
    def modules(self) -> Mapping[str, ModuleType]:
        """By file stem: the module that holds an exercise and its reference."""
        return course.exercise_modules(self.package)

    @property
    def sources(self) -> Path:
        """The folder of the notebooks' sources: in the package, beside it, or a folder higher.

        Raises OneheadError when it is nowhere.
        """
        for folder in (self.folder, *list(self.folder.parents)[:2]):
            if (folder / "exercises").is_dir():
                return folder / "exercises"
        raise OneheadError(
            f"the exercises are neither in {self.folder} nor beside it: install "
            f"{self.distribution} again, or run it from a whole checkout"
        )

    @property
    def version(self) -> str:
        """The engine's version; with another distribution's chapter, that one's as local part.

        So a learner's installer takes two chapters' packages for builds of one, and never mixes
        their files.
        """
        engine = metadata.version(ENGINE)
        if self.distribution == ENGINE:
            return engine
        label = f"{self.distribution}.{metadata.version(self.distribution)}"
        return f"{engine}+{re.sub(r'[^a-z0-9]+', '.', label.lower()).strip('.')}"


def chapter() -> Chapter:
    """The chosen course.

    Raises OneheadError when none is installed, or it is open which one is meant.
    """
    point = course.chosen()
    if point is None:
        course.load()  # says what to install
        raise OneheadError("a release is built from a course's own package, and none is installed")
    return _chapter(point.name, point.value, point.dist.name if point.dist else ENGINE)


@cache
def _chapter(name: str, entry: str, distribution: str) -> Chapter:
    package, function = entry.split(":")
    exercises = getattr(importlib.import_module(package), function)()
    return Chapter(name, entry, distribution, exercises)
