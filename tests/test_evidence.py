"""What a public case shows of a finding, and that a hidden one shows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.test_grade import COURSE, part, solved_cells, solved_then, wrong_attention

from onehead import families
from onehead.evidence import call
from onehead.grade import mark_outcomes
from onehead.model import Error, Evidence, Finding, Names, Outcome, Result
from onehead.reports import jsonl
from onehead.sandbox import Box, Limits

MASKED_AFTER = (
    "stable_softmax(np.where(visible, scores, -np.inf))",
    "stable_softmax(scores) * visible",
)


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits(seconds=5.0), "process") as box:
        yield box


def seen(finding: Finding) -> Evidence:
    assert finding.evidence is not None
    return finding.evidence


def test_a_small_case_shows_its_matrices_and_a_public_one_the_probe(box: Box) -> None:
    result = solved_then(box, wrong_attention(*MASKED_AFTER))
    (finding,) = part(result, "self_attention").findings
    evidence = seen(finding)
    assert (evidence.case, evidence.axes) == ("two tokens", ("query", "key"))
    assert evidence.got is not None and evidence.want is not None
    np.testing.assert_array_equal(evidence.visible, np.tri(2, dtype=bool))
    rows = np.arange(2)[:, None] < 1  # the last row sees all, so it is right
    np.testing.assert_array_equal(evidence.wrong, np.tri(2, dtype=bool) & rows)
    assert evidence.probe.startswith("changed token 3: weights 0 moved by")
    assert "evidence" not in jsonl.to_line(Result("ada", (result,)))


def test_of_a_batch_the_item_that_differs_is_shown(box: Box) -> None:
    source = next(
        cell for cell in solved_cells("06_batch_axis") if "def batched_self_attention" in cell
    )
    spoiled = source.replace("    return {", "    weights[1:] = weights[1:] / 2\n    return {")
    assert spoiled != source
    findings = part(
        solved_then(box, spoiled, lesson="lesson-06"), "batched_self_attention"
    ).findings
    evidence = seen(findings[0])
    assert (evidence.item, evidence.axes) == (1, ("query", "key"))
    assert evidence.got is not None and evidence.got.ndim == 2


@pytest.mark.parametrize("lesson", [name for name in COURSE if name != "review"])
def test_code_that_asks_a_public_case_again_runs(lesson: str) -> None:
    namespace: dict[str, Any] = {}
    for cell in solved_cells(COURSE[lesson].stem):
        if not cell.startswith("check("):
            exec(cell, namespace)
    asked = [
        call(part, case)
        for part in COURSE[lesson].parts
        for case in part.cases
        if case.public and not case.raises
    ]
    assert any(asked)
    for code in filter(None, asked):
        exec(code, dict(namespace))


def outcomes(name: str, hidden: Outcome) -> tuple[Any, dict[str, Outcome]]:
    """A part of lesson 4 whose public cases are right and whose hidden ones come out alike."""
    part = next(part for part in COURSE["lesson-04"].parts if part.name == name)
    right = {}
    for case in families.planned(part):
        want = part.stages[0].want(Names(case.inputs), Names({}))  # type: ignore[misc]
        right[case.name] = Outcome("returned", want) if case.public else hidden
    return part, right


def test_a_hidden_case_shows_neither_its_answer_nor_what_an_error_quotes_of_it() -> None:
    quoting = Error("ValueError", ("ValueError",), "T was 7, and much more", "cell 4", 2)
    part_, answers = outcomes("causal_mask", Outcome("raised", error=quoting))
    (*_, finding) = mark_outcomes(part_, answers).findings
    assert finding.evidence is None
    assert finding.message.endswith("ValueError (cell 4, line 2)")


def test_a_hidden_value_is_not_told() -> None:
    part_, answers = outcomes("stable_softmax", Outcome("returned", np.full((3, 5), 0.25)))
    found = {finding.check: finding for finding in mark_outcomes(part_, answers).findings}
    assert all(f.evidence is None for f in found.values() if f.check != "behaviour")
    assert found["values"].message.startswith("weights has shape (3, 5), should be (4, 3)")
