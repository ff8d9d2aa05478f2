"""The lessons' figures: the same bytes, well-formed, told in words, and back to their names."""

from __future__ import annotations

import base64
import re
from html import escape
from xml.etree import ElementTree

import pytest

from onehead import show
from onehead.errors import OneheadError
from onehead_release.chapter import chapter
from onehead_release.figures import drawn, figures, image, named
from onehead_release.figures.drawing import Drawing
from onehead_release.notebook import read_source
from onehead_release.solved import stems, untouched_notebook

each_figure = pytest.mark.parametrize("name", figures())


@each_figure
def test_two_drawings_are_the_same_well_formed_picture(name: str) -> None:
    first, second = figures()[name](), figures()[name]()
    assert first == second
    root = ElementTree.fromstring(first.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"<script|<style|href|url\((?!#)", first.svg)


@each_figure
def test_each_shape_lies_on_the_card(name: str) -> None:
    root = ElementTree.fromstring(figures()[name]().svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for shape in root:
        for key, most in (("x", width), ("x1", width), ("x2", width), ("y", height)):
            assert 0 <= float(shape.attrib.get(key, 0)) <= most
        far = float(shape.attrib.get("x", 0)) + float(shape.attrib.get("width", 0))
        assert far <= width, shape.attrib


@each_figure
def test_its_words_say_what_it_shows(name: str) -> None:
    figure = figures()[name]()
    assert len(figure.says.split()) >= 20 and figure.says.endswith(".")
    assert f'alt="{escape(figure.says)}"' in image(name)
    (data,) = re.findall(r"base64,([^\"]+)\"", image(name))
    assert base64.b64decode(data).decode() == figure.svg


def test_a_script_holds_names_and_a_notebook_pictures() -> None:
    for stem in stems():
        source = read_source(chapter().sources / f"{stem}.py")
        released = untouched_notebook(stem)
        assert released == drawn(source)
        assert named(released) == source
        assert not any("figure:" in cell.source for cell in released.cells)


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(OneheadError, match="there is no figure 'pathes'; there are: "):
        image("pathes")


def test_words_in_a_picture_can_hold_any_character() -> None:
    draw = Drawing(50, 50)
    draw.text((25, 25), "a < b & 'c'")
    assert ElementTree.fromstring(draw.figure("so").svg)[-1].text == "a < b & 'c'"


# --- what a lesson shows of the learner's own code ---------------------------------------


def test_what_the_learners_code_makes_is_shown() -> None:
    assert show(lambda: 3) == 3


def test_code_that_is_not_ready_is_said_to_be_so(capsys: pytest.CaptureFixture[str]) -> None:
    def stub() -> None:
        raise NotImplementedError("attend is not started")

    assert show(stub) is None
    assert capsys.readouterr().out == "Not started yet: this shows what your own code computes.\n"


def test_an_error_of_the_learners_code_stays_an_error_of_theirs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert show(lambda: [][0]) is None
    said = "Your own code stopped here with IndexError: list index out of range\n"
    assert capsys.readouterr().out == said
