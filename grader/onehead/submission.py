"""A folder becomes submissions, and a submission's files become sources. Nothing here runs them.

A folder that learners have filled is hostile by accident more often than by malice: links, pipes,
devices, huge files, damaged JSON. No link below the folder that the instructor names is followed,
only regular files are read, once and to a cap, and whatever is wrong with one file is that
file's ``Source`` and never an exception.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from onehead.code_cells import (
    MAX_BYTES,
    Unreadable,
)
from onehead.errors import OneheadError
from onehead.folder_names import well_formed
from onehead.source import NoFile, Source, read_bytes, read_source

MAX_ENTRIES = 1000  # looked at in a learner's folder, when its files are not where they belong

_IGNORED = {"__pycache__", "__macosx"}
TIMESTAMP = "timestamp.txt"  # nbgrader's
SUFFIXES = (".ipynb", ".py")  # the notebook wins
_MOST_UNREADABLE = 20  # files that are tried for an exercise
_PATIENCE = 5  # times that a submission is read which changes while it is read


@dataclass(frozen=True)
class File:
    """A file that may hold an exercise: ``parts`` is the way to it below ``root``.

    ``note`` says, where it has another name or place than it should, what it was read as.
    """

    root: Path
    parts: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class SubmissionFolder:
    """Where a learner's files are: ``parts`` is the way to them below ``root``.

    ``found`` has, by stem, the files of exercises that are looked for elsewhere or under another
    name, the one to read first.
    """

    name: str
    root: Path
    parts: tuple[str, ...] = ()
    found: Mapping[str, tuple[File, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """A learner's name and one source for each stem."""

    name: str
    sources: Mapping[str, Source]
    timestamp: str = ""  # when it was handed in, where nbgrader's timestamp.txt says so


# --- folders -----------------------------------------------------------------------------


def find(folder: Path, stems: Sequence[str]) -> tuple[SubmissionFolder, ...]:
    """The learners in ``folder``, sorted by name; nothing of theirs is read yet.

    A folder that itself holds an exercise's file is one learner's; a learner's folder of such a
    name is no file. ``folder`` may be a link. A learner's folder that is a link is not followed; it
    is a submission in which every file is missing, so that its learner does not vanish from the
    gradebook without a word.

    Raises ``OneheadError`` for a folder that can't be listed or holds no learner.
    """
    given = Path(os.path.abspath(folder))
    try:
        root = Path(os.path.realpath(folder, strict=True))
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries if is_folder(entry)]
        files = exercise_files(root, stems)
        # Learners may be called like an exercise: then there is no such file.
        if any(path.name not in names for path in files) or len(files) == len(names) > 0:
            return (SubmissionFolder(well_formed(given.name), root),)
    except OSError as error:
        raise OneheadError(
            f"can't read submissions from {str(folder)!r}: {error.strerror}; "
            "give a folder that holds one folder per learner"
        ) from None
    if not names:
        raise OneheadError(
            f"no submission in {str(folder)!r}; give a folder that holds one folder per learner, "
            f"or one learner's folder with files such as {stems[0]}.ipynb"
        )
    learners = (SubmissionFolder(well_formed(name), root, (name,)) for name in names)
    return tuple(sorted(learners, key=lambda learner: learner.name))


def read(learner: SubmissionFolder, stems: Sequence[str]) -> Submission:
    """All of a learner's sources, read now. Raises nothing for what a learner has done.

    Where files change meanwhile, all are read again, so that what is graded is one of the states
    that the submission had; a folder that never rests is taken as it was read last.
    """
    for _ in range(_PATIENCE):
        places = _places(learner, stems)
        files = {stem: _files(learner, places, stem) for stem in stems}
        before = _signature(files)
        sources = {stem: _choose(files[stem]) for stem in stems}
        if _signature(files) == before:
            break
    return Submission(learner.name, sources, _timestamp(learner.root, places))


def _signature(files: Mapping[str, Sequence[File]]) -> list[tuple[int, ...] | None]:
    """What shows that a file has been replaced or written to: its identity, size and times."""
    seen: list[tuple[int, ...] | None] = []
    for pool in files.values():
        for file in pool:
            try:
                s = os.lstat(file.root.joinpath(*file.parts))
                seen.append((s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns))
            except OSError:
                seen.append(None)
    return seen


def plain_files(learner: SubmissionFolder, stems: Sequence[str]) -> dict[str, list[File]]:
    """By stem, the files that lie where they are looked for, under the exercise's own name."""
    places = _places(learner, stems)
    return {stem: [f for f in _files(learner, places, stem) if _is_there(f)] for stem in stems}


def _is_there(file: File) -> bool:
    return os.path.lexists(os.path.join(file.root, *file.parts))


def read_found(file: File) -> Source:
    """One file that was found, for what is in it."""
    return read_source(file.root, file.parts)


def size_of(file: File) -> int:
    """The bytes of a file that would be read."""
    try:
        return min(os.lstat(file.root.joinpath(*file.parts)).st_size, MAX_BYTES)
    except OSError:
        return 0


def read_file(path: Path) -> Source:
    """One file, whatever its name. Raises nothing for what a learner has done."""
    path = Path(os.path.realpath(path))
    return read_source(path.parent, (path.name,))


def exercise_files(folder: Path, stems: Sequence[str]) -> list[Path]:
    """What has an exercise's name in a folder, whatever it is."""
    names = (f"{stem}{suffix}" for stem in stems for suffix in SUFFIXES)
    return [folder / name for name in names if os.path.lexists(os.path.join(folder, name))]


def is_folder(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name.casefold() in _IGNORED:
        return False
    if entry.is_symlink():
        return not os.path.isfile(entry.path)
    return entry.is_dir(follow_symlinks=False)


def _places(learner: SubmissionFolder, stems: Sequence[str]) -> list[tuple[str, ...]]:
    """Ways to the folders with the learner's files: its own, else nbgrader's assignments in it."""
    folder = learner.root.joinpath(*learner.parts)
    if os.path.islink(folder) or exercise_files(folder, stems):
        return [learner.parts]
    try:
        with os.scandir(folder) as entries:
            inner = sorted(e.name for e in islice(entries, MAX_ENTRIES) if is_folder(e))
    except OSError:
        inner = []
    return [(*learner.parts, name) for name in inner] or [learner.parts]


def _files(
    learner: SubmissionFolder, places: Sequence[tuple[str, ...]], stem: str
) -> Sequence[File]:
    """Where an exercise's file may be, in the order of trust."""
    if stem in learner.found:
        return learner.found[stem]
    names = [f"{stem}{suffix}" for suffix in SUFFIXES]
    return [File(learner.root, (*place, name)) for place in places for name in names]


def _choose(files: Sequence[File]) -> Source:
    """The first file that can be read; else the best account of why there is none.

    A readable ``.py`` stands in for a notebook that is unreadable: nobody loses work that is there.
    """
    refused: list[Source] = []
    for file in files:
        if sum(source.status == "unreadable" for source in refused) >= _MOST_UNREADABLE:
            break
        source = read_source(file.root, file.parts)
        if source.status == "ok":
            told = [other.message for other in refused if other.message]
            if told:
                told.append(f"{file.parts[-1]} is read instead")
            told.extend(filter(None, [file.note, source.message]))
            return replace(source, message="; ".join(told))
        refused.append(source)
    if not refused:
        return Source("missing")
    # Python's max keeps the first of equals, so the notebook's account comes before the .py's.
    return max(refused, key=lambda source: (source.status == "unreadable", bool(source.message)))


def _timestamp(root: Path, places: Sequence[tuple[str, ...]]) -> str:
    """What nbgrader's exchange wrote down, where it looks like a time."""
    for place in places:
        try:
            text = read_bytes(root, (*place, TIMESTAMP)).decode("ascii").strip()
        except (OSError, UnicodeDecodeError, NoFile, Unreadable):
            continue
        if re.fullmatch(r"\d{4}-\d\d-\d\d[\w :.+/-]{0,40}", text):
            return text
    return ""
