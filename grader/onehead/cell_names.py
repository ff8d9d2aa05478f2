"""How a notebook's cells are called. nbgrader's gradebook knows them by these names."""

from __future__ import annotations


def stub(part: str) -> str:
    """The cell that a learner fills in.

    >>> stub("attend")
    'attend-stub'
    """
    return f"{part}-stub"


def check(part: str) -> str:
    """The cell after it, which checks the part and has its points.

    >>> check("attend")
    'attend-check'
    """
    return f"{part}-check"
