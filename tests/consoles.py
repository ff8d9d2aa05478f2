"""Commands and files out of a page: ``console`` blocks with what they print, and titled files.

In a ``console`` block a line with ``$`` is a command, the lines below it are what it prints, and
``...`` stands for anything. A block with ``title="PATH"`` is a file; a second one is added to it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r"^```(?P<kind>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Command:
    line: str
    prints: str


@dataclass(frozen=True)
class File:
    name: str
    text: str


def steps(page: str) -> Iterator[Command | File]:
    """What a page says to do, top to bottom."""
    for block in FENCE.finditer(page):
        if block["title"]:
            yield File(block["title"], block["text"])
        elif block["kind"] == "console":
            yield from commands(block["text"])


def commands(block: str) -> Iterator[Command]:
    """The commands of one console block.

    >>> list(commands("$ echo a\\\\\\n    b\\na b\\n$ true\\n"))
    [Command(line='echo a\\\\\\n    b', prints='a b\\n'), Command(line='true', prints='')]
    """
    for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = piece.splitlines(keepends=True)
        end = next(k for k, line in enumerate(lines) if not line.endswith("\\\n"))
        yield Command("".join(lines[: end + 1]).rstrip("\n"), "".join(lines[end + 1 :]))


def do(page: str, folder: Path, settings: Mapping[str, str], done: Collection[str] = ()) -> None:
    """Do what a page says in a folder, but for the commands that are ``done`` there already.

    Raises:
        AssertionError: a command fails, or prints something else than the page says.
    """
    written: set[str] = set()
    for step in steps(page):
        if isinstance(step, File):
            path = folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            before = f"{path.read_text()}\n\n" if step.name in written else ""
            path.write_text(before + step.text)
            written.add(step.name)
        elif step.line not in done:
            run(step, folder, settings)


def run(command: Command, folder: Path, settings: Mapping[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command.line],
        cwd=folder,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"$ {command.line}\n{done.stdout}{done.stderr}"
    if command.prints:
        assert alike(command.prints, done.stdout), f"$ {command.line}\n{done.stdout}{done.stderr}"


def alike(due: str, printed: str) -> bool:
    """Whether a text is what is due, where ``...`` is anything.

    >>> alike("a\\n...\\nd\\n", "a\\nb\\nc\\nd\\n"), alike("a\\n", "a\\nb\\n")
    (True, False)
    """
    pattern = ".*".join(map(re.escape, due.strip().split("...")))
    return re.fullmatch(pattern, printed.strip(), flags=re.S) is not None


def programs() -> str:
    """A search path on which this environment's programs come first."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
