"""A folder becomes submissions, and a submission's files become sources. Nothing here runs them.

A folder that learners have filled is hostile by accident more often than by malice: links, pipes,
devices, huge files, damaged JSON. No link below the folder that the instructor names is followed,
only regular files are read, once and to a cap, and whatever is wrong with one file is that
file's ``Source`` and never an exception.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
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
from onehead.errors import OneheadError

MAX_SOURCE = 4 * 2**20  # of all code in a file, in bytes
MAX_ENTRIES = 1000  # looked at in a learner's folder, when its files are not where they belong

_IGNORED = {"__pycache__", "__macosx"}
TIMESTAMP = "timestamp.txt"  # nbgrader's
SUFFIXES = (".ipynb", ".py")  # the notebook wins
_MOST_UNREADABLE = 20  # files that are tried for an exercise
_PATIENCE = 5  # times that a submission is read which changes while it is read


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


class _NoFile(Exception):
    """There is no file to read: the message says what there is instead, if anything."""


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
    return _read_file(file.root, file.parts)


def size_of(file: File) -> int:
    """The bytes of a file that would be read."""
    try:
        return min(os.lstat(file.root.joinpath(*file.parts)).st_size, MAX_BYTES)
    except OSError:
        return 0


def read_file(path: Path) -> Source:
    """One file, whatever its name. Raises nothing for what a learner has done."""
    path = Path(os.path.realpath(path))
    return _read_file(path.parent, (path.name,))


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
        source = _read_file(file.root, file.parts)
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
            text = _read_bytes(root, (*place, TIMESTAMP)).decode("ascii").strip()
        except (OSError, UnicodeDecodeError, _NoFile, Unreadable):
            continue
        if re.fullmatch(r"\d{4}-\d\d-\d\d[\w :.+/-]{0,40}", text):
            return text
    return ""


# --- files -------------------------------------------------------------------------------

_FLAGS = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


def _read_file(root: Path, parts: Sequence[str]) -> Source:
    name = parts[-1]
    notebook = ".ipynb" in name.casefold() and not name.casefold().endswith(".py")
    digest = ""
    try:
        data = _read_bytes(root, parts)
        digest = hashlib.sha256(data).hexdigest()
        text, note = _decode(data, name)
        sources, damage = notebook_code(text, name) if notebook else (script_code(text, name), "")
        cells = _cells(sources, name)
    except (FileNotFoundError, NotADirectoryError):
        return Source("missing")
    except _NoFile as reason:
        return Source("missing", notebook=notebook, message=str(reason))
    except Unreadable as reason:
        return Source("unreadable", notebook=notebook, message=str(reason), digest=digest)
    except OSError as error:
        message = f"{name} can't be read: {error.strerror}"
        return Source("unreadable", notebook=notebook, message=message)
    return Source("ok", cells, notebook, "; ".join(filter(None, [note, damage])), digest)


def _read_bytes(root: Path, parts: Sequence[str]) -> bytes:
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
        raise _NoFile(f"{what} is a link, which is not followed; hand in the file itself")
    if is_last and not stat.S_ISREG(status.st_mode):
        raise _NoFile(f"{what} is no regular file; hand in a file of that name")
    if not is_last and not stat.S_ISDIR(status.st_mode):
        raise _NoFile(f"{what} is no folder; hand in a folder with the files in it")


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


# --- names -------------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\u[0-9a-f]{4}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def well_formed(name: str) -> str:
    r"""A folder's name as text that can be encoded; no two names give the same.

    Bytes that are no UTF-8 are spelt ``\udcNN``, as Python spells them. Everything else stays.
    """
    if _SURROGATE.search(name) or _ESCAPE.search(name):
        name = name.replace("\\", "\\\\")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", name)


def safe_name(name: str) -> str:
    """A name for this submission's folder: plain ASCII, at most 57 characters.

    It ends in a digest of the name, so that names which a file system may take for one (other
    case, other normalisation) or that no file system takes have folders of their own.

    >>> safe_name("../Zoë")
    'zoe~8840d1f49662e9e8'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    readable = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-") or "submission"
    return f"{readable}~{digest}"


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """A folder's name for each submission of a class: its own name wherever that is safe.

    It is when every file system takes it and no other name of the class could be taken for it.
    """
    names = list(names)
    alike = Counter(map(_folded, names))
    return {
        name: name if alike[_folded(name)] == 1 and _is_plain(name) else safe_name(name)
        for name in names
    }


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _is_plain(name: str) -> bool:
    return (
        re.fullmatch(r"\w(?:[\w .@+-]*\w)?", name) is not None
        and unicodedata.is_normalized("NFC", name)
        and len(name.encode()) <= 100
        and not _RESERVED.fullmatch(name)
    )
