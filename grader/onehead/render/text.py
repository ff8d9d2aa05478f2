"""A document as plain text, 80 columns wide; colour only where the stream is a terminal."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from onehead.render.document import (
    GLYPHS,
    Beside,
    Block,
    Chain,
    Code,
    Document,
    Fold,
    Grid,
    Heading,
    Items,
    Panel,
    Paragraph,
    Table,
    Tone,
    plain,
)
from onehead.render.document import printable as _without_controls

WIDTH = 80
_GAP = "   "
_COLOURS: dict[Tone, str] = {"right": "34", "wrong": "33", "open": "2", "quiet": "2", "plain": ""}
_WORKFLOW_COMMAND = re.compile(r"::(?=\w)|##(?=\w*\[)")
_ASCII = str.maketrans(
    {"✓": "+", "✗": "x", "●": "*", "·": ".", "×": "x", "→": ">", "▸": ">", "–": "-", "…": "~"}
)


def printable(text: str) -> str:
    """A learner's text without what could steer a terminal or the runner of a workflow.

    >>> printable("a\\x1b[31mb"), printable("::error::x"), printable("##vso[x]")
    ('a\\ufffd[31mb', ': :error: :x', '# #vso[x]')
    """
    text = _without_controls(text).replace("\n", "\ufffd")
    return _WORKFLOW_COMMAND.sub(lambda found: " ".join(found[0]), text)


@dataclass(frozen=True)
class Line:
    """A line of text and its tone."""

    text: str
    tone: Tone = "plain"


def render(document: Document, *, colour: bool = False, unfold: bool = False) -> str:
    """The document's text. ``unfold`` shows what folds hold; else their titles stand alone."""
    lines = [line for block in document for line in _block(block, WIDTH, unfold)]
    texts = (_painted(line) if colour else line.text.rstrip() for line in lines)
    return "\n".join(texts).lstrip("\n")


def write(document: Document, stream: TextIO, *, unfold: bool = False) -> None:
    """Print a document as the stream can show it: coloured on a terminal, in ASCII if it must."""
    said = render(document, colour=has_colour(stream), unfold=unfold)
    print(encodable(said, stream), file=stream)


def has_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user has not set ``NO_COLOR`` (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def encodable(text: str, stream: TextIO) -> str:
    """A text in what a stream's encoding has: glyphs have a stand-in in ASCII."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
        return text
    except (UnicodeEncodeError, LookupError):
        return text.translate(_ASCII).encode("ascii", "replace").decode()


def _painted(line: Line) -> str:
    code = _COLOURS[line.tone]
    return f"\x1b[{code}m{line.text.rstrip()}\x1b[0m" if code else line.text.rstrip()


def _block(block: Block, width: int, unfold: bool) -> Iterator[Line]:
    match block:
        case Heading(said, level, tone):
            if level <= 2:
                yield Line("")
            yield from _wrapped(plain(said), width, tone)
        case Paragraph(said, tone):
            yield from _wrapped(plain(said), width, tone)
        case Code(text):
            yield from (Line(f"    {printable(line)}") for line in text.splitlines())
        case Items(entries):
            for entry in entries:
                yield from _wrapped(plain(entry), width, "plain", "- ", "  ")
        case Chain():
            yield from _chain(block, width)
        case Grid():
            yield from _grid(block, width)
        case Table():
            yield from _table(block)
        case Beside(blocks):
            yield from _beside(blocks, width, unfold)
        case Fold(title, blocks):
            yield from _wrapped(plain(title), width, "quiet", "▸ ", "  ")
            if unfold:
                yield from _indented(blocks, width, unfold)
        case Panel(blocks):
            yield from _indented(blocks, width, unfold)


def _indented(blocks: Sequence[Block], width: int, unfold: bool) -> Iterator[Line]:
    for block in blocks:
        for line in _block(block, width - 2, unfold):
            yield Line(f"  {line.text}", line.tone)


def _wrapped(text: str, width: int, tone: Tone, first: str = "", later: str = "") -> Iterator[Line]:
    lines = textwrap.wrap(
        printable(text),
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
    )
    yield from (Line(line, tone) for line in lines)


def _chain(chain: Chain, width: int) -> Iterator[Line]:
    steps = (" ".join(f"{s.name}{GLYPHS[s.state]}" for s in step) for step in chain.steps)
    # A step is never broken: its spaces are none until the line has been.
    whole = " → ".join(step.replace(" ", "\0") for step in map(_without_controls, steps))
    for line in textwrap.wrap(whole, width, break_long_words=False):
        yield Line(line.replace("\0", " "))


# --- tables ------------------------------------------------------------------------------


def _grid(grid: Grid, width: int) -> Iterator[Line]:
    """A grid, its columns in several rows of tables where they are too many for one."""
    yield from _wrapped(grid.caption, width, "plain")
    head = max(map(len, [grid.corner, *grid.rows]))
    texts = [[cell.text for cell in row] for row in grid.cells]
    cell = max([1, *map(len, grid.columns), *(len(text) for row in texts for text in row)])
    fit = max(1, (width - head) // (cell + 1))
    for start in range(0, len(grid.columns), fit):
        here = slice(start, start + fit)
        yield Line(_row(grid.corner, grid.columns[here], head, cell))
        for name, row in zip(grid.rows, texts, strict=True):
            yield Line(_row(name, row[here], head, cell))
    if grid.note:
        yield from _wrapped(grid.note, width, "quiet")


def _row(name: str, cells: Sequence[str], head: int, cell: int) -> str:
    return printable(f"{name:>{head}}" + "".join(f" {text:>{cell}}" for text in cells))


def _table(table: Table) -> Iterator[Line]:
    rows = [table.head, *(tuple(plain(entry) for entry in row) for row in table.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.head))]
    for row in rows:
        entries = (
            f"{entry:>{size}}" if place in table.numbers else f"{entry:<{size}}"
            for place, (entry, size) in enumerate(zip(row, widths, strict=True))
        )
        yield Line(printable("  ".join(entries)))


def _beside(blocks: Sequence[Block], width: int, unfold: bool) -> Iterator[Line]:
    """Blocks in columns, as many as fit beside each other."""
    row: list[list[Line]] = []
    for block in blocks:
        lines = list(_block(block, width, unfold))
        if row and _span([*row, lines]) > width:
            yield from _columns(row)
            row = []
        row.append(lines)
    yield from _columns(row)


def _span(columns: Sequence[Sequence[Line]]) -> int:
    widths = (max((len(line.text) for line in lines), default=0) for lines in columns)
    return sum(widths) + len(_GAP) * (len(columns) - 1)


def _columns(columns: Sequence[Sequence[Line]]) -> Iterator[Line]:
    widths = [max((len(line.text) for line in lines), default=0) for lines in columns]
    for place in range(max(map(len, columns), default=0)):
        texts = (lines[place].text if place < len(lines) else "" for lines in columns)
        pairs = zip(texts, widths, strict=True)
        yield Line(_GAP.join(f"{text:<{width}}" for text, width in pairs))
