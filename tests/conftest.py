"""What several test modules share: one release, built once in each worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from onehead_release.bundle import build


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built release; a test that changes it works on a copy."""
    out = tmp_path_factory.mktemp("built") / "release"
    build(out)
    return out
