"""Submissions that one can read, each with its result beside it, word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.make_goldens import GOLDEN, result

from onehead.sandbox import Box, Limits

FOLDERS = sorted(path for path in GOLDEN.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_result_is_the_one_beside_it(folder: Path) -> None:
    with Box(Limits(), "process") as box:
        assert result(folder, box) == json.loads((folder / "result.json").read_text())
