"""What a report is made of, before it is HTML or text.

A document is a tuple of blocks. Colour never carries a meaning alone: a coloured cell holds a
number or a glyph, a state has a glyph and a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone = Literal["plain", "right", "wrong", "open", "quiet"]
State = Literal["given", "right", "wrong", "open"]
GLYPHS: dict[State, str] = {"given": "", "right": "✓", "wrong": "✗", "open": "–"}
STATE_WORDS: dict[State, str] = {
    "given": "given",
    "right": "right",
    "wrong": "not right yet",
    "open": "not reached",
}


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Name:
    """A name of code within a sentence."""

    text: str


@dataclass(frozen=True)
class Link:
    """Words that lead to a place of the same page; in text, the words alone."""

    text: str
    to: str


Piece: TypeAlias = str | Strong | Name | Link
Words: TypeAlias = str | tuple[Piece, ...]


def plain(words: Words) -> str:
    """The words alone.

    >>> plain((Strong("right"), ": ", Name("Q")))
    'right: Q'
    """
    if isinstance(words, str):
        return words
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


@dataclass(frozen=True)
class Heading:
    """A title; ``anchor`` is the place that a ``Link`` leads to."""

    words: Words
    level: int = 3
    tone: Tone = "plain"
    anchor: str = ""


@dataclass(frozen=True)
class Paragraph:
    words: Words
    tone: Tone = "plain"


@dataclass(frozen=True)
class Code:
    """Lines to be read or run as they stand."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list."""

    entries: tuple[Words, ...]


@dataclass(frozen=True)
class Stage:
    """A link of a chain: what is computed, and how it stands."""

    name: str
    state: State


@dataclass(frozen=True)
class Chain:
    """What is computed from what: the steps in order, each with the stages that it makes."""

    steps: tuple[tuple[Stage, ...], ...]


CellKind = Literal["number", "wrong", "same", "hidden", "true", "false", "spoiled"]


@dataclass(frozen=True)
class Cell:
    """A cell of a grid. ``shade``, from -1 to 1, places a number on the scale of its grid."""

    text: str
    kind: CellKind = "number"
    shade: float = 0.0


@dataclass(frozen=True)
class Grid:
    """A matrix as a table of coloured cells. ``corner`` names the axes, ``note`` the glyphs."""

    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    corner: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table of words; the first entry of a row names it, ``numbers`` are columns of figures."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Beside:
    """Blocks side by side, where there is room."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Fold:
    """Blocks behind their title."""

    title: Words
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Panel:
    """Blocks that belong together, with a bar of their tone at the side."""

    blocks: tuple[Block, ...]
    tone: Tone = "plain"


Block: TypeAlias = Heading | Paragraph | Code | Items | Chain | Grid | Table | Beside | Fold | Panel
Document: TypeAlias = tuple[Block, ...]


def printable(text: str) -> str:
    """A text without characters that steer a terminal, hide others or turn them round.

    >>> printable("a\\x1b[31mb\\nc")
    'a\\ufffd[31mb\\nc'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
