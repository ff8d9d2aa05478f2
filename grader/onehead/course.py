"""The exercises: from the installed course, else from frozen public data."""

from __future__ import annotations

from importlib.metadata import entry_points

from onehead import frozen
from onehead.errors import OneheadError
from onehead.model import Exercise

GROUP = "onehead.course"


def load() -> tuple[Exercise, ...]:
    """The exercises of the installed course, in order; without one, those with public checks.

    Raises:
        OneheadError: no course is installed and no public data are there, or more than one course.
    """
    found = entry_points(group=GROUP)
    if not found and frozen.exists():
        return frozen.load()
    if not found:
        raise OneheadError(
            "no course is installed here, so there are no hidden checks: "
            "install the instructor's package (pip install . in the course's repository)"
        )
    if len(found) > 1:
        names = ", ".join(sorted(point.name for point in found))
        raise OneheadError(f"more than one course is installed ({names}): uninstall all but one")
    exercises: tuple[Exercise, ...] = next(iter(found)).load()()
    return exercises


def packages() -> tuple[str, ...]:
    """The top-level packages that the installed course comes from."""
    return tuple(sorted({point.module.split(".")[0] for point in entry_points(group=GROUP)}))
