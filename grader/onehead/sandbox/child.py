"""A learner's process, forked for one exercise."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from pathlib import Path
from types import TracebackType
from typing import Self

from onehead.sandbox.budget import Budget
from onehead.sandbox.piped import Piped
from onehead.sandbox.questions import Dead, Death, Limits, SandboxError
from onehead.sandbox.zygote import Zygote

_START_SECONDS = 60.0
_LAST_SECOND_MS = 1000
_PF_EXITING = 4  # proc(5): the flags in /proc/PID/stat
OUT_OF_MEMORY = 77  # exit status of a child whose own bookkeeping found no memory


class Child(Piped):
    """A learner's process. A context manager: at its exit the process is killed and reaped."""

    def __init__(self, zygote: Zygote, module: str, budget: Budget) -> None:
        self._zygote = zygote
        their_requests, requests = os.pipe()
        answers, their_answers = os.pipe()
        try:
            self._pidfd = zygote.fork(their_requests, their_answers)
        except BaseException:
            os.close(requests)
            os.close(answers)
            raise
        finally:
            os.close(their_requests)
            os.close(their_answers)
        starting = Budget(Limits(_START_SECONDS))  # the start is not the learner's
        super().__init__(_pid_of(self._pidfd), requests, answers, starting)
        self._begin(module, int(budget.limits.seconds) + 2)
        self._budget = budget

    def _begin(self, module: str, seconds: int) -> None:
        """Locks the child. No learner code has run, so a failure here is the grader's."""
        address_space = self._zygote.address_space(self._pid)
        with contextlib.suppress(OSError):  # where memory runs out, the kernel takes it first
            Path(f"/proc/{self._pid}/oom_score_adj").write_text("1000")
        begin = {"module": module, "address_space": address_space, "seconds": seconds}
        try:
            self.exchange(begin)
        except Dead as dead:
            raise SandboxError(f"a child does not start ({dead.status})") from dead

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._alive:
            self._end()

    def _end(self, wait: bool = False) -> int | None:
        """Kills and reaps the child, once it is gone by itself if it is about to; its status."""
        self._alive = False
        ended = select.poll()
        ended.register(self._pidfd, select.POLLIN)
        patience = _LAST_SECOND_MS if wait and _is_ending(self._pid) else 0
        self._ended_itself = bool(ended.poll(patience))
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        for descriptor in (self._requests, self._answers, self._pidfd):
            os.close(descriptor)
        return self._zygote.reap()

    def _stop(self) -> None:
        self._end()

    def _cause_of_death(self) -> Death:
        """It has ended, or is about to, or has closed its pipes."""
        status = self._end(wait=True)
        if status is not None and os.WIFEXITED(status):
            return "out-of-memory" if os.WEXITSTATUS(status) == OUT_OF_MEMORY else "crashed"
        if status is not None and os.WTERMSIG(status) == signal.SIGXCPU:
            return "timed-out"
        # No signal goes out of a locked child, to what it was forked from or to itself.
        if self._zygote.level != "process":
            if status is None:
                raise SandboxError("what a learner's process was forked from was killed")
            if os.WTERMSIG(status) == signal.SIGKILL and self._ended_itself:
                raise SandboxError("a learner's process was killed from outside")
        return "crashed"


def _pid_of(pidfd: int) -> int:
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    raise SandboxError("a pidfd without a process id: /proc is not mounted")


def _is_ending(pid: int) -> bool:
    """Whether a process is past its last instruction: it has closed its files, or is about to."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return True
    return bool(int(fields[6]) & _PF_EXITING)
