"""What a learner's process gives up before it runs a line of learner code.

Loaded by ``worker.py`` from its path, so it imports the standard library alone. Everything here
only ever takes rights away: limits at every level; at ``kernel`` and ``namespaces`` also
capabilities, the file system (Landlock) and system calls (seccomp).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Iterator
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
    """Made once by the zygote, entered by each of its children."""

    def __init__(self, level: str, readable: Iterable[Path]) -> None:
        self.zygote = os.getpid()
        self.kernel = level != "process"
        self.capabilities = 0
        self.abi = landlock_abi() if self.kernel else 0
        if self.kernel:
            self.rules = landlock_rules(self.abi, readable)
            self.filter = seccomp_filter(platform.machine())
        if os.geteuid() == 0:
            self.capabilities = become_nobody()

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
        """Gives up everything, for good. Raises OSError if any of it can't be given up."""
        os.setsid()
        os.chdir("/")
        default_signals()
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
        drop_capabilities(self.capabilities)
        prctl(PR_SET_DUMPABLE, 0)
        # Last of its kind: a change of credentials would clear it.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.zygote:
            os._exit(1)
        if self.kernel:
            _checked(_libc.syscall(LANDLOCK_RESTRICT_SELF, CLOSED_FROM + 2, 0), "Landlock")
            os.close(CLOSED_FROM + 2)
            program = ctypes.create_string_buffer(self.filter, len(self.filter))
            instructions = len(self.filter) // 8
            arguments = struct.pack("HxxxxxxP", instructions, ctypes.addressof(program))
            address = ctypes.create_string_buffer(arguments, len(arguments))
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(address))


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


def drop_capabilities(kept: int) -> None:
    with contextlib.suppress(OSError):
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(CAPABILITIES):
        with contextlib.suppress(OSError):  # no such capability, or none to drop it with
            prctl(PR_CAPBSET_DROP, capability)
    set_capabilities(kept)


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


# --- seccomp: which system calls are left ------------------------------------------------

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
X32 = 0x40000000
TCGETS = 0x5401

# name: number on x86_64, number on aarch64 (None: not there)
ALLOWED = {
    # files that are open or may be opened (Landlock says which)
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "openat": (257, 56),
    "open": (2, None),
    "close": (3, 57),
    "lseek": (8, 62),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "stat": (4, None),
    "lstat": (6, None),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "umask": (95, 166),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "fadvise64": (221, 223),
    # memory
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    # its own signals
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "pause": (34, None),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    # clocks and sleeps
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    # waiting
    "futex": (202, 98),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "wait4": (61, 260),
    # what it is told of itself and the machine
    "getrandom": (318, 278),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
# A fork fails as it does at a limit, which Python code expects; clone3 as on an older kernel.
REFUSED = {
    "clone": (56, 220, errno.EAGAIN),
    "fork": (57, None, errno.EAGAIN),
    "vfork": (58, None, errno.EAGAIN),
    "clone3": (435, 435, errno.ENOSYS),
}
# Allowed where an argument (index, and how many of its 32-bit words) has one of these values.
IF_ARGUMENT = {
    "ioctl": (16, 29, 1, 1, (TCGETS,)),
    "prlimit64": (302, 261, 2, 2, (0,)),  # to read a limit, not to set it
    # To copy descriptors and to read and set their flags. Not to name a receiver of signals
    # (F_SETOWN, F_SETSIG): before Landlock ABI 6 that kills any process of the same user.
    "fcntl": (72, 25, 1, 1, (0, 1, 2, 3, 4, 1030)),
}

LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def seccomp_filter(machine: str) -> bytes:
    """A BPF program that allows the calls of ``ALLOWED``; the rest fail with EPERM.

    Raises OSError for a machine whose call numbers are unknown.
    """
    if machine not in ARCHITECTURES:
        raise OSError(f"no seccomp filter for {machine}")
    architecture, column = ARCHITECTURES[machine]
    code: list[tuple[int, int, int, int]]
    code = [(LOAD, 0, 0, 4), (IF_EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL)]
    code += [(LOAD, 0, 0, 0)]
    if machine == "x86_64":
        code += [(IF_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for numbers in ALLOWED.values():
        code += _returning(numbers[column], ALLOW)
    for x86, arm, refusal in REFUSED.values():
        code += _returning((x86, arm)[column], ERRNO | refusal)
    for x86, arm, index, words, values in IF_ARGUMENT.values():
        for value in values:
            code += _if_argument((x86, arm)[column], index, words, value)
    code += [(RETURN, 0, 0, ERRNO | errno.EPERM)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _returning(number: int | None, verdict: int) -> list[tuple[int, int, int, int]]:
    if number is None:
        return []
    return [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, verdict)]


def _if_argument(
    number: int, index: int, words: int, value: int
) -> list[tuple[int, int, int, int]]:
    """Allows the call with that value; what follows sees the call's number again."""
    compared = []
    for word in range(words):
        compared += [
            (LOAD, 0, 0, 16 + 8 * index + 4 * word),
            (IF_EQUAL, 0, 2 * (words - word) - 1, value),
        ]
    return [
        (IF_EQUAL, 0, len(compared) + 2, number),
        *compared,
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, 0),
    ]
