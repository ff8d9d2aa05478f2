"""A document as HTML that stands alone: no style sheet, script or picture.

Jupyter takes ``<style>``, ``<svg>``, ``role``, ``aria-*`` and ``data-*`` out of a notebook that is
not trusted. What is left here says everything: tables with captions, inline colours of both text
and background, glyphs and numbers, and folds that open without a script.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from onehead.render.document import (
    GLYPHS,
    STATE_WORDS,
    Beside,
    Block,
    Cell,
    CellKind,
    Chain,
    Code,
    Document,
    Fold,
    Grid,
    Heading,
    Items,
    Link,
    Name,
    Panel,
    Paragraph,
    Piece,
    Stage,
    State,
    Strong,
    Table,
    Tone,
    Words,
    printable,
)

# Okabe and Ito's blue and vermillion: told apart by everyone, 3:1 against white and near-black.
BLUE, VERMILLION, PURPLE, NEUTRAL = "#0072b2", "#d55e00", "#cc79a7", "#f2f2f2"
_BARS: dict[Tone, str] = {
    "plain": "#767676",
    "right": BLUE,
    "wrong": VERMILLION,
    "open": "#767676",
    "quiet": "#767676",
}
_CELLS: dict[CellKind, str] = {
    "wrong": VERMILLION,
    "same": NEUTRAL,
    "hidden": "#d9d9d9",
    "true": BLUE,
    "false": NEUTRAL,
    "spoiled": PURPLE,
}
_STATES: dict[State, str] = {
    "given": NEUTRAL,
    "right": BLUE,
    "wrong": VERMILLION,
    "open": NEUTRAL,
}
_PARAGRAPH = "margin:6px 0"
_CELL = "padding:2px 7px;border:1px solid #767676;text-align:right;white-space:nowrap"
_HEAD = "padding:2px 7px;text-align:right;font-weight:normal;white-space:nowrap"
_CAPTION = "caption-side:top;text-align:left;padding:2px 0;font-weight:bold"
_TABLE = "border-collapse:collapse;margin:4px 0;font-size:90%"


def render(document: Document) -> str:
    """The document's HTML: a fragment, for a notebook's output or a page's body."""
    return "".join(piece for block in document for piece in _block(block))


def shown(text: str) -> str:
    """A text as HTML: no tag of its own, no character that hides others or turns them round."""
    return escape(printable(text))


def words(said: Words) -> str:
    if isinstance(said, str):
        return shown(said)
    return "".join(map(_piece, said))


def _piece(piece: Piece) -> str:
    match piece:
        case Strong(text):
            return f"<strong>{shown(text)}</strong>"
        case Name(text):
            return f"<code>{shown(text)}</code>"
        case Link(text, to):
            return f'<a href="#{shown(to)}">{shown(text)}</a>'
        case _:
            return shown(piece)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(said, level, _, anchor):
            place = f' id="{shown(anchor)}"' if anchor else ""
            yield f"<h{level}{place}>{words(said)}</h{level}>"
        case Paragraph(said):
            yield f'<p style="{_PARAGRAPH}">{words(said)}</p>'
        case Code(text):
            yield f'<pre style="white-space:pre-wrap"><code>{shown(text)}</code></pre>'
        case Items(entries):
            yield "<ul>"
            yield from (f"<li>{words(entry)}</li>" for entry in entries)
            yield "</ul>"
        case Chain():
            yield from _chain(block)
        case Grid():
            yield from _grid(block)
        case Table():
            yield from _table(block)
        case Beside(blocks):
            for inner in blocks:
                yield '<div style="display:inline-block;vertical-align:top;margin-right:20px">'
                yield from _block(inner)
                yield "</div>"
        case Fold(title, blocks):
            yield f'<details style="margin:4px 0"><summary>{words(title)}</summary>'
            yield from (piece for inner in blocks for piece in _block(inner))
            yield "</details>"
        case Panel(blocks, tone):
            bar = f"border-left:4px solid {_BARS[tone]}"
            yield f'<div style="{bar};padding-left:12px;margin:8px 0">'
            yield from (piece for inner in blocks for piece in _block(inner))
            yield "</div>"


def _chain(chain: Chain) -> Iterator[str]:
    """The stages as marks on one line; read aloud, each is its name and its state."""
    yield '<p style="margin:6px 0;line-height:2">'
    for number, step in enumerate(chain.steps):
        yield " → " if number else ""
        yield " ".join(map(_stage, step))
    yield "</p>"


def _stage(stage: Stage) -> str:
    colour = _STATES[stage.state]
    style = (
        f"background-color:{colour};color:{ink(colour)};border:1px solid #767676;"
        "padding:2px 7px;white-space:nowrap"
    )
    said = " ".join(filter(None, (stage.name, GLYPHS[stage.state])))
    return f'<span style="{style}" title="{STATE_WORDS[stage.state]}">{shown(said)}</span>'


def _grid(grid: Grid) -> Iterator[str]:
    yield f'<table style="{_TABLE}">{_caption(grid.caption)}'
    yield f'<thead><tr><td style="{_HEAD}">{shown(grid.corner)}</td>'
    for column in grid.columns:
        yield f'<th scope="col" style="{_HEAD}">{shown(column)}</th>'
    yield "</tr></thead><tbody>"
    for row, cells in zip(grid.rows, grid.cells, strict=True):
        name = f'th scope="row" style="{_HEAD}">{shown(row)}</th>' if row else "td></td>"
        yield f"<tr><{name}"
        yield from map(_cell, cells)
        yield "</tr>"
    yield "</tbody></table>"
    if grid.note:
        yield f'<p style="{_PARAGRAPH}"><small>{shown(grid.note)}</small></p>'


def _caption(said: str) -> str:
    return f'<caption style="{_CAPTION}">{shown(said)}</caption>' if said else ""


def _cell(cell: Cell) -> str:
    back = shade(cell.shade) if cell.kind == "number" else _CELLS[cell.kind]
    return f'<td style="{_CELL};background-color:{back};color:{ink(back)}">{shown(cell.text)}</td>'


def _table(table: Table) -> Iterator[str]:
    yield f'<table style="{_TABLE}">{_caption(table.caption)}'
    yield "<thead><tr>"
    for place, head in enumerate(table.head):
        yield f'<th scope="col" style="{_entry(table, place)}">{shown(head)}</th>'
    yield "</tr></thead><tbody>"
    for name, *entries in table.rows:
        style = f"{_entry(table, 0)};font-weight:normal"
        yield f'<tr><th scope="row" style="{style}">{words(name)}</th>'
        for place, entry in enumerate(entries, start=1):
            yield f'<td style="{_entry(table, place)}">{words(entry)}</td>'
        yield "</tr>"
    yield "</tbody></table>"


def _entry(table: Table, place: int) -> str:
    return f"padding:2px 14px 2px 0;text-align:{'right' if place in table.numbers else 'left'}"


# --- colours -----------------------------------------------------------------------------


def shade(place: float) -> str:
    """The background of a number: neutral at 0, blue towards 1, vermillion towards -1.

    >>> shade(0.0), shade(1.0), shade(-1.0)
    ('#f2f2f2', '#0072b2', '#d55e00')
    """
    end = BLUE if place >= 0 else VERMILLION
    share = min(abs(place), 1.0)
    mixed = (round(a + share * (b - a)) for a, b in zip(_rgb(NEUTRAL), _rgb(end), strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def ink(background: str) -> str:
    """Black or white, whichever can be read better: 4.5 to 1 or more on any background.

    >>> ink("#0072b2"), ink("#d55e00")
    ('#ffffff', '#000000')
    """
    light = luminance(background)
    return "#ffffff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour, 0 to 1 (WCAG 2.2, "relative luminance")."""
    parts = [part / 255 for part in _rgb(colour)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
