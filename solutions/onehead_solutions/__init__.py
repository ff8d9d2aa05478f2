"""SECRET: references, hidden cases, answers and the bank. Never part of what a learner is given."""

from __future__ import annotations

from onehead.course import exercises_in
from onehead.model import Exercise

TITLE = "Single-head self-attention, in numpy"


def load() -> tuple[Exercise, ...]:
    """The chapter's exercises in order (the entry point ``onehead.course``)."""
    return exercises_in(__name__)
