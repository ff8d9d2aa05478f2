"""The seccomp filter: which system calls are left to a learner's process.

Loaded by ``worker.py`` from its path, so it imports the standard library alone.
"""

from __future__ import annotations

import errno
import struct

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
