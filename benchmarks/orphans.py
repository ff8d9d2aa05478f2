"""Processor time of processes that nobody waits for, such as those that work for a fork server."""

from __future__ import annotations

import contextlib
import ctypes
import os

_PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def adopt() -> None:
    """Make this process the parent of all processes below it whose own parent has ended."""
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("this machine has no subreapers")


def reap() -> None:
    """Wait for all of them to end, so that their time counts as that of this one's children."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
