"""What a learner's process gives up before it runs a line of learner code.

Loaded by ``worker.py`` from its path, so it imports the standard library alone. Everything here
only ever takes rights away: limits at every level; at ``kernel`` and ``namespaces`` also
capabilities, the file system (Landlock) and system calls (the filter of ``seccomp.py``).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

NOBODY = 65534
STACK_BYTES = 64 * 1024 * 1024
CLOSED_FROM = 3  # descriptors of a child: two pipes from here, and the Landlock rules

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP = 1, 4, 8, 22
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 47, 4
CAP_DAC_READ_SEARCH = 2
CAPABILITIES = 64
SECCOMP_MODE_FILTER = 2

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *arguments: int) -> None:
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *padded), f"prctl {option}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


class Lock:
    """Made once by the zygote, which gives up its own capabilities and signals, and so its
    children's; entered by each of these for all the rest.

    ``filter_for`` gives the seccomp filter of a machine's architecture.
    """

    def __init__(
        self, level: str, readable: Iterable[Path], filter_for: Callable[[str], bytes]
    ) -> None:
        self.zygote = os.getpid()
        self.kernel = level != "process"
        self.capabilities = 0
        self.abi = landlock_abi() if self.kernel else 0
        if self.kernel:
            self.rules = landlock_rules(self.abi, readable)
            self.filter = Filter(filter_for(platform.machine()))
        # Once for all children: a system call for each signal and each capability.
        default_signals()
        empty_bounding_set()
        if os.geteuid() == 0:
            self.capabilities = become_nobody()
        set_capabilities(self.capabilities)

    def keep_descriptors(self, requests: int, answers: int) -> None:
        """Closes all but the two pipes, which become 3 and 4, and the rules, which become 5."""
        kept = [requests, answers, self.rules] if self.kernel else [requests, answers]
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100) for descriptor in kept]
        nothing = os.open("/dev/null", os.O_RDWR)
        for number in range(CLOSED_FROM):
            os.dup2(nothing, number)
        for number, descriptor in enumerate(high, CLOSED_FROM):
            os.dup2(descriptor, number)
        os.closerange(CLOSED_FROM + len(kept), resource.getrlimit(resource.RLIMIT_NOFILE)[0])

    def enter(self, address_space: int, seconds: int) -> None:
        """Gives up what is left, for good. Raises OSError if any of it can't be given up."""
        os.setsid()
        os.chdir("/")
        for name, limit in (
            ("AS", address_space),
            ("CPU", seconds + 1),
            ("FSIZE", 0),
            ("NOFILE", 32),
            ("NPROC", 0),
            ("CORE", 0),
            ("MEMLOCK", 0),
            ("MSGQUEUE", 0),
            ("STACK", STACK_BYTES),
        ):
            lower(getattr(resource, f"RLIMIT_{name}"), limit)
        # A second before the kernel kills it with a signal that could come from anywhere.
        with contextlib.suppress(ValueError):  # there is a lower limit already
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        prctl(PR_SET_DUMPABLE, 0)
        # Last of its kind: a change of credentials would clear it.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.zygote:
            os._exit(1)
        if self.kernel:
            _checked(_libc.syscall(LANDLOCK_RESTRICT_SELF, CLOSED_FROM + 2, 0), "Landlock")
            os.close(CLOSED_FROM + 2)
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, self.filter.address)


class Filter:
    """A seccomp filter where the kernel can read it: a ``struct sock_fprog`` and its program."""

    def __init__(self, program: bytes) -> None:
        self._program = ctypes.create_string_buffer(program, len(program))
        fields = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(self._program))
        self._fields = ctypes.create_string_buffer(fields, len(fields))
        self.address = ctypes.addressof(self._fields)


def become_nobody() -> int:
    """Root becomes an unused user; limits on processes hold for others only.

    Returns the capabilities to keep: none, or to read where the interpreter is installed in a
    folder that is closed to others (/root).
    """
    prctl(PR_SET_KEEPCAPS, 1)
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except PermissionError:  # a container's root without the right to; the probe shows the rest
        return 0
    kept = 0 if os.access(os.__file__, os.R_OK) else 1 << CAP_DAC_READ_SEARCH
    set_capabilities(kept)
    return kept


def empty_bounding_set() -> None:
    """No program that is started may get a capability; needs the right to, which root has."""
    with contextlib.suppress(OSError):
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(CAPABILITIES):
        with contextlib.suppress(OSError):  # no such capability, or none to drop it with
            prctl(PR_CAPBSET_DROP, capability)


def set_capabilities(kept: int) -> None:
    header = struct.pack("Ii", 0x20080522, 0)
    sets = struct.pack("6I", kept, kept, 0, 0, 0, 0)
    _checked(_libc.capset(header, sets), "capset")


def default_signals() -> None:
    """As Python starts: a write to a closed pipe or past a limit is an exception."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        kept = number in (signal.SIGPIPE, signal.SIGXFSZ)
        signal.signal(number, signal.SIG_IGN if kept else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


# --- Landlock: what of the file system can be opened -------------------------------------

LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
# Access rights known from each ABI on: file system, TCP, abstract sockets and signals.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
TCP_SINCE, SCOPES_SINCE = 4, 6


def landlock_abi() -> int:
    """The kernel's Landlock version. Raises OSError where there is none."""
    return _checked(_libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1), "no Landlock")


def landlock_rules(abi: int, readable: Iterable[Path]) -> int:
    """A descriptor of rules that allow to read these files and folders, and nothing else."""
    rights = FILE_RIGHTS[max(known for known in FILE_RIGHTS if known <= abi)]
    attributes = struct.pack(
        "QQQ", (1 << rights) - 1, 3 if abi >= TCP_SINCE else 0, 3 if abi >= SCOPES_SINCE else 0
    )
    size = 24 if abi >= SCOPES_SINCE else 16 if abi >= TCP_SINCE else 8
    rules = _checked(_libc.syscall(LANDLOCK_CREATE_RULESET, attributes, size, 0), "Landlock")
    for path in readable:
        with contextlib.suppress(OSError):  # a dangling link
            _allow_reading(rules, path)
    return rules


def _allow_reading(rules: int, path: Path) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = READ_FILE
        if path.is_dir():
            rights |= READ_DIR
        elif path.is_char_device():
            rights |= WRITE_FILE
        rule = struct.pack("=Qi", rights, descriptor)
        _checked(_libc.syscall(LANDLOCK_ADD_RULE, rules, 1, rule, 0), f"Landlock {path}")
    finally:
        os.close(descriptor)


def readable_paths(numpy: Path) -> Iterator[Path]:
    """The standard library entry by entry, numpy, and the shared libraries.

    Never a whole library folder: it holds the installed packages, the grader's among them.
    """
    for folder in map(Path, sys.path):
        if folder.is_dir():
            yield from (entry for entry in folder.iterdir() if "-packages" not in entry.name)
    yield from (numpy, numpy.with_name("numpy.libs"))
    libraries = [Path(sys.base_prefix, "lib")]
    for folder in map(Path, ("/lib", "/lib64", "/usr/lib", "/usr/lib64")):
        libraries += [folder, *folder.glob("*-linux-*")]
    for folder in {folder.resolve() for folder in libraries}:
        yield from folder.glob("*.so*")
    yield from map(Path, ("/etc/ld.so.cache", "/dev/null", "/dev/urandom"))
