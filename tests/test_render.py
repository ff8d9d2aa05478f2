"""Documents as HTML and as text, and the heat maps of the lessons."""

from __future__ import annotations

import io
import re
import subprocess
import sys

import numpy as np
import pytest

from onehead import heat_map
from onehead.render import html, text
from onehead.render.document import (
    Beside,
    Chain,
    Code,
    Fold,
    Grid,
    Heading,
    Items,
    Link,
    Name,
    Panel,
    Paragraph,
    Stage,
    Strong,
    Table,
)

EVIL = "<script>alert(1)</script>\x1b[31m\u202eevil &amp; 'x' \"y\""
WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.125, 0.5, 0.375]])
CAUSAL = np.tri(3, dtype=bool)


def every_block(said: str) -> tuple[object, ...]:
    """A document of each kind of block, with the same text in each place."""
    cells = heat_map(WEIGHTS).document[0]
    assert isinstance(cells, Grid)
    words = (said, Strong(said), Name(said), Link(said, said))
    labels = (said,) * 3
    grid = Grid(said, labels, labels, cells.cells, said, said)
    return (
        Heading(words, 3, anchor=said),
        Paragraph(words),
        Code(said),
        Items((words, said)),
        Chain(((Stage(said, "right"), Stage(said, "wrong")), (Stage(said, "open"),))),
        Table(said, (said, said), ((words, said),), (1,)),
        Beside((grid, grid)),
        Fold(words, (Panel((Paragraph(words),), "wrong"),)),
    )


# --- HTML --------------------------------------------------------------------------------


def test_html_is_made_of_what_a_sanitiser_keeps() -> None:
    said = html.render(every_block("a word"))  # type: ignore[arg-type]
    tags = set(re.findall(r"<([a-z0-9]+)", said))
    assert tags <= {
        *("h3", "p", "strong", "code", "a", "pre", "ul", "li", "span", "small", "div"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    }
    assert set(re.findall(r" ([a-z-]+)=", said)) <= {"style", "title", "scope", "id", "href"}
    assert "var(" not in said
    colours = re.findall(r"color:([^;\"]*)", said)
    assert colours and all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)


def test_nothing_reaches_html_unescaped() -> None:
    said = html.render(every_block(EVIL))  # type: ignore[arg-type]
    assert "<script" not in said and "\x1b" not in said and "\u202e" not in said
    assert said.count("&lt;script&gt;") > 10
    assert all(value.count('"') == 2 for value in re.findall(r'="[^>]*?"(?=[ >])', said))


def test_each_coloured_cell_has_text_and_both_colours() -> None:
    picture = heat_map({"a": WEIGHTS - 0.4, "mask": CAUSAL}, visible=CAUSAL)
    cells = re.findall(r'<td style="([^"]*border:[^"]*)">([^<]*)</td>', picture._repr_html_())
    assert len(cells) == 18
    for style, said in cells:
        (back,) = re.findall(r"background-color:(#\w{6})", style)
        (front,) = re.findall(r";color:(#\w{6})", style)
        light, dark = sorted([html.luminance(back), html.luminance(front)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5
        assert said.strip()


@pytest.mark.parametrize("place", np.linspace(-1, 1, 41))
def test_a_number_can_be_read_on_any_shade(place: float) -> None:
    back = html.shade(float(place))
    light, dark = sorted([html.luminance(back), html.luminance(html.ink(back))], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.parametrize("colour", [html.BLUE, html.VERMILLION])
def test_bars_and_marks_stand_out_in_light_and_dark(colour: str) -> None:
    own = html.luminance(colour)
    assert 1.05 / (own + 0.05) >= 3
    assert (own + 0.05) / (html.luminance("#111111") + 0.05) >= 3


# --- text --------------------------------------------------------------------------------


def test_text_keeps_to_80_columns_and_steers_no_terminal() -> None:
    said = text.render(every_block("many words " * 20 + EVIL))  # type: ignore[arg-type]
    assert "\x1b" not in said and "\u202e" not in said
    document = (
        Paragraph("many words " * 20),
        Panel((Items(("many words " * 20,)),)),
        Chain((tuple(Stage(f"stage{k}", "right") for k in range(9)),) * 3),
        *heat_map({"a": np.ones((12, 12)) / 3, "b": np.ones((12, 12)) / 3}).document,
    )
    assert max(map(len, text.render(document).splitlines())) <= 80


def test_a_fold_shows_its_title_or_all() -> None:
    document = (Fold("Hint 1 of 3", (Paragraph("What is summed?"),)),)
    assert text.render(document) == "▸ Hint 1 of 3"
    assert text.render(document, unfold=True) == "▸ Hint 1 of 3\n  What is summed?"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    document = (Paragraph("wrong", "wrong"),)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    text.write(document, terminal := Terminal())
    text.write(document, piped := io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    text.write(document, uncoloured := Terminal())
    assert terminal.getvalue() == "\x1b[33mwrong\x1b[0m\n"
    assert piped.getvalue() == uncoloured.getvalue() == "wrong\n"


def test_glyphs_have_a_stand_in_where_a_stream_has_none() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    text.write(
        (Chain(((Stage("Q", "right"), Stage("K", "wrong")), (Stage("V", "open"),))),), stream
    )
    stream.seek(0)
    assert stream.read() == "Q+ Kx > V-\n"


# --- heat maps ---------------------------------------------------------------------------


def test_a_heat_map_prints_as_text() -> None:
    assert repr(heat_map(WEIGHTS, "weights", visible=CAUSAL)).splitlines() == [
        "weights",
        "query \\ key    0    1    2",
        "          0 1.00    ×    ×",
        "          1 0.25 0.75    ×",
        "          2 0.12 0.50 0.38",
        "× hidden",
    ]


def test_a_hidden_weight_that_is_not_0_is_marked() -> None:
    leaking = WEIGHTS + 0.1 * ~CAUSAL
    assert "×0.10" in repr(heat_map(leaking, visible=CAUSAL))
    assert html.VERMILLION in heat_map(leaking, visible=CAUSAL)._repr_html_()


def test_zero_and_almost_zero_are_told_apart() -> None:
    assert repr(heat_map([[0.0, 1e-9, 1.0]], rows=[""])).split() == [
        "key",
        "0",
        "1",
        "2",
        "0",
        "0.00",
        "1.00",
    ]


def test_labels_may_be_tokens() -> None:
    lines = repr(heat_map(CAUSAL, rows=["the", "cat", "sat"], columns=["the", "cat", "sat"]))
    assert lines.splitlines()[0] == "    the cat sat"
    assert lines.splitlines()[1] == "the   ●   ·   ·"


def test_items_stand_beside_each_other_in_one_scale() -> None:
    picture = heat_map(np.stack([WEIGHTS, 2 * WEIGHTS]), "weights")
    (beside,) = picture.document
    assert isinstance(beside, Beside)
    grids = [block for block in beside.blocks if isinstance(block, Grid)]
    assert [grid.caption for grid in grids] == ["weights, item 0", "weights, item 1"]
    assert [grid.cells[0][0].shade for grid in grids] == [0.5, 1.0]


def test_of_a_large_matrix_a_part_is_drawn_and_said_so() -> None:
    (grid,) = heat_map(np.ones((3, 40))).document
    assert isinstance(grid, Grid)
    assert len(grid.columns) == 12 and grid.note == "columns 0 to 11 of 40"


@pytest.mark.parametrize(
    ("values", "more", "says"),
    [
        (np.ones((1, 1, 1, 1)), {}, "not float64 of shape (1, 1, 1, 1)"),
        (np.ones((0, 3)), {}, "shape (0, 3)"),
        ("text", {}, "a heat map shows numbers or bools"),
        (WEIGHTS, {"visible": np.ones((2, 2))}, "visible has shape (2, 2), the values have (3, 3)"),
        (WEIGHTS, {"rows": ["one", "two"]}, "2 labels were given for an axis of 3"),
    ],
)
def test_what_can_not_be_drawn_is_said(values: object, more: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        heat_map(values, **more)  # type: ignore[arg-type]


def test_importing_the_package_loads_no_numpy() -> None:
    script = "import sys, onehead; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
