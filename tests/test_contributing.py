"""The page for contributors: each thing that it adds is found, and does what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests import consoles
from tests.test_families import test_messages_are_word_for_word as check_example

from onehead import families, reports
from onehead.grade import mark_outcomes
from onehead.model import Graded, Names, Outcome, Part, PartResult, Result
from onehead_solutions import matrix_form

PAGE = Path(__file__).parent.parent / "CONTRIBUTING.md"
SHOWN = {
    step.name: step.text
    for step in consoles.steps(PAGE.read_text())
    if isinstance(step, consoles.File)
}


def test_each_place_of_the_map_is_there() -> None:
    section = PAGE.read_text().partition("## Where to look\n")[2].partition("\n## ")[0]
    rows = [row.rstrip(" |").rpartition("|")[2] for row in section.splitlines() if "|" in row]
    places = [place for row in rows for place in re.findall(r"`([^`]+)`", row)]
    assert len(places) > 30
    folders = (PAGE.parent, PAGE.parent / "grader" / "onehead")
    assert [p for p in places if not any((folder / p).exists() for folder in folders)] == []


def shown(title: str, name: str) -> Any:
    """What the page's block of that title defines under a name."""
    namespace: dict[str, Any] = {}
    exec(compile(SHOWN[title], title, "exec"), namespace)
    return namespace[name]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's files beside the modules of their folders."""
    for title, text in SHOWN.items():
        for package, cached in ((families, families.load), (reports, reports.formats)):
            if title.startswith(f"grader/{package.__name__.replace('.', '/')}/"):
                folder = tmp_path / package.__name__
                folder.mkdir()
                (folder / Path(title).name).write_text(text)
                monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
                cached.cache_clear()
    yield
    families.load.cache_clear()
    reports.formats.cache_clear()


def marked(part: Part, answer: Any) -> PartResult:
    outcomes = {
        case.name: Outcome("returned", answer(Names(case.inputs), Names())) for case in part.cases
    }
    return mark_outcomes(part, outcomes)


def test_a_case_is_a_check_of_its_own() -> None:
    case = shown("a case of causal_mask, with a check of its own", "CASE")
    part = replace(matrix_form.CAUSAL_MASK, cases=(*matrix_form.CAUSAL_MASK.cases, case))
    right = marked(part, lambda i, e: matrix_form.causal_mask(i.T))
    assert right.checks == ("visible", "many tokens", "behaviour")
    assert right.score == right.max_score
    narrow = marked(part, lambda i, e: matrix_form.causal_mask(min(i.T, 64)))
    assert [finding.check for finding in narrow.findings] == ["many tokens"]


def test_a_mistake_has_its_name() -> None:
    mistake = shown("a mistake in causal_mask", "MISTAKE")
    known = (*matrix_form.CAUSAL_MASK.misconceptions, mistake)
    result = marked(
        replace(matrix_form.CAUSAL_MASK, misconceptions=known), mistake.wrong["visible"]
    )
    (finding,) = result.findings
    assert (finding.misconception, finding.says) == (mistake.name, mistake.says)
    (unnamed,) = marked(matrix_form.CAUSAL_MASK, mistake.wrong["visible"]).findings
    assert unnamed.misconception is None


@pytest.mark.usefixtures("found")
def test_a_family_is_found_and_its_examples_hold() -> None:
    (family,) = (family for family in families.load() if family.__name__.endswith(".signs"))
    assert any(not example.messages for example in family.EXAMPLES)
    assert any(example.messages for example in family.EXAMPLES)
    for k, example in enumerate(family.EXAMPLES):
        check_example(family, k, example)


@pytest.mark.usefixtures("found")
def test_a_format_is_found_and_writes_its_file() -> None:
    written = reports.formats()["lines"].report(Graded((Result("ada", ()),)), reports.Wishes())
    assert written.files == {"lines.txt": "ada 0\n"}
