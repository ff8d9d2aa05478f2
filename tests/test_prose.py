"""The notebooks' text: numbers that code shows, examples that hold, parts' points, links."""

from __future__ import annotations

import doctest
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from tests import prose

import onehead_solutions
from onehead_release.chapter import chapter
from onehead_release.figures import figures
from onehead_release.notebook import read_source, replace
from onehead_release.solved import answers

ROOT = Path(__file__).resolve().parents[1]
COURSE = {exercise.stem: exercise for exercise in onehead_solutions.load()}
LESSONS = [stem for stem, exercise in COURSE.items() if exercise.id.startswith("lesson")]
NOT_STATED = {"how-checked", "CLAIMS"}  # the grader's rules; claims that are in question
each_lesson = pytest.mark.parametrize("stem", LESSONS)
each_stem = pytest.mark.parametrize("stem", COURSE)


def source(stem: str) -> NotebookNode:
    return read_source(chapter().sources / f"{stem}.py")


@cache
def untouched_run(stem: str) -> tuple[Mapping[str, Any], dict[str, str]]:
    """What an untouched notebook defines and prints. Its checks are asked for real."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = prose.run(source(stem), names)
    return names, printed


@cache
def solved_run(stem: str) -> tuple[Mapping[str, Any], dict[str, str]]:
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = prose.run(replace(source(stem), answers(stem)), names)
    return names, printed


@each_stem
def test_an_untouched_notebook_runs_with_every_part_not_started(stem: str) -> None:
    _, printed = untouched_run(stem)
    for part in COURSE[stem].parts:
        assert "not started" in printed[f"{part.name}-check"]


@each_stem
def test_a_solved_notebook_runs_with_every_part_right(stem: str) -> None:
    _, printed = solved_run(stem)
    for part in COURSE[stem].parts:
        told = printed[f"{part.name}-check"]
        assert "not started" not in told and "FAIL" not in told, told
    shown = [name for name, text in printed.items() if "our own code" in text]
    assert shown == [], "a cell that shows the learner's results could not"


@each_lesson
def test_each_number_of_the_text_is_shown_by_code(stem: str) -> None:
    notebook = source(stem)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in NOT_STATED]
    shown = untouched_run(stem)[1] | solved_run(stem)[1]
    missing = {
        section.title: unsupported
        for section in prose.sections(notebook, shown)
        if (unsupported := prose.unsupported(section))
    }
    assert missing == {}


@each_stem
def test_the_examples_of_the_text_hold_for_the_reference(stem: str) -> None:
    names, _ = solved_run(stem)
    text = "\n".join(cell.source for cell in source(stem).cells if cell.cell_type == "markdown")
    test = doctest.DocTest([*prose.examples(text)], dict(names), stem, None, 0, None)
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(test, out=failures.append)
    assert failures == []


@each_stem
def test_each_heading_names_the_points_of_its_part(stem: str) -> None:
    cells = {cell.id: cell.source for cell in source(stem).cells}
    for part in COURSE[stem].parts:
        points = f"({part.points:g} point{'' if part.points == 1 else 's'})"
        assert cells[part.name].split("\n")[0].endswith(points)


@each_stem
def test_each_figure_of_the_text_is_there_and_each_link_leads_somewhere(stem: str) -> None:
    for cell in source(stem).cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)]*)\)", cell.source):
                kind, _, name = target.partition(":")
                file = target.partition("#")[0]
                assert name in figures() if kind == "figure" else file in files(), target


@each_stem
def test_each_section_that_a_text_names_is_there(stem: str) -> None:
    for cell in source(stem).cells:
        text = " ".join(cell.source.split())
        for number, section, file in re.findall(r'\[lesson (\d), "([^"]+)"\]\(([^)]+)\)', text):
            assert file.startswith(f"0{number}_")
            headings = re.findall(r"^##+ (.*)$", whole_text(file.removesuffix(".ipynb")), re.M)
            assert section in headings, (section, file)


def whole_text(stem: str) -> str:
    return "\n".join(cell.source for cell in source(stem).cells if cell.cell_type == "markdown")


def files() -> set[str]:
    return {f"{stem}.ipynb" for stem in COURSE}


@pytest.mark.parametrize(
    "document", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda path: path.name
)
def test_each_link_of_a_document_leads_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)]*)\)", text):
        file, _, place = target.partition("#")
        there = (document.parent / file).resolve() if file else document
        assert there.exists(), target
        if place:
            titles = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert place in {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles}


def test_every_figure_is_used() -> None:
    text = "\n".join(cell.source for stem in COURSE for cell in source(stem).cells)
    assert {name for name in figures() if f"(figure:{name})" not in text} == set()


# --- the reader of texts -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The weights are `0.231, 0.629, 0.140`.", []),
        ("The weights are `0.629, 0.231, 0.140`.", ["`0.629, 0.231, 0.140`"]),
        ("The weights are `0.231, 0.692, 0.140`.", ["`0.231, 0.692, 0.140`"]),
        ("About 0.63 of it, and 0.64 of it.", ["0.64"]),
        ("It takes 1,024 steps, not 1,025.", ["1,025"]),
        ("Token 7 of lesson 12 reads rows 3 and 9, `V[5]`, in float32.", []),
        ("Hidden keys get 0, rows sum to 1, scores may be \N{PLUS-MINUS SIGN}10,000.", []),
        ("It is \N{MINUS SIGN}2.", []),
        ("It is 2.", ["2"]),
        ("```pycon\n>>> 7 + 8\n15\n```\nSo 15, and 16.", ["15", "16"]),
    ],
)
def test_a_number_that_nothing_shows_is_found(text: str, wrong: list[str]) -> None:
    shown = [prose.numbers("[0.2312 0.6288 0.1402] sum 1"), prose.numbers("1024 -2")]
    assert prose.unsupported(prose.Section("", [text], shown)) == wrong


def test_examples_in_a_text_count_as_shown() -> None:
    cell = nbformat.v4.new_markdown_cell("## A\n```pycon\n>>> 7 + 8\n15\n```\nIt is 15.")
    (section,) = prose.sections(nbformat.v4.new_notebook(cells=[cell]), {})
    assert prose.unsupported(section) == []
