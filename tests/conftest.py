"""What several test modules share: one release, built once in each worker."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, built by the command; a test that changes it works on a copy."""
    out = tmp_path_factory.mktemp("built") / "release"
    command = [Path(sys.executable).with_name("onehead"), "release", "build", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return out


# A run in the background is deaf to interrupts and would hand that on to what the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
