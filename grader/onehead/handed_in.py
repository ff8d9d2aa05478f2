"""Everything that lies in a folder of submissions, archives opened, as one flat list.

No link is followed, hidden files and what systems leave behind are passed over, and what can't be
looked at is in the list with the reason.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from onehead import archives
from onehead.errors import OneheadError
from onehead.matching import ending
from onehead.submission import File

DEPTH = 8  # folders in one another, archives among them
MAX_ENTRIES = 1000  # of one learner

_CLUTTER = {"__pycache__", "__macosx"}
_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


@dataclass(frozen=True)
class Entry:
    """A file, or a folder, by its way from the folder that was given.

    ``file`` is where it can be read, for what may be a notebook or a script. ``problem`` says why
    something can't be looked at.
    """

    way: tuple[str, ...]
    file: File | None = None
    problem: str = ""
    is_folder: bool = False
    is_link: bool = False

    @property
    def shown(self) -> str:
        return "/".join(self.way)


def wanted(name: str) -> bool:
    return ending(name) is not None


def _problem(name: str) -> str:
    """Why a file is not looked at that may hold an exercise all the same."""
    if name.casefold().endswith(_OTHER_ARCHIVES):
        return "is an archive of a kind that is not opened: unpack it"
    return ""


def walk(folder: Path, scratch: Path) -> tuple[Path, list[Entry]]:
    """The real folder, and what lies in it; of a zip archive, what is in that.

    Raises:
        OneheadError: it can't be read.
    """
    walker = _Walker(scratch)
    given = Path(os.path.abspath(folder))
    try:
        root = Path(os.path.realpath(folder, strict=True))
        if archives.is_zip(given.name) and root.is_file():
            room = archives.Room(archives.MAX_UNPACKED)
            return scratch, _unwrapped(list(walker.archive(root, (), 0, room)), given)
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError as error:
        raise OneheadError(
            f"can't read submissions from {str(folder)!r}: {error.strerror}; "
            "give a folder that holds one folder per learner"
        ) from None
    found: list[Entry] = []
    for name in names:
        room = archives.Room(archives.MAX_LEARNERS)
        found += _some(walker.entry(root, (name,), room), (name,))
    return root, found


def _some(entries: Iterator[Entry], way: tuple[str, ...]) -> list[Entry]:
    """The first entries of a learner, and a word where there are more."""
    theirs = list(itertools.islice(entries, MAX_ENTRIES + 1))
    if len(theirs) > MAX_ENTRIES:
        told = f"holds more than {MAX_ENTRIES} files: not all are looked at"
        theirs[-1] = Entry(way, problem=told)
    return theirs


def _unwrapped(entries: list[Entry], given: Path) -> list[Entry]:
    """The entries of an archive, without the one folder that packers put around all of them.

    Raises:
        OneheadError: nothing can be read from it.
    """
    if len(entries) == 1 and not entries[0].way:
        raise OneheadError(f"{str(given)!r} {entries[0].problem}")
    tops = {entry.way[0] for entry in entries}
    loose = [entry for entry in entries if len(entry.way) <= 2 and entry.file is not None]
    if len(tops) > 1 or any(len(entry.way) == 1 for entry in entries) or loose:
        return entries
    return [Entry(e.way[1:], e.file, e.problem, e.is_folder, e.is_link) for e in entries]


class _Walker:
    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._opened = 0

    def entry(self, root: Path, way: tuple[str, ...], room: archives.Room) -> Iterator[Entry]:
        """What lies at one place, and below it."""
        name = way[-1]
        if name.startswith(".") or name.casefold() in _CLUTTER:
            return
        path = root.joinpath(*way)
        try:
            kind = os.lstat(path).st_mode
        except OSError as error:
            yield Entry(way, problem=f"can't be read: {error.strerror}")
            return
        # Whatever it is, its reader says what is wrong with it; learners may be called anything.
        if wanted(name) and not (len(way) == 1 and stat.S_ISDIR(kind)):
            yield Entry(way, File(root, way))
        elif stat.S_ISLNK(kind):
            told = "is a link, which is not followed; ask for the files themselves"
            if not os.path.isfile(path):  # a folder, or in a circle: its learner is not to vanish
                yield Entry(way, problem=told, is_folder=True, is_link=True)
            else:
                yield Entry(way, problem=told, is_link=True)
        elif stat.S_ISREG(kind):
            yield from self._plain(path, way, room)
        elif not stat.S_ISDIR(kind):
            yield Entry(way, problem="is no regular file")
        if stat.S_ISDIR(kind):
            yield from self._folder(root, way, room)

    def _folder(self, root: Path, way: tuple[str, ...], room: archives.Room) -> Iterator[Entry]:
        yield Entry(way, is_folder=True)
        if len(way) > DEPTH:
            yield Entry(way, problem="lies too deep to be looked at: ask for it higher up")
            return
        try:
            with os.scandir(root.joinpath(*way)) as entries:
                names = sorted(e.name for e in itertools.islice(entries, MAX_ENTRIES + 1))
        except OSError as error:
            yield Entry(way, problem=f"can't be read: {error.strerror}")
            return
        for name in names:
            yield from self.entry(root, (*way, name), room)

    def _plain(self, path: Path, way: tuple[str, ...], room: archives.Room) -> Iterator[Entry]:
        if archives.is_zip(way[-1]):
            yield from self.archive(path, way, 1, room)
        else:
            yield Entry(way, problem=_problem(way[-1]))

    def archive(
        self, path: Path, way: tuple[str, ...], depth: int, room: archives.Room
    ) -> Iterator[Entry]:
        """What is in a zip archive, and in archives in it; in a class's they are learners'."""
        if depth >= archives.DEPTH:
            yield Entry(way, problem="is an archive in an archive in an archive: unpack it")
            return
        self._opened += 1
        some = False
        for member in archives.unpack(
            path, self._scratch / f"archive-{self._opened}", wanted, room
        ):
            some = True
            inner = (*way, *member.way)
            if member.problem:
                yield Entry(inner, problem=member.problem)
            elif member.path is None:
                yield Entry(inner, problem=_problem(inner[-1]))
            elif archives.is_zip(member.way[-1]) and depth == 0:
                learners = archives.Room(archives.MAX_LEARNERS)
                yield from _some(self.archive(member.path, inner, 1, learners), inner)
            elif archives.is_zip(member.way[-1]):
                yield from self.archive(member.path, inner, depth + 1, room)
            else:
                yield Entry(inner, File(member.path.parent, (member.path.name,)))
        if not some:
            yield Entry(way, problem="is an empty archive")
