"""New chapters and exercises: nothing is overwritten, and names that can't be used are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from onehead import course
from onehead.errors import OneheadError
from onehead.grade import mark_outcomes
from onehead.model import Error, Outcome
from onehead_release import new
from onehead_release.chapter import Chapter, chapter
from onehead_release.new import NewExercise

HEADS = NewExercise("heads", "Several heads", "split_heads", 3)


class Elsewhere(Chapter):
    """The chosen course, as if its package lay in another folder."""

    place: Path

    @property
    def folder(self) -> Path:
        return self.place


@pytest.fixture
def empty(tmp_path: Path) -> Chapter:
    course = Elsewhere("heads", "heads_solutions:load", "heads", ())
    object.__setattr__(course, "place", tmp_path)
    return course


def test_an_exercise_is_four_files(empty: Chapter, tmp_path: Path) -> None:
    written = new.exercise(empty, HEADS)
    assert [path.relative_to(tmp_path).as_posix() for path in written.paths] == [
        "exercises/01_heads.py",
        "heads.py",
        "bank/right/plain/01_heads.py",
        "bank/wrong/scale-missing/heads.py",
    ]
    assert written.following == ("onehead selftest --exercise heads",)
    for path in written.paths:
        compile(path.read_text(), path, "exec")


def test_the_template_refuses_an_answer_that_leaves_the_sizes_to_numpy(empty: Chapter) -> None:
    module = new.exercise(empty, HEADS).paths[1]
    made: dict[str, Any] = {}
    exec(compile(module.read_text(), module, "exec"), made)
    (part,) = made["EXERCISE"].parts

    def unchecked(X: np.ndarray, W: np.ndarray) -> np.ndarray:
        return np.asarray(X @ W / math.sqrt(len(W)))

    def marked(answer: Callable[..., np.ndarray]) -> list[str]:
        outcomes = {}
        for case in part.cases:
            try:
                outcomes[case.name] = Outcome("returned", answer(**case.inputs))
            except ValueError as error:
                said = Error("ValueError", ("ValueError",), str(error))
                outcomes[case.name] = Outcome("raised", error=said)
        return [finding.check for finding in mark_outcomes(part, outcomes).findings]

    assert marked(made["split_heads"]) == []
    assert marked(unchecked) == ["raises: sizes"]


def test_where_one_file_is_there_none_is_written(empty: Chapter, tmp_path: Path) -> None:
    (tmp_path / "bank" / "right" / "plain").mkdir(parents=True)
    mine = tmp_path / "bank" / "right" / "plain" / "01_heads.py"
    mine.write_text("mine")
    with pytest.raises(
        OneheadError, match=r"01_heads\.py' is there already and nothing was written"
    ):
        new.exercise(empty, HEADS)
    assert mine.read_text() == "mine"
    assert not (tmp_path / "heads.py").exists()


def test_a_chapter_that_is_there_stays(tmp_path: Path) -> None:
    folder = tmp_path / "multi-head"
    new.chapter(folder, 'Heads, "several"')
    (folder / "pyproject.toml").write_text("mine")
    with pytest.raises(OneheadError, match="is there already"):
        new.chapter(folder, "Heads")
    assert (folder / "pyproject.toml").read_text() == "mine"


@pytest.mark.parametrize("name", ["Multi", "multi_head", "1head", "onehead", "multi--head"])
def test_a_chapter_needs_a_name_for_a_package(tmp_path: Path, name: str) -> None:
    with pytest.raises(OneheadError, match=f"'{name}' is no name for a chapter"):
        new.chapter(tmp_path / name, "Heads")
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": "Two Heads"}, "'Two Heads' is no name for an exercise"),
        ({"name": "class"}, "'class' is no name for an exercise"),
        ({"part": "split-heads"}, "'split-heads' is no name for a part"),
        ({"points": 0.0}, "0 points can't be given"),
        ({"points": float("nan")}, "nan points can't be given"),
        ({"title": " "}, "a title is needed"),
        ({"name": "review"}, "has an exercise 'review' already"),
    ],
)
def test_what_can_not_be_used_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(OneheadError, match=said):
        new.exercise(chapter(), replace(HEADS, **wrong))  # type: ignore[arg-type]


def test_a_copy_of_a_course_is_not_written_to(empty: Chapter, tmp_path: Path) -> None:
    object.__setattr__(empty, "place", tmp_path / "site-packages" / "heads_solutions")
    with pytest.raises(OneheadError, match="pip install -e"):
        new.exercise(empty, HEADS)


# --- which course ------------------------------------------------------------------------


def point(name: str, distribution: str) -> EntryPoint:
    found = EntryPoint(name, f"{name.replace('-', '_')}_solutions:load", course.GROUP)
    return found._for(SimpleNamespace(name=distribution))  # type: ignore[attr-defined, no-any-return]


OWN, HEADS_POINT, MASKS_POINT = (
    point("self-attention", "onehead"),
    point("multi-head", "multi-head"),
    point("masks", "masks"),
)


@pytest.mark.parametrize(
    ("installed", "wish", "due"),
    [
        ([OWN], None, "self-attention"),
        ([OWN, HEADS_POINT], None, "multi-head"),
        ([OWN, HEADS_POINT], "self-attention", "self-attention"),
        ([HEADS_POINT, MASKS_POINT], "masks", "masks"),
    ],
)
def test_the_course_that_is_meant(
    installed: list[EntryPoint], wish: str | None, due: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "entry_points", lambda group: installed)
    monkeypatch.delenv(course.CHOICE, raising=False)
    if wish is not None:
        monkeypatch.setenv(course.CHOICE, wish)
    meant = course.chosen()
    assert meant is not None
    assert meant.name == due


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("", r"more than one course is installed \(masks, multi-head, self-attention\)"),
        ("maks", "asks for the course 'maks', which is not installed; there are: masks, multi"),
    ],
)
def test_a_course_that_is_open_or_not_there_is_no_guess(
    wish: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "entry_points", lambda group: [OWN, HEADS_POINT, MASKS_POINT])
    monkeypatch.setenv(course.CHOICE, wish)
    with pytest.raises(OneheadError, match=said):
        course.chosen()
