"""What a run may claim of its walls, and the filter that is one of them."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from onehead import bubblewrap, isolation, seccomp
from onehead.errors import OneheadError
from onehead.sandbox import SandboxError

ALLOW, KILL, EPERM, EAGAIN, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x5000B, 0x50026


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """Runs the filter as the kernel would."""
    own, _ = seccomp.ARCHITECTURES[machine]
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, own if architecture is None else architecture, 0, *padded)
    code = list(struct.iter_unpack("HBBI", seccomp.seccomp_filter(machine)))
    accumulator = at = 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x06:
            return int(value)
        else:
            holds = accumulator == value if operation == 0x15 else accumulator >= value
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_allows_its_list_and_refuses_the_rest(machine: str) -> None:
    column = seccomp.ARCHITECTURES[machine][1]
    allowed = {numbers[column] for numbers in seccomp.ALLOWED.values()} - {None}
    special = {
        numbers[column] for numbers in (*seccomp.REFUSED.values(), *seccomp.IF_ARGUMENT.values())
    }
    for number in range(500):
        if number not in special:
            assert verdict(machine, number) == (ALLOW if number in allowed else EPERM)


# execve, socket, kill, ptrace, unshare, setrlimit, io_uring_setup
@pytest.mark.parametrize(
    ("machine", "numbers"),
    [("x86_64", (59, 41, 62, 101, 272, 160, 425)), ("aarch64", (221, 198, 129, 117, 97, 164, 425))],
)
def test_the_dangerous_calls_are_refused(machine: str, numbers: tuple[int, ...]) -> None:
    assert {verdict(machine, number) for number in numbers} == {EPERM}


@pytest.mark.parametrize(
    ("machine", "ioctl", "prlimit64", "fcntl", "clone", "clone3"),
    [("x86_64", 16, 302, 72, 56, 435), ("aarch64", 29, 261, 25, 220, 435)],
)
def test_arguments_decide_for_some(
    machine: str, ioctl: int, prlimit64: int, fcntl: int, clone: int, clone3: int
) -> None:
    assert verdict(machine, ioctl, 1, 0x5401) == ALLOW
    assert verdict(machine, ioctl, 1, 0x5412) == EPERM
    assert verdict(machine, prlimit64, 0, 7, 0, 1) == ALLOW
    assert verdict(machine, prlimit64, 0, 7, 1) == EPERM
    assert verdict(machine, prlimit64, 0, 7, 1 << 32) == EPERM
    for command in range(2000):  # to copy a descriptor, and its flags; no owner, signal, lease
        due = ALLOW if command in (0, 1, 2, 3, 4, 1030) else EPERM
        assert verdict(machine, fcntl, 3, command, 1) == due
    assert verdict(machine, clone) == EAGAIN
    assert verdict(machine, clone3) == ENOSYS


def test_another_architecture_is_killed() -> None:
    assert verdict("x86_64", 0, architecture=0x40000003) == KILL
    assert verdict("aarch64", 63, architecture=0x40000028) == KILL
    assert verdict("x86_64", 0x40000000) == KILL
    with pytest.raises(OSError, match="riscv64"):
        seccomp.seccomp_filter("riscv64")


def test_a_level_without_walls_is_proved_by_name_only() -> None:
    proof = isolation.choose("process")
    assert (proof.level, proof.asked) == ("process", "process")
    assert {"socket", "open /etc/passwd"} <= set(proof.missing)
    assert "fork" in proof.probed
    assert json.loads(json.dumps(proof.as_json()))["mechanisms"]["seccomp"] is False


def test_auto_takes_the_strongest_that_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(level: str, asked: str = "") -> isolation.Proof:
        if level in refused:
            raise SandboxError(f"no {level}")
        return isolation.Proof(level, asked, {}, (), ())

    monkeypatch.setattr(isolation, "probe", refuse)
    refused: tuple[str, ...] = ()
    assert isolation.choose("auto").level == "namespaces"
    refused = ("namespaces",)
    assert isolation.choose("auto") == isolation.Proof("kernel", "auto", {}, (), ())
    with pytest.raises(OneheadError, match=r"no namespaces.*install bubblewrap"):
        isolation.choose("namespaces")
    refused = ("namespaces", "kernel")
    with pytest.raises(
        OneheadError, match=r"no namespaces; kernel: no kernel.*--isolation process"
    ):
        isolation.choose("auto")
    with pytest.raises(OneheadError, match="it can be one of auto, namespaces, kernel, process"):
        isolation.choose("docker")


def test_without_bubblewrap_there_is_no_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name: None)
    with pytest.raises(OneheadError, match=r"bwrap.*is not on PATH"):
        isolation.choose("namespaces")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_than_on_linux_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    for level in ("auto", *isolation.LEVELS):
        with pytest.raises(OneheadError, match=r"on Linux alone.*WSL2"):
            isolation.choose(level)


_ON_WINDOWS = """
import sys
for name in ("fcntl", "resource", "termios", "tty", "pwd", "grp"):
    sys.modules[name] = None
from onehead import cli
sys.platform = "win32"
cli.main(["check", sys.argv[1]])
"""


def test_the_command_says_so_where_half_the_standard_library_is_missing(tmp_path: Path) -> None:
    (tmp_path / "04_matrix_form.py").write_text("x = 1")
    command = [sys.executable, "-c", _ON_WINDOWS, tmp_path]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2
    assert re.fullmatch(r"onehead: .* on Linux alone: .*\n", ran.stderr)


def test_a_wall_that_does_not_hold_is_no_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_attempt", lambda box: {"fork": False, "socket": True})
    with pytest.raises(SandboxError, match="could still do this: socket"):
        isolation.probe("kernel")
