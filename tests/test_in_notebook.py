"""``check()`` in a notebook: public checks, in the kernel, without a sandbox."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import onehead
import onehead_solutions
from onehead import course, frozen
from onehead.errors import OneheadError
from onehead_release.public import public_data
from onehead_release.solved import solved_notebook

COURSE = {exercise.id: exercise for exercise in onehead_solutions.load()}


def solved(lesson: str) -> dict[str, Any]:
    """The namespace of a solved notebook, whose checks have not been run."""
    namespace: dict[str, Any] = {}
    for cell in solved_notebook(COURSE[lesson].stem).cells:
        if cell.cell_type == "code" and not cell.source.startswith("check("):
            exec(cell.source, namespace)
    return namespace


def checked(namespace: dict[str, Any], part: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()  # what the lesson's own cells have printed
    exec(f"from onehead import check\ncheck({part!r})", namespace)
    return capsys.readouterr().out


@pytest.mark.parametrize("lesson", list(COURSE))
def test_every_part_of_a_solved_notebook_is_right(
    lesson: str, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace = solved(lesson)
    for part in COURSE[lesson].parts:
        assert checked(namespace, part.name, capsys).startswith(f"✓ {part.name}: ")


def test_the_first_cause_is_named_and_grading_is_said_to_ask_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    namespace = solved("lesson-04")
    exec("_right = stable_softmax\ndef stable_softmax(s, axis=-1): return _right(s, -2)", namespace)
    said = checked(namespace, "self_attention", capsys)
    assert "softmax-over-queries" in said
    assert "public checks: grading asks more" in said
    assert 'Hint 1 of 3: a question ▸ check("self_attention", hints=1)' in said


def test_a_part_that_two_lessons_have_is_that_of_the_notebook(
    capsys: pytest.CaptureFixture[str],
) -> None:
    namespace = solved("lesson-07")
    namespace["CLAIMS"] = {"largest-weight": "supported"}
    assert "not answered yet: removal-effect" in checked(namespace, "CLAIMS", capsys)


def test_a_stub_is_not_started(capsys: pytest.CaptureFixture[str]) -> None:
    exec("def causal_mask(T): raise NotImplementedError", namespace := {})
    assert "causal_mask: not started" in checked(namespace, "causal_mask", capsys)


def test_nbgrader_sees_an_error_when_it_validates_and_nothing_when_it_grades(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exec("def causal_mask(T): return None", namespace := {})
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(AssertionError, match="visible"):
        checked(namespace, "causal_mask", capsys)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    capsys.readouterr()
    assert checked(namespace, "causal_mask", capsys) == ""


def test_an_error_keeps_its_message_and_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    source = "import numpy as np\ndef causal_mask(T):\n    return np.ones((T, T)) @ missing\n"
    exec(compile(source, "/somewhere/mine.py", "exec"), namespace := {})
    said = checked(namespace, "causal_mask", capsys)
    assert "NameError: name 'missing' is not defined (mine.py, line 3)" in said


def test_an_unknown_part_is_one_line() -> None:
    with pytest.raises(OneheadError, match="no part is called 'nothing'"):
        onehead.check("nothing")


def test_the_readme_shows_what_a_learner_sees(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    of_a_bundle = frozen.read(public_data(tuple(COURSE.values())))
    monkeypatch.setattr(course, "load", lambda: of_a_bundle)
    root = Path(__file__).parent
    namespace: dict[str, Any] = {}
    exec((root / "golden/mask_after_softmax/04_matrix_form.py").read_text(), namespace)
    assert checked(namespace, "self_attention", capsys) in (root.parent / "README.md").read_text()


def test_a_review_group_is_explained_once_it_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    namespace = solved("review")
    why = "One sequence asks, another one supplies keys and values."
    assert f"translation: {why}" in " ".join(checked(namespace, "DISTINCTIONS", capsys).split())
    namespace["DISTINCTIONS"] = {**namespace["DISTINCTIONS"], "translation": "self"}
    said = " ".join(checked(namespace, "DISTINCTIONS", capsys).split())
    assert why not in said
    assert "translation and causal-writer are not both right: see lesson 2" in said
    assert "reads-later: Which keys a query may read is said by the mask." in said


@pytest.mark.parametrize("absent", ["fcntl", "resource", "pwd", "grp"])
def test_a_check_needs_nothing_that_is_on_unix_alone(absent: str) -> None:
    script = f"import sys; sys.modules[{absent!r}] = None; from onehead import in_notebook"
    subprocess.run([sys.executable, "-c", script], check=True)
