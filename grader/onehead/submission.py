"""A folder becomes submissions, and a submission's files become sources. Nothing here runs them.

A folder that learners have filled is hostile by accident more often than by malice: links, pipes,
devices, huge files, damaged JSON. No link below the folder that the instructor names is followed,
only regular files are read, once and to a cap, and whatever is wrong with one file is that
file's ``Source`` and never an exception.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Literal

from onehead.errors import OneheadError

MAX_BYTES = 16 * 2**20  # of a file
MAX_SOURCE = 4 * 2**20  # of all code in a file, in bytes
MAX_CELLS = 5000
MAX_BRACKETS = 500_000  # lists and objects in a notebook: bounds the memory that JSON can claim
MAX_ENTRIES = 1000  # looked at in a learner's folder, when its files are not where they belong

_IGNORED = {"__pycache__", "__macosx"}
_SUFFIXES = (".ipynb", ".py")  # the notebook wins


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
class SubmissionFolder:
    """Where a learner's files are: ``parts`` is the way to them below ``root``."""

    name: str
    root: Path
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    """A learner's name and one source for each stem."""

    name: str
    sources: Mapping[str, Source]
    timestamp: str = ""  # when it was handed in, where nbgrader's timestamp.txt says so


class _NoFile(Exception):
    """There is no file to read: the message says what there is instead, if anything."""


class _Unreadable(Exception):
    """There is a file, and no Python in it that could be run: the message says why."""


# --- folders -----------------------------------------------------------------------------


def find(folder: Path, stems: Sequence[str]) -> tuple[SubmissionFolder, ...]:
    """The learners in ``folder``, sorted by name; nothing of theirs is read yet.

    A folder that itself holds an exercise's file is one learner's. ``folder`` may be a link. A
    learner's folder that is a link is not followed; it is a submission in which every file is
    missing, so that its learner does not vanish from the gradebook without a word.

    Raises ``OneheadError`` for a folder that can't be listed or holds no learner.
    """
    given = Path(os.path.abspath(folder))
    try:
        root = Path(os.path.realpath(folder, strict=True))
        if _holds(root, stems):
            return (SubmissionFolder(_well_formed(given.name), root),)
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries if _is_folder(entry)]
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
    learners = (SubmissionFolder(_well_formed(name), root, (name,)) for name in names)
    return tuple(sorted(learners, key=lambda learner: learner.name))


def read(learner: SubmissionFolder, stems: Sequence[str]) -> Submission:
    """All of a learner's sources, read now and once. Raises nothing for what a learner has done."""
    places = _places(learner, stems)
    sources = {stem: _choose(learner.root, places, stem) for stem in stems}
    return Submission(learner.name, sources, _timestamp(learner.root, places))


def read_file(path: Path) -> Source:
    """One file, whatever its name. Raises nothing for what a learner has done."""
    path = Path(os.path.realpath(path))
    return _read_file(path.parent, (path.name,))


def _holds(folder: Path, stems: Sequence[str]) -> bool:
    names = (f"{stem}{suffix}" for stem in stems for suffix in _SUFFIXES)
    return any(os.path.lexists(folder / name) for name in names)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name.casefold() in _IGNORED:
        return False
    if entry.is_symlink():
        return not os.path.isfile(entry.path)
    return entry.is_dir(follow_symlinks=False)


def _places(learner: SubmissionFolder, stems: Sequence[str]) -> list[tuple[str, ...]]:
    """Ways to the folders with the learner's files: its own, else nbgrader's assignments in it."""
    folder = learner.root.joinpath(*learner.parts)
    if os.path.islink(folder) or _holds(folder, stems):
        return [learner.parts]
    try:
        with os.scandir(folder) as entries:
            inner = sorted(e.name for e in islice(entries, MAX_ENTRIES) if _is_folder(e))
    except OSError:
        inner = []
    return [(*learner.parts, name) for name in inner] or [learner.parts]


def _choose(root: Path, places: Sequence[tuple[str, ...]], stem: str) -> Source:
    """The first file that can be read; else the best account of why there is none.

    A readable ``.py`` stands in for a notebook that is unreadable: nobody loses work that is there.
    """
    refused: list[Source] = []
    for place in places:
        for suffix in _SUFFIXES:
            source = _read_file(root, (*place, f"{stem}{suffix}"))
            if source.status == "ok":
                told = [other.message for other in refused if other.message]
                if told:
                    told.append(f"{stem}{suffix} is read instead")
                told.extend(filter(None, [source.message]))
                return replace(source, message="; ".join(told))
            refused.append(source)
    # Python's max keeps the first of equals, so the notebook's account comes before the .py's.
    return max(refused, key=lambda source: (source.status == "unreadable", bool(source.message)))


def _timestamp(root: Path, places: Sequence[tuple[str, ...]]) -> str:
    """What nbgrader's exchange wrote down, where it looks like a time."""
    for place in places:
        try:
            text = _read_bytes(root, (*place, "timestamp.txt")).decode("ascii").strip()
        except (OSError, UnicodeDecodeError, _NoFile, _Unreadable):
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
    notebook = name.endswith(".ipynb")
    digest = ""
    try:
        data = _read_bytes(root, parts)
        digest = hashlib.sha256(data).hexdigest()
        text, note = _decode(data, name)
        sources, damage = _notebook_code(text, name) if notebook else (_script_code(text, name), "")
        cells = _cells(sources, name)
    except (FileNotFoundError, NotADirectoryError):
        return Source("missing")
    except _NoFile as reason:
        return Source("missing", notebook=notebook, message=str(reason))
    except _Unreadable as reason:
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
        raise _Unreadable(f"{parts[-1]} is larger than {limit}; clear its outputs, save it again")
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
    if not any(map(_has_code, kept)):
        raise _Unreadable(f"{name} has no Python in it")
    if len(kept) > MAX_CELLS:
        raise _Unreadable(f"{name} has more than {MAX_CELLS} code cells")
    if sum(len(source.encode()) for source in kept) > MAX_SOURCE:
        raise _Unreadable(f"{name} has more than {MAX_SOURCE // 2**20} MiB of code")
    return tuple(Cell(f"cell {number}", source) for number, source in enumerate(kept, 1))


_CODE_LINE = re.compile(r"^[^\S\n]*[^\s#]", re.MULTILINE)


def _has_code(source: str) -> bool:
    return _CODE_LINE.search(source) is not None


# --- scripts -----------------------------------------------------------------------------

_MARKER = re.compile(
    r"^#[ \t]*(?:%%+(?=[\s\[{]|\Z)(?P<title>.*)|In[ \t]?\[[ \d*]*\]:?[ \t]*)$", re.MULTILINE
)
_PROSE = re.compile(r"\[(?:markdown|md|raw)\]")
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")


def _script_code(text: str, name: str) -> list[str]:
    """The code cells of a ``.py`` in percent format; without a marker the file is one cell."""
    # Of a compressed file's bytes one in nine is no text; of a source's, a few that were damaged.
    sample = text[:65536]
    if len(_NOT_TEXT.findall(sample)) > len(sample) / 20:
        raise _Unreadable(f"{name} is binary, no Python source")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    markers = list(islice(_MARKER.finditer(text), 2 * MAX_CELLS + 1))
    if not markers:
        return [text]
    if len(markers) > 2 * MAX_CELLS:
        raise _Unreadable(f"{name} has more than {2 * MAX_CELLS} cells")
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    cells = [text[: markers[0].start()]]
    # What stands before the first marker is most often a header of comments, no cell.
    cells = [cell for cell in cells if _has_code(cell)]
    for marker, end in zip(markers, ends, strict=True):
        body = text[marker.end() + 1 : end]
        if not (_PROSE.search(marker["title"] or "") and _is_prose(body)):
            cells.append(body)
    return cells


def _is_prose(body: str) -> bool:
    """Comments or one string. Code that was written under a text cell's marker is still code."""
    bare = body.strip()
    quoted = any(bare.startswith(q) and bare.endswith(q) for q in ('"""', "'''"))
    return quoted or not _has_code(body)


# --- notebooks ---------------------------------------------------------------------------

# Numbers mean nothing here, and float() takes a million digits that int() refuses.
_STRICT = json.JSONDecoder(parse_int=float)
_LENIENT = json.JSONDecoder(parse_int=float, strict=False)


def _notebook_code(text: str, name: str) -> tuple[list[str], str]:
    """The code cells of a notebook, and what was wrong with its JSON."""
    if text.count("{") + text.count("[") > MAX_BRACKETS:
        raise _Unreadable(f"{name} is too large a structure; clear its outputs, save it again")
    document = _parse(_STRICT, text)
    if sources := _code_of(document):
        return sources, ""
    sources = _repaired(text) or _salvaged(text)
    if not sources and document is None:
        raise _Unreadable(f"{name} is no notebook: it is no valid JSON and no code cell is left")
    if not sources:
        raise _Unreadable(f"{name} has no Python in it")
    plural = "" if len(sources) == 1 else "s"
    return sources, f"{name} is damaged; {len(sources)} code cell{plural} could be read"


def _parse(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError):
        return None


def _code_of(document: Any) -> list[str]:
    """Code cells in order, of nbformat 4 (cells) or 3 (worksheets); what is no cell is skipped."""
    if not isinstance(document, dict):
        return []
    sheets = document.get("worksheets")
    holders = [document, *(sheets if isinstance(sheets, list) else [])]
    lists = [holder.get("cells") for holder in holders if isinstance(holder, dict)]
    cells = [cell for cells in lists if isinstance(cells, list) for cell in cells]
    return [source for cell in cells if (source := _source_of(cell)) is not None]


def _source_of(cell: Any) -> str | None:
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return None
    return _joined(cell.get("source", cell.get("input")))


def _joined(source: Any) -> str | None:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else None


def _repaired(text: str) -> list[str]:
    """Code of a notebook that is whole but for control characters or a merge left unfinished."""
    candidates = [text]
    if "<<<<<<<" in text:
        candidates += [_one_side(text, 0), _one_side(text, 1)]
    return next(filter(None, (_code_of(_parse(_LENIENT, each)) for each in candidates)), [])


_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})[^\n]*\n?", re.MULTILINE)


def _one_side(text: str, wanted: int) -> str:
    """The text with side 0 (ours) or 1 (theirs) of every merge conflict."""
    kept = []
    side: int | None = None  # None: outside of a conflict
    at = 0
    for marker in _CONFLICT.finditer(text):
        kind = marker[0][0]
        if side is None and kind != "<":
            continue
        if side in (None, wanted):
            kept.append(text[at : marker.start()])
        at = marker.end()
        side = {"<": 0, "|": -1, "=": 1, ">": None}[kind]
    return "".join([*kept, text[at:]])


_CELL_START = re.compile(
    r'\{\s*"(?:attachments|cell_type|collapsed|execution_count|id|input|metadata|outputs|source)"'
)
_CELL_TYPE = re.compile(r'"cell_type"\s*:\s*"(\w+)"')
_SOURCE_KEY = re.compile(r'"(?:source|input)"\s*:\s*')


def _salvaged(text: str) -> list[str]:
    """Code of every cell that still parses, and of every broken one whose source still does."""
    whole = list(_whole_cells(text))
    edges = [(0, 0), *((start, end) for start, end, _ in whole), (len(text), len(text))]
    found = [(start, source) for start, _, source in whole if source is not None]
    for (_, start), (end, _) in pairwise(edges):
        found.extend(_broken_cells(text, start, end))
    return [source for _, source in sorted(found)]


def _whole_cells(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Start, end and code (None: a text cell) of each complete cell object.

    A failed attempt may read all of the text again, so the work on them is bounded.
    """
    work = 4 * MAX_BYTES
    at = 0
    while work > 0 and (match := _CELL_START.search(text, at)):
        start, at = match.span()
        try:
            value, end = _LENIENT.raw_decode(text, start)
        except json.JSONDecodeError as error:
            work -= error.pos - start + MAX_BYTES // 32
        except RecursionError:
            work -= len(text) - start + MAX_BYTES // 32
        else:
            if isinstance(value.get("cell_type"), str):
                yield start, end, _source_of(value)
                at = end
            else:
                work -= end - start  # it may hold cells, so it is gone through again


def _broken_cells(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Position and code of cells in ``text[start:end]`` that are damaged outside their source.

    Jupyter sorts a cell's keys: its type comes first and its source last, after the outputs.
    """
    ahead = _CELL_TYPE.finditer(text, start, end)
    match = next(ahead, None)
    while match is not None:
        following = next(ahead, None)
        chunk = text[match.end() : following.start() if following else end]
        source = _last_source(chunk) if match[1] == "code" else None
        if source is not None:
            yield match.start(), source
        match = following


def _last_source(chunk: str) -> str | None:
    key = _SOURCE_KEY.match(chunk, max(chunk.rfind('"source"'), chunk.rfind('"input"'), 0))
    if key is None:
        return None
    try:
        return _joined(_LENIENT.raw_decode(chunk, key.end())[0])
    except (ValueError, RecursionError):
        return None


# --- names -------------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\u[0-9a-f]{4}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def _well_formed(name: str) -> str:
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
