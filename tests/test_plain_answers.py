"""Answers as another chapter may ask them: plain numbers and words, constants, entries due 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onehead.grade import mark_outcomes
from onehead.model import Case, Finding, Names, Outcome, Part, Stage
from onehead.stages import compare_stage


def told(want: Any, got: Any, public: bool = True, **part: Any) -> Finding:
    """The finding on an answer where something else is due."""
    stage = Stage("answer", "parameter-count", want=lambda i, e: want)
    asked = Part("p", 1, (stage,), (Case("one", public=public),), **part)
    (finding,) = mark_outcomes(asked, {"one": Outcome("returned", got)}).findings
    return finding


@pytest.mark.parametrize(
    ("want", "got", "message"),
    [
        (1024, 512, "answer is 512, should be 1024"),
        (1024, np.int64(512), "answer is 512, should be 1024"),
        (1024, 1024.0, "answer is 1024.0, should be 1024"),
        ("causal", "full", "answer is 'full', should be 'causal'"),
        ((2, 3), [3, 2], "answer is [3, 2], should be (2, 3)"),
        (True, False, "answer is False, should be True"),
        (0.5, 0.25, "answer is 0.25, should be 0.5"),
    ],
)
def test_plain_data_is_shown_beside_what_is_due(want: Any, got: Any, message: str) -> None:
    assert told(want, got).message == message
    hidden = message[: message.index(", should be")] + ", which is not right"
    assert told(want, got, public=False).message == hidden


@pytest.mark.parametrize(("want", "got"), [(1024, 512), (0.125, 0.25), ("causal", "full")])
def test_what_a_constant_should_be_is_never_told(want: Any, got: Any) -> None:
    finding = told(want, got, probe="value")
    assert finding.message == f"'answer' is {got!r}, which is not right"
    assert (finding.expected, finding.got) == (None, None)


@pytest.mark.parametrize(
    ("want", "got", "kind"),
    [
        (0.1, 0.1, "ok"),
        (0.1, np.float64(0.1), "ok"),
        (np.float64(0.5), 0.5, "ok"),
        (0.1, 0.1 + 1e-12, "ok"),
        (0.1, 0.1 + 1e-6, "value"),
        (0.1, "0.1", "type"),
        ([0.1, 2], (0.1, 2), "ok"),
        ([0.1, 2], [0.1], "shape"),
    ],
)
def test_a_float_is_held_against_the_bound(want: Any, got: Any, kind: str) -> None:
    stage = Stage("x", "numerical", want=lambda i, e: want, allow=lambda i, e, r: np.array(1e-10))
    assert compare_stage(stage, Names(), Names(), got).kind == kind


def test_what_can_not_be_compared_is_told_to_the_author() -> None:
    with pytest.raises(TypeError, match=r"no rule compares dict: what a stage wants is an array"):
        told({"a": 1}, {"a": 1})


def test_a_zero_that_is_due_is_a_hidden_key_only_where_there_are_keys() -> None:
    want, got = np.array([0.0, 2.0]), np.array([-1.0, 2.0])
    message = told(want, got).message
    assert message == "answer[item 0] is -1, should be 0; 1 of 2 entries differ"
