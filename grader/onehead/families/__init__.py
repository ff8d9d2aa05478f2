"""Check families, one file each, found by walking this folder.

A family has ``FAMILY`` (its name), ``plan(part)`` (cases of its own, beyond the part's),
``check(part, judged, answers)`` (the findings of one case; ``answers`` holds every case's by name,
for those that are compared with a twin) and ``EXAMPLES`` (outcomes with the message due; its tests
are made from them).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Protocol, cast

from onehead.model import Case, Family, Finding, Notes, Outcome, Part
from onehead.stages import Judged


class CheckFamily(Protocol):
    FAMILY: Family
    EXAMPLES: tuple[Example, ...]

    def plan(self, part: Part) -> tuple[Case, ...]: ...

    def check(
        self, part: Part, judged: Judged, answers: Mapping[str, Judged]
    ) -> Iterator[Finding]: ...


@dataclass(frozen=True)
class Example:
    """Outcomes of a part's cases, by case name, and the messages that a family finds in them."""

    part: Part
    outcomes: Mapping[str, Outcome]
    messages: tuple[str, ...] = field(default=())


def returned(value: Any, **notes: Any) -> Outcome:
    """An outcome for an example."""
    return Outcome("returned", value, notes=Notes(**notes))


@cache
def load() -> tuple[CheckFamily, ...]:
    """Every family of this folder, by file name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(cast(CheckFamily, importlib.import_module(f"{__name__}.{name}")) for name in names)


@lru_cache(maxsize=4096)
def planned(part: Part) -> tuple[Case, ...]:
    """A part's cases and those that the families add."""
    return part.cases + tuple(case for family in load() for case in family.plan(part))
