"""The feedback page: whole, for readers of every kind, and nothing in it that is not theirs."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.test_evidence import MASKED_AFTER
from tests.test_explain import LATER, LEAK, part
from tests.test_grade import COURSE, solved_cells, wrong_attention

from onehead.grade import grade_exercise
from onehead.model import ExerciseResult, Finding, Result
from onehead.reports import html
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source

EVIL = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
VOID = {"meta"}


class Outline(HTMLParser):
    """Tags that are open, headings, ids, links, and tables with what a reader needs of them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.tables: list[set[str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        entries = dict(attrs)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.ids += [entries["id"] or ""] if "id" in entries else []
        self.links += [entries["href"] or ""] if "href" in entries else []
        if tag == "table":
            self.tables.append(set())
        if tag in ("caption", "th") and self.tables:
            self.tables[-1].add(f"{tag} {entries.get('scope', '')}".strip())

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def result() -> Result:
    """Lesson 4 with a mistake in its last function, and all else missing."""
    sources = [*solved_cells("04_matrix_form"), wrong_attention(*MASKED_AFTER)]
    cells = tuple(Cell(f"cell {k}", source) for k, source in enumerate(sources, 1))
    with Box(Limits(), "process") as box:
        graded = grade_exercise(COURSE["lesson-04"], Source("ok", cells, True), box)
    missing = ExerciseResult("lesson-05", "missing", 10.0)
    return Result("amara", (graded, missing))


def test_the_page_is_whole_and_has_what_a_reader_needs(result: Result) -> None:
    titles = {exercise.id: exercise.title for exercise in COURSE.values()}
    page = html.page(result, titles=titles)
    outline = Outline(page)
    assert outline.open == []
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "<title>Feedback for amara</title>" in page
    assert outline.headings[0] == 1 and outline.headings.count(1) == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    assert len(set(outline.ids)) == len(outline.ids)
    assert {f"#{name}" for name in outline.ids} == set(outline.links)
    assert all({"caption", "th col", "th row"} <= table for table in outline.tables)
    assert "lesson 4 · Self-Attention in Matrix Form: 9.5 of 10 points" in page


def test_the_page_fetches_nothing_and_runs_nothing(result: Result) -> None:
    page = html.page(result)
    assert not Outline(page).tags & {"script", "link", "img", "iframe", "object", "form", "svg"}
    assert not re.search(r"https?:|url\(|@import| on\w+=", page)


def test_the_page_shows_the_report(result: Result) -> None:
    page = html.page(result)
    for said in (
        "weights ✗",
        "mask-after-softmax",
        "Probe in a larger case:",
        "yours minus expected",
        "Hint 1 of 3",
    ):
        assert said in page
    assert "No file of this exercise was handed in." in page


def test_nothing_of_a_hidden_case_is_in_the_page(result: Result) -> None:
    page = html.page(result)
    cases = [case for part_ in COURSE["lesson-04"].parts for case in part_.cases]
    arrays = [np.ravel(x) for c in cases if not c.public for x in c.inputs.values() if np.ndim(x)]
    telling = [x for x in arrays if np.any(x[:3] != np.round(x[:3]))]
    assert len(telling) > 20
    assert not any(str(x[:3].tolist())[1:-1] in page for x in telling)
    shown = set(re.findall(r"In the public case “([^”]*)”", page))
    assert shown <= {case.name for case in cases if case.public}
    assert "The smallest case that shows it" in page


def test_nothing_of_a_learner_reaches_the_page_unescaped() -> None:
    finding = Finding(
        EVIL, "numerical", EVIL, "wrong", EVIL, EVIL, counterexample=EVIL, says=EVIL, reread=EVIL
    )
    evil = replace(part(finding, LEAK, LATER), name=EVIL, checks=(EVIL, "weights", "context"))
    raised = replace(part(finding, status="raised"), name=EVIL)
    exercise = ExerciseResult(EVIL, "graded", 2.0, (evil, raised), EVIL)
    page = html.page(Result(EVIL, (exercise,)), warning=EVIL, titles={EVIL: EVIL})
    assert Outline(page).tags.isdisjoint({"img"})
    assert "\x1b" not in page and "\u202e" not in page


def test_an_older_result_without_evidence_has_a_page_too() -> None:
    bare = replace(LEAK, evidence=None)
    page = html.page(Result("ben", (ExerciseResult("lesson-04", "graded", 2.0, (part(bare),)),)))
    assert "must be exactly 0" in page and "yours" not in page


def test_pictures_of_the_documentation_are_small() -> None:
    pictures = list((Path(__file__).parents[1] / "docs" / "pictures").glob("*.png"))
    assert pictures
    assert all(path.stat().st_size < 150_000 for path in pictures)
