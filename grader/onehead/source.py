"""One file of a learner's, read once and to a cap: its code cells, or why there are none."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from onehead.code_cells import (
    MAX_BYTES,
    MAX_CELLS,
    Unreadable,
    has_code,
    notebook_code,
    script_code,
)

MAX_SOURCE = 4 * 2**20  # of all code in a file, in bytes


@dataclass(frozen=True)
class Cell:
    """One code cell. Cells are numbered as Jupyter numbers them when it runs all: no blank ones."""

    name: str  # "cell 3"
    source: str


@dataclass(frozen=True)
class Source:
    """What one exercise's file holds. ``message`` is one line for learner and instructor."""

    status: Literal["ok", "missing", "unreadable"]
    cells: tuple[Cell, ...] = ()
    notebook: bool = False
    message: str = ""
    digest: str = ""  # SHA-256 of the bytes that were read

    @property
    def code(self) -> str:
        """A digest of all that is run: the same for notebooks that differ in outputs alone."""
        text = repr((self.notebook, [(cell.name, cell.source) for cell in self.cells]))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class NoFile(Exception):
    """There is no file to read: the message says what there is instead, if anything."""


_FLAGS = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


def read_source(root: Path, parts: Sequence[str]) -> Source:
    name = parts[-1]
    notebook = ".ipynb" in name.casefold() and not name.casefold().endswith(".py")
    digest = ""
    try:
        data = read_bytes(root, parts)
        digest = hashlib.sha256(data).hexdigest()
        text, note = _decode(data, name)
        sources, damage = notebook_code(text, name) if notebook else (script_code(text, name), "")
        cells = _cells(sources, name)
    except (FileNotFoundError, NotADirectoryError):
        return Source("missing")
    except NoFile as reason:
        return Source("missing", notebook=notebook, message=str(reason))
    except Unreadable as reason:
        return Source("unreadable", notebook=notebook, message=str(reason), digest=digest)
    except OSError as error:
        message = f"{name} can't be read: {error.strerror}"
        return Source("unreadable", notebook=notebook, message=message)
    return Source("ok", cells, notebook, "; ".join(filter(None, [note, damage])), digest)


def read_bytes(root: Path, parts: Sequence[str]) -> bytes:
    descriptor = _open(root, parts)
    # ``read(size)`` and not the size that the file claims: a file may grow while it is read.
    with open(descriptor, "rb") as file:
        _check_kind(os.fstat(file.fileno()), parts[-1], is_last=True)
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        limit = f"{MAX_BYTES // 2**20} MiB"
        raise Unreadable(f"{parts[-1]} is larger than {limit}; clear its outputs, save it again")
    return data


def _open(root: Path, parts: Sequence[str]) -> int:
    """A descriptor of the file. No link below ``root`` is followed, even one just swapped in."""
    last = len(parts) - 1
    if os.open not in os.supports_dir_fd:  # Windows, where a link swapped in time would be followed
        path = root
        for index, part in enumerate(parts):
            path = path / part
            _check_kind(os.lstat(path), part, is_last=index == last)
        return os.open(path, _FLAGS)
    place = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for index, part in enumerate(parts):
        try:
            # Looked at before it is opened: opening some devices does something.
            status = os.stat(part, dir_fd=place, follow_symlinks=False)
            _check_kind(status, part, is_last=index == last)
            inner = os.open(part, _FLAGS, dir_fd=place)
        finally:
            os.close(place)
        place = inner
    return place


def _check_kind(status: os.stat_result, name: str, is_last: bool) -> None:
    what = name if is_last else "the submission's folder"
    if stat.S_ISLNK(status.st_mode):
        raise NoFile(f"{what} is a link, which is not followed; hand in the file itself")
    if is_last and not stat.S_ISREG(status.st_mode):
        raise NoFile(f"{what} is no regular file; hand in a file of that name")
    if not is_last and not stat.S_ISDIR(status.st_mode):
        raise NoFile(f"{what} is no folder; hand in a folder with the files in it")


def _decode(data: bytes, name: str) -> tuple[str, str]:
    """The text, and a note where it is not what it should be."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", "replace")
    # Some whole characters beyond ASCII: damaged UTF-8, which Latin-1 would garble throughout.
    if any(character > "\x7f" and character != "\ufffd" for character in text):
        return text, f"{name} is damaged UTF-8; each bad byte was read as \ufffd"
    return data.decode("latin-1"), f"{name} is not UTF-8; it was read as Latin-1"


def _cells(sources: Iterable[str], name: str) -> tuple[Cell, ...]:
    # A lone surrogate, which JSON can spell, can't be encoded to be sent anywhere.
    kept = [re.sub("[\ud800-\udfff]", "\ufffd", source) for source in sources if source.strip()]
    if not any(map(has_code, kept)):
        raise Unreadable(f"{name} has no Python in it")
    if len(kept) > MAX_CELLS:
        raise Unreadable(f"{name} has more than {MAX_CELLS} code cells")
    if sum(len(source.encode()) for source in kept) > MAX_SOURCE:
        raise Unreadable(f"{name} has more than {MAX_SOURCE // 2**20} MiB of code")
    return tuple(Cell(f"cell {number}", source) for number, source in enumerate(kept, 1))
