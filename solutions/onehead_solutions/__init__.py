"""SECRET: references, hidden cases, answers and the bank. Never part of what a learner is given."""

from __future__ import annotations

import importlib

from onehead.model import Exercise

LESSONS = (
    "one_reading",
    "sources",
    "projections",
    "matrix_form",
    "output_projection",
    "batch_axis",
    "costs",
    "audit",
    "review",
    "practice",
)


def load() -> tuple[Exercise, ...]:
    """The chapter's exercises in order (the entry point ``onehead.course``)."""
    modules = (importlib.import_module(f"onehead_solutions.{lesson}") for lesson in LESSONS)
    return tuple(module.EXERCISE for module in modules)
