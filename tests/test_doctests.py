"""The examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = (
    "onehead.model",
    "onehead.compare",
    "onehead.stages",
    "onehead.wording",
    "onehead.grade",
    "onehead.reports.csv",
    "onehead.evidence",
    "onehead.render.document",
    "onehead.render.html",
    "onehead.render.text",
    "onehead.sandbox",
    "onehead_solutions.draw",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, tried = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried > 0
    assert failed == 0
