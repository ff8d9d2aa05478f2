"""Submissions that one can read, each with its result and report beside it, word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.make_goldens import GOLDEN, golden

from onehead.sandbox import Box, Limits

FOLDERS = sorted(path for path in GOLDEN.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_result_and_report_are_those_beside_it(folder: Path) -> None:
    with Box(Limits(), "process") as box:
        found = golden(folder, box)
    assert json.loads(found["result.json"]) == json.loads((folder / "result.json").read_text())
    assert found["report.txt"] == (folder / "report.txt").read_text(encoding="utf-8")
