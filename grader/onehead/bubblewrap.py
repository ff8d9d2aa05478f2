"""The outer box: bubblewrap with every namespace, around the worker's first process.

The box holds the interpreter, numpy and the worker's own files, read-only, and nothing else: no
network, no other process, no /proc, no place to write, no installed packages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

BOX = "/box"
WORKER_FILES = (
    "worker.py",
    "learner_wire.py",
    "other_contents.py",
    "jupyter.py",
    "lockdown.py",
    "seccomp.py",
)


@cache
def version() -> tuple[int, ...]:
    """The version of the bubblewrap on PATH; empty if there is none."""
    program = shutil.which("bwrap")
    if program is None:
        return ()
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return tuple(map(int, re.findall(r"\d+", said.stdout)))


def command(info: int) -> list[str]:
    """The command that runs Python in a box, up to Python's own arguments.

    bubblewrap writes a JSON object with its child's process id to the descriptor ``info``.

    Raises FileNotFoundError where there is no bubblewrap.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bubblewrap (bwrap) is not on PATH")
    python = Path(sys.executable).resolve()
    options = [
        *("--unshare-user", "--unshare-all", "--die-with-parent", "--new-session"),
        *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL"),
        *("--info-fd", str(info)),
    ]
    if version() >= (0, 8):
        options.append("--disable-userns")
    for part in (_system(), _interpreter(python), _ours()):
        options += part
    options += ["--dev", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [program, *options, "--setenv", "PYTHONPATH", BOX, str(python)]


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for folder in ("/lib", "/lib32", "/lib64"):
        if os.path.islink(folder):
            yield from ("--symlink", os.readlink(folder), folder)
        elif os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
    for file in ("/etc/ld.so.cache", "/etc/alternatives"):
        yield from ("--ro-bind-try", file, file)


def _interpreter(python: Path) -> Iterator[str]:
    """The interpreter's folder, and empty folders over all that hold installed packages."""
    prefix = python.parents[1]
    if not prefix.is_relative_to("/usr"):
        yield from ("--ro-bind", str(prefix), str(prefix))
    name = f"python{sysconfig.get_python_version()}"
    libraries = [
        root / library / interpreter
        for root in {prefix, Path("/usr"), Path("/usr/local")}
        for library in ("lib", "lib64")
        for interpreter in (name, "python3")
    ]
    for library in libraries:
        for packages in ("site-packages", "dist-packages"):
            folder = library / packages
            if folder.is_dir():
                yield from ("--tmpfs", str(folder), "--remount-ro", str(folder))


def _ours() -> Iterator[str]:
    numpy = Path(np.__file__).parent
    yield from ("--ro-bind", str(numpy), f"{BOX}/numpy")
    libraries = str(numpy.with_name("numpy.libs"))
    yield from ("--ro-bind-try", libraries, f"{BOX}/numpy.libs")
    for file in WORKER_FILES:
        yield from ("--ro-bind", str(Path(__file__).with_name(file)), f"{BOX}/worker/{file}")
