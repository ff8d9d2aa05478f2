"""The text of a notebook or a script becomes code cells. Nothing here runs them.

A notebook is read as JSON, whatever its version. From a damaged one, each cell that is whole is
read, and each broken one whose source is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

MAX_BYTES = 16 * 2**20  # of a file
MAX_CELLS = 5000
MAX_BRACKETS = 500_000  # lists and objects in a notebook: bounds the memory that JSON can claim


class Unreadable(Exception):
    """There is a file, and no Python in it that could be run: the message says why."""


_CODE_LINE = re.compile(r"^[^\S\n]*[^\s#]", re.MULTILINE)


def has_code(source: str) -> bool:
    return _CODE_LINE.search(source) is not None


# --- scripts -----------------------------------------------------------------------------

_MARKER = re.compile(
    r"^#[ \t]*(?:%%+(?=[\s\[{]|\Z)(?P<title>.*)|In[ \t]?\[[ \d*]*\]:?[ \t]*)$", re.MULTILINE
)
_PROSE = re.compile(r"\[(?:markdown|md|raw)\]")
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")


def script_code(text: str, name: str) -> list[str]:
    """The code cells of a ``.py`` in percent format; without a marker the file is one cell."""
    # Of a compressed file's bytes one in nine is no text; of a source's, a few that were damaged.
    sample = text[:65536]
    if len(_NOT_TEXT.findall(sample)) > len(sample) / 20:
        raise Unreadable(f"{name} is binary, no Python source")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    markers = list(islice(_MARKER.finditer(text), 2 * MAX_CELLS + 1))
    if not markers:
        return [text]
    if len(markers) > 2 * MAX_CELLS:
        raise Unreadable(f"{name} has more than {2 * MAX_CELLS} cells")
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    cells = [text[: markers[0].start()]]
    # What stands before the first marker is most often a header of comments, no cell.
    cells = [cell for cell in cells if has_code(cell)]
    for marker, end in zip(markers, ends, strict=True):
        body = text[marker.end() + 1 : end]
        if not (_PROSE.search(marker["title"] or "") and _is_prose(body)):
            cells.append(body)
    return cells


def _is_prose(body: str) -> bool:
    """Comments or one string. Code that was written under a text cell's marker is still code."""
    bare = body.strip()
    quoted = any(bare.startswith(q) and bare.endswith(q) for q in ('"""', "'''"))
    return quoted or not has_code(body)


# --- notebooks ---------------------------------------------------------------------------

# Numbers mean nothing here, and float() takes a million digits that int() refuses.
_STRICT = json.JSONDecoder(parse_int=float)
_LENIENT = json.JSONDecoder(parse_int=float, strict=False)


def notebook_code(text: str, name: str) -> tuple[list[str], str]:
    """The code cells of a notebook, and what was wrong with its JSON."""
    if text.count("{") + text.count("[") > MAX_BRACKETS:
        raise Unreadable(f"{name} is too large a structure; clear its outputs, save it again")
    document = _parse(_STRICT, text)
    if sources := _code_of(document):
        return sources, ""
    sources = _repaired(text) or _salvaged(text)
    if not sources and document is None:
        raise Unreadable(f"{name} is no notebook: it is no valid JSON and no code cell is left")
    if not sources:
        raise Unreadable(f"{name} has no Python in it")
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
