"""Zip archives of people who may mean harm, unpacked into a folder of our own.

A member's name is never a path here: each file gets a place that we make, and only files that may
hold an exercise are unpacked. Sizes are counted as they come out, whatever an archive claims.
Links, encrypted members and other ways to compress are told and left.
"""

from __future__ import annotations

import errno
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from onehead.code_cells import MAX_BYTES
from onehead.errors import OneheadError

MAX_ARCHIVE = 2**30  # bytes of an archive, packed
MAX_UNPACKED = 2**31  # bytes of all that comes out of a class's own archive
MAX_LEARNERS = 2**28  # bytes of all that comes out of one learner's, in one another or side by side
MAX_MEMBERS = 100_000
MAX_NAME, MAX_WAY = 255, 4096  # bytes of a name and of a way: what file systems take
DEPTH = 3  # the LMS's archive, a learner's in it, one more in that

_ENTRY = b"PK\x01\x02"  # stands before each entry of an archive's list
_CHUNK = 1 << 16
_DAMAGE = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError)


@dataclass(frozen=True)
class Member:
    """A file of an archive: its way there as the archive names it, and where it is now.

    ``problem`` says why a member that is nowhere was left; without one, nobody wants it.
    """

    way: tuple[str, ...]
    path: Path | None
    problem: str = ""


@dataclass
class Room:
    """Bytes that may still come out of some archives, whatever becomes of them."""

    left: int


def unpack(
    archive: Path, folder: Path, wanted: Callable[[str], bool], room: Room
) -> Iterator[Member]:
    """What is in an archive, unpacked into a new folder file by file: what is ``wanted`` by name,
    and archives in it.

    Whatever is wrong with the archive is a member with a problem, and never an exception.
    """
    try:
        if (problem := _refused(archive, room)) != "":
            yield Member((), None, problem)
            return
        with zipfile.ZipFile(archive) as opened:
            yield from _members(opened, folder, wanted, room)
    except _DAMAGE as error:
        _stop_where_full(error)
        yield Member((), None, "is no zip archive that can be read: ask for the files themselves")


def is_zip(name: str) -> bool:
    return name.casefold().endswith(".zip")


def _refused(archive: Path, room: Room) -> str:
    """Why an archive is not even listed; "" where it may be.

    Its list is read into memory as a whole, so its entries are counted first.
    """
    most = min(MAX_ARCHIVE, room.left)
    if archive.stat().st_size > most:
        return f"is larger than {most >> 20} MiB: unpack it yourself"
    entries, tail = 0, b""
    with open(archive, "rb") as stream:
        while chunk := stream.read(1 << 20):
            entries += (tail + chunk).count(_ENTRY)
            tail = chunk[-len(_ENTRY) + 1 :]
    if entries > MAX_MEMBERS:
        return f"lists more than {MAX_MEMBERS} files: ask for the files themselves"
    return ""


def _members(
    opened: zipfile.ZipFile, folder: Path, wanted: Callable[[str], bool], room: Room
) -> Iterator[Member]:
    for place, entry in enumerate(opened.infolist()):
        way = tuple(part for part in PurePosixPath(_name(entry)).parts if part not in ("/", ".."))
        if entry.is_dir() or not way or _is_hidden(way):
            continue
        if _is_endless(way):
            yield Member((f"{way[-1][:60]}...",), None, "has a name that is too long: rename it")
            continue
        if not wanted(way[-1]) and not is_zip(way[-1]):
            yield Member(way, None)
            continue
        if (problem := _unwanted(entry)) != "":
            yield Member(way, None, problem)
            continue
        if room.left <= 0:
            yield Member(
                way, None, "is not unpacked, so much came before it: ask for the file itself"
            )
            continue
        target = folder / str(place) / _plain(way[-1])
        most = min(room.left, MAX_ARCHIVE if is_zip(way[-1]) else MAX_BYTES)
        problem = _copy(opened, entry, target, most)
        room.left -= target.stat().st_size
        if problem:
            target.unlink()
        yield Member(way, None if problem else target, problem)


def _stop_where_full(error: Exception) -> None:
    """Tell a full disk from a bad archive.

    Raises:
        OneheadError: there is no room to unpack.
    """
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        raise OneheadError(
            f"no room to unpack submissions in {tempfile.gettempdir()!r}: make room there, or set "
            "TMPDIR to a folder that has some"
        ) from None


def _plain(name: str) -> str:
    """A member's own name where any file system takes it: messages speak of it."""
    suffix = PurePosixPath(name).suffix.casefold()[:20]
    usual = name.isprintable() and len(name.encode("utf-8", "replace")) <= 200
    return name if usual else f"file{suffix}"


def _name(entry: zipfile.ZipInfo) -> str:
    """The name in an archive. Windows' own packer of old writes backslashes."""
    return entry.filename.replace("\\", "/")


def _is_endless(way: tuple[str, ...]) -> bool:
    sizes = [len(part.encode("utf-8", "replace")) for part in way]
    return max(sizes) > MAX_NAME or sum(sizes) > MAX_WAY


def _is_hidden(way: tuple[str, ...]) -> bool:
    return any(part.startswith(".") or part.casefold() in _CLUTTER for part in way)


_CLUTTER = {"__macosx", "__pycache__"}


def _unwanted(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & 0x1:
        return "is encrypted: ask for it without a password"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a link, which is not followed; hand in the file itself"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in an unusual way: unpack it yourself"
    return ""


def _copy(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int) -> str:
    """Unpack one member, at most one chunk more than it may have; what is wrong with it, or ""."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, "xb") as plain:
        try:
            with opened.open(entry) as packed:
                while plain.tell() <= most and (chunk := packed.read(_CHUNK)):
                    plain.write(chunk)
        except (*_DAMAGE, zlib.error, EOFError, RuntimeError) as error:
            _stop_where_full(error)
            return "is damaged in its archive: ask for the file itself"
        return f"is larger than {most >> 20} MiB once unpacked" if plain.tell() > most else ""
