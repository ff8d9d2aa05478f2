"""The class at a glance, with names and without."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from tests.classes import NASTY, finding, graded_classes, part, small

from onehead.model import ExerciseResult, Finding, Graded, PartResult, Result
from onehead.reports.overview import count_mistakes, count_parts, page


def class_of(*attends: PartResult) -> Graded:
    """A class with one part, each learner's as given."""
    results = [
        Result(f"learner {k}", (ExerciseResult("lesson-03", "graded", 3.0, (attend,)),))
        for k, attend in enumerate(attends)
    ]
    return Graded(tuple(results), {}, ("lesson-03",), titles={"lesson-03": "Projections"})


def known(name: str) -> Finding:
    return Finding("scores", "numerical", "scores", "wrong", "x", name, says=f"{name} it is.",
                   reread="lesson-03")  # fmt: skip


def rows(text: str, caption: str) -> list[list[str]]:
    """The body of a table of the page as a reader of HTML sees it."""
    table = re.search(rf"<table[^>]*><caption[^>]*>{caption}</caption>.*?</table>", text, re.S)
    assert table is not None
    body = re.findall(r"<tr>(.*?)</tr>", table[0], re.S)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in body]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]


RIGHT = part("attend", 3.0, 3.0)
SOME = part("attend", 1.5, 3.0, known("scale-missing"))
NONE = part("attend", 0.0, 3.0, known("scale-missing"), known("mask-missing"))
OPEN = PartResult("attend", "unfinished", 0.0, 3.0)


def test_each_part_is_counted_by_how_it_stands() -> None:
    graded = class_of(RIGHT, RIGHT, SOME, NONE, OPEN)
    (count,) = count_parts(graded.results)
    assert count.stands == {"right": 2, "partly": 1, "wrong": 1, "open": 1}
    assert (count.tried, count.share_right, count.checks) == (4, 0.5, {"scores": 2})
    table = rows(page(graded, names=True), "How many learners have which part")
    assert table[1:] == [["lesson-03 Projections"], ["attend", "2", "1", "1", "1", ""]]


def test_mistakes_are_counted_by_learner_and_the_commonest_comes_first() -> None:
    graded = class_of(SOME, NONE, SOME, RIGHT)
    assert [(m.name, len(m.who)) for m in count_mistakes(graded.results)] == [
        ("scale-missing", 3),
        ("mask-missing", 1),
    ]
    text = page(graded, names=True)
    assert rows(text, "How many make each")[1:] == [
        ["scale-missing", "3", "75 %", "lesson-03 attend (3)", "learner 0, learner 1, learner 2"],
        ["mask-missing", "1", "25 %", "lesson-03 attend (1)", "learner 1"],
    ]
    assert (
        "scale-missing</strong>: 3 of 4. scale-missing it is. Reread lesson 3 (Projections)."
        in text
    )
    assert "mask-missing</strong>" not in text  # of one learner alone: nothing to teach again


def test_a_part_that_few_have_right_is_to_be_taught_again() -> None:
    assert "<code>attend</code>: 1 of 4 right; most miss scores (3)" in page(
        class_of(SOME, NONE, SOME, RIGHT, OPEN), names=False
    )
    assert "No mistake is made by more than one" in page(class_of(RIGHT, RIGHT), names=False)


def test_the_histogram_counts_everyone_once() -> None:
    table = rows(page(class_of(RIGHT, SOME, SOME, OPEN), names=False), "Totals")
    assert [row[1] for row in table[1:]] == ["1", "0", "0", "0", "0", "2", "0", "0", "0", "1"]


def test_who_could_not_be_graded_is_counted_nowhere_and_named_only_where_names_are() -> None:
    text = page(small(), names=True)
    assert "2 submissions graded. Of 8 points: mean 5.8, median 5.8, from 3.5 to 8." in text
    assert "1 submission could not be graded and counted nowhere here (Cy Young_103)." in text
    assert "1 submission could not be graded and counted nowhere here." in page(small(), False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graded_classes())
def test_the_page_to_show_around_has_nothing_of_a_learners(graded: Graded) -> None:
    marker = "\u263a"  # in every name and message, and nowhere else
    marked = Graded(
        tuple(
            Result(
                marker + result.submission,
                tuple(
                    ExerciseResult(
                        e.id, e.status, e.max_score,
                        tuple(
                            PartResult(
                                p.name, p.status, p.score, p.max_score, p.checks,
                                tuple(finding(marker + f.message, f.misconception, f.check)
                                      for f in p.findings),
                            )
                            for p in e.parts
                        ),
                        marker, marker,
                    )
                    for e in result.exercises
                ),
            )
            for result in graded.results
        ),
        {marker + name: marker for name in graded.failed},
        graded.exercises,
    )  # fmt: skip
    assert marker not in page(marked, names=False)
    if graded.failed:
        assert marker in page(marked, names=True)


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("names", [True, False])
def test_the_page_is_whole_and_runs_nothing(names: bool) -> None:
    results = [Result(text, small().results[1].exercises) for text in NASTY]
    for graded in (Graded(tuple(results), {NASTY[0]: "x"}), Graded(()), small()):
        tags = _Tags(page(graded, names)).seen
        assert not tags & {"script", "img", "a", "iframe", "link", "b"}
