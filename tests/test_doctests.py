"""Every example in a docstring holds."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("grader/onehead", "solutions/onehead_solutions", "release/onehead_release")


def _with_examples() -> list[str]:
    files = (file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py")))
    return [
        ".".join(file.relative_to(ROOT).with_suffix("").parts[1:]).removesuffix(".__init__")
        for file in files
        if "bank" not in file.parts and ">>> " in file.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("name", _with_examples())
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0
