"""Which walls stand between learner code and this machine: proved by trying, never assumed.

A level counts as what a locked child could *not* do at the start of the run. The probe runs as a
learner's cell does, and tries each forbidden thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from onehead import bubblewrap
from onehead.errors import OneheadError
from onehead.sandbox import Box, Budget, Dead, Limits, SandboxError, Step

LEVELS = ("namespaces", "kernel", "process")  # strongest first

_HINTS = {
    "namespaces": "install bubblewrap (apt-get install bubblewrap) and allow user namespaces, "
    "or use --isolation kernel",
    "kernel": "use Linux 5.13 or later with Landlock, on x86_64 or aarch64",
    "process": "use Linux with /proc mounted",
}
_HINTS["auto"] = f"{_HINTS['kernel']}, or ask for --isolation process, which walls off nothing"

# Each attempt returns when it succeeded and raises OSError when it was refused.
_ATTEMPTS = """
import ctypes, fcntl, os, socket

def open_passwd():
    open("/etc/passwd").close()

def open_grader():
    open(GRADER).close()

def make_socket():
    socket.socket().close()

def fork():
    if os.fork() == 0:
        os._exit(0)
    os.wait()

def execve():
    try:
        os.execv("/dev/null", ["x"])
    except OSError as error:
        if error.errno == 1:  # the call itself is forbidden; else the file is merely no program
            raise

def kill_parent():
    os.kill(os.getppid(), 0)

def name_a_receiver_of_signals():
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid())

def unshare():
    if ctypes.CDLL(None).unshare(0x10000000) != 0:
        raise OSError

def write(path):
    open(path, "x").close()
    os.unlink(path)

def succeeds(attempt, *arguments):
    try:
        attempt(*arguments)
    except OSError:
        return False
    return True

def outcomes():
    return {
        "open /etc/passwd": succeeds(open_passwd),
        "open the grader's files": succeeds(open_grader),
        "socket": succeeds(make_socket),
        "fork": succeeds(fork),
        "execve": succeeds(execve),
        "kill parent": succeeds(kill_parent),
        "name a receiver of signals": succeeds(name_a_receiver_of_signals),
        "unshare": succeeds(unshare),
        "write cwd": succeeds(write, "onehead-probe-%d" % os.getpid()),
        "write /tmp": succeeds(write, "/tmp/onehead-probe-%d" % os.getpid()),
    }
"""


@dataclass(frozen=True)
class Proof:
    """What a probe child could not do (``probed``) and what it could (``missing``)."""

    level: str
    asked: str
    mechanisms: Mapping[str, Any]
    probed: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def warning(self) -> str:
        """What stands at the head of every report of a run at the weakest level."""
        return warning(self.level)

    def as_json(self) -> dict[str, Any]:
        """The ``isolation`` entry of run.json."""
        return {
            "level": self.level,
            "asked": self.asked,
            "mechanisms": dict(self.mechanisms),
            "probed": list(self.probed),
            "missing": list(self.missing),
        }


def warning(level: str) -> str:
    """What a reader of marks has to know of the level that they were graded at."""
    if level != "process":
        return ""
    return (
        "Graded at isolation level process: learners' code was limited in time and memory, "
        "but could read this machine's files and reach its network."
    )


def choose(asked: str) -> Proof:
    """The level to grade with: that one, or for "auto" the strongest proved, never "process".

    Raises OneheadError where the machine does not have it.
    """
    check_name(asked)
    reasons = []
    for level in LEVELS[:2] if asked == "auto" else (asked,):
        try:
            return probe(level, asked)
        except SandboxError as error:
            reasons.append(f"{level}: {error}")
    raise OneheadError(f"no isolation here ({'; '.join(reasons)}): {_HINTS[asked]}")


def check_name(asked: str) -> None:
    """Raise OneheadError for what is no level and not "auto"."""
    if asked != "auto" and asked not in LEVELS:
        expected = ", ".join(("auto", *LEVELS))
        raise OneheadError(f"--isolation is {asked!r}; it can be one of {expected}")


def common(proofs: Sequence[Proof]) -> Proof:
    """What several machines have proved alike; where mechanisms differ, all that there are."""
    mechanisms: dict[str, Any] = {}
    for name in proofs[0].mechanisms:
        found = {str(proof.mechanisms[name]): proof.mechanisms[name] for proof in proofs}
        values = [found[text] for text in sorted(found)]
        mechanisms[name] = values[0] if len(values) == 1 else values
    missing = {name: None for proof in proofs for name in proof.missing}
    probed = tuple(name for name in proofs[0].probed if name not in missing)
    return replace(proofs[0], mechanisms=mechanisms, probed=probed, missing=tuple(missing))


def probe(level: str, asked: str = "") -> Proof:
    """What a child of that level can't do, by its own attempts.

    Raises SandboxError where no child starts, or one of a stronger level than "process" does
    something that is forbidden.
    """
    with Box(Limits(), level) as box:
        outcomes = _attempt(box)
        missing = tuple(name for name, succeeded in outcomes.items() if succeeded is not False)
        if level != "process" and missing:
            raise SandboxError(f"learner code could still do this: {', '.join(missing)}")
        if level == "namespaces" and len(box.namespaces) < 4:
            raise SandboxError(f"only these namespaces are separate: {', '.join(box.namespaces)}")
        return Proof(
            level=level,
            asked=asked or level,
            mechanisms=_mechanisms(box),
            probed=tuple(name for name in outcomes if name not in missing),
            missing=missing,
        )


def _attempt(box: Box) -> Mapping[str, Any]:
    grader = str(Path(__file__).with_name("model.py"))
    try:
        with box.child("__main__", Budget(box.limits)) as child:
            error = child.run_cell("probe", f"GRADER = {grader!r}\n{_ATTEMPTS}", magics=False)
            (outcomes,) = child.ask([Step("call", "outcomes")], again=False).results
    except Dead as dead:
        raise SandboxError(f"the probe did not come back ({dead.status})") from dead
    if error is not None or not isinstance(outcomes, dict):
        raise SandboxError(f"the probe failed: {error or outcomes}")
    return outcomes


def _mechanisms(box: Box) -> dict[str, Any]:
    boxed = box.level == "namespaces"
    return {
        "bubblewrap": ".".join(map(str, bubblewrap.version())) if boxed else False,
        **{kind: kind in box.namespaces for kind in ("user", "pid", "net", "mount")},
        "landlock_abi": box.landlock_abi,
        "seccomp": box.level != "process",
        "rlimits": True,
        "cgroup": False,
    }
