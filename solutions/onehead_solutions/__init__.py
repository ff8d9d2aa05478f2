"""SECRET: references, hidden cases, answers and the bank. Never part of what a learner is given."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from onehead.course import exercises_in
from onehead.model import Exercise
from onehead.signature import GENERAL

TITLE = "Single-head self-attention, in numpy"


# Where the chapter teaches against mistakes that any part can show: before any of them is met.
_REREADS = dict.fromkeys(GENERAL, "lesson-01")


@cache
def load() -> tuple[Exercise, ...]:
    """The chapter's exercises in order (the entry point ``onehead.course``)."""
    return tuple(
        replace(e, parts=tuple(replace(part, rereads=_REREADS) for part in e.parts))
        for e in exercises_in(__name__)
    )
