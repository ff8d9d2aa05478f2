"""The learner's side's first process, which forks one child for every exercise."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

import numpy as np

from onehead import bubblewrap
from onehead.errors import OneheadError
from onehead.sandbox.questions import Limits, SandboxError

_START_SECONDS = 60.0
_ANSWER_SECONDS = 20.0  # which a child may have stopped


class Zygote:
    """The warm process; starts when first needed, and again when it has died."""

    def __init__(self, limits: Limits, level: str = "process") -> None:
        self.limits, self.level = limits, level
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self.landlock_abi = 0  # of the zygote that runs, like the next
        self.namespaces: tuple[str, ...] = ()
        self.cpu_seconds = 0.0  # of its starts, and of all children that have ended
        self._bare = 0  # bytes of address space of a child that has loaded nothing

    def close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._control = None

    def fork(self, requests: int, answers: int) -> int:
        """A child that holds the two pipes' ends, as a pidfd."""
        if self._control is None:
            self._start()
        assert self._control is not None
        socket.send_fds(self._control, [b"fork"], [requests, answers])
        message, pidfds, _, _ = socket.recv_fds(self._control, 64, 1)
        if message != b"forked" or len(pidfds) != 1:
            raise OSError("the worker's first process has ended")
        return pidfds[0]

    def reap(self) -> int | None:
        """The exit status of the child, which has been killed; None if the zygote is gone."""
        try:
            assert self._control is not None
            self._control.send(b"reap")
            status, seconds = self._control.recv(64).split()
            self.cpu_seconds += float(seconds)
            return int(status)
        except (OSError, ValueError):
            self.close()
            return None

    def address_space(self, pid: int) -> int:
        """What a child may map in all, in bytes."""
        if not self._bare:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
            self._bare = pages * os.sysconf("SC_PAGE_SIZE")
        return self._bare + self.limits.memory * 1024 * 1024

    def _start(self) -> None:
        if sys.platform != "linux":
            raise OneheadError(
                "learners' files are run on Linux alone: use a Linux virtual machine or WSL2; in a "
                "notebook, check() works everywhere"
            )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        info, their_info = os.pipe()
        with theirs, tempfile.TemporaryFile() as complaints:
            self._control = ours
            try:
                self._process = subprocess.Popen(
                    _command(self.level, theirs.fileno(), their_info),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=complaints,
                    env=_ENVIRONMENT,
                    pass_fds=[theirs.fileno(), their_info],
                    start_new_session=True,
                )
            except OSError as error:
                os.close(info)
                self.close()
                raise SandboxError(f"the worker does not start: {error}") from error
            finally:
                os.close(their_info)
            theirs.close()
            ours.settimeout(_START_SECONDS)
            with open(info) as said:
                box = json.loads(said.read() or "{}") if self.level == "namespaces" else {}
            ready = ours.recv(4096)
            if not ready:
                self._process.wait(_START_SECONDS)
                self.close()
                raise SandboxError(f"the worker does not start: {_last_line(complaints)}")
            ours.settimeout(_ANSWER_SECONDS)
            told = json.loads(ready)
            self.landlock_abi = int(told["landlock_abi"])
            self.cpu_seconds += float(told["cpu_seconds"])
            self.namespaces = _own_namespaces(box.get("child-pid"))


# One thread in numpy's BLAS makes fork safe and sums reproducible; a fixed hash seed makes the
# order of sets the same for every zygote.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONPATH": str(Path(np.__file__).parents[1]),
}


def _command(level: str, control: int, info: int) -> list[str]:
    # Not -I, which would ignore PYTHONHASHSEED: the environment is ours as it is. -S, since what an
    # installed package may put on the path at start (.pth files) includes the grader's own folders.
    if level == "namespaces":
        python, folder = bubblewrap.command(info), Path(bubblewrap.BOX, "worker")
    else:
        python, folder = [sys.executable], Path(__file__).parents[1]
    return [*python, "-P", "-S", "-X", "utf8", str(folder / "worker.py"), str(control), level]


def _own_namespaces(pid: int | None) -> tuple[str, ...]:
    """The kinds of namespaces that a process does not share with the grader."""
    kinds = {"user": "user", "pid": "pid", "net": "net", "mount": "mnt"} if pid else {}
    return tuple(
        kind
        for kind, link in kinds.items()
        if os.readlink(f"/proc/{pid}/ns/{link}") != os.readlink(f"/proc/self/ns/{link}")
    )


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
