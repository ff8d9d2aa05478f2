"""What a learner is told: the chain, the first cause, pictures, hints; and what is never told."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import onehead_solutions
from onehead import explain, hints
from onehead.marks import checks
from onehead.model import Evidence, ExerciseResult, Finding, PartResult
from onehead.recognise import GENERAL
from onehead.render import html, text
from onehead.render.document import Chain, Document
from onehead.wording import NOT_REACHED

CHECKS = ("Q", "K", "V", "scores", "visible", "weights", "context", "behaviour")
COURSE = onehead_solutions.load()
WEIGHTS = np.array([[0.75, 0.25], [0.5, 0.5]])
SEEN = Evidence(
    "two tokens",
    "X = np.ones((2, 1))\nattend(X)",
    "changed token 1: weights 0 moved by 0.25, must be 0 [T=2]",
    ("query", "key"),
    got=WEIGHTS,
    want=np.array([[1.0, 0.0], [0.5, 0.5]]),
    wrong=np.array([[True, True], [False, False]]),
    visible=np.tri(2, dtype=bool),
)
LEAK = Finding(
    "weights",
    "masking",
    "weights",
    "wrong",
    f"weights[query 0, key 1] is 0.25, must be exactly 0 [T=2]; {SEEN.probe}",
    misconception="mask-missing",
    says="Nothing is hidden: every query reads every key.",
    reread="lesson-04",
    evidence=SEEN,
)
LATER = Finding("context", "shape", "context", "wrong", f"context {NOT_REACHED}")


def part(*findings: Finding, status: str = "graded") -> PartResult:
    return PartResult("attend", status, 1.0, 2.0, CHECKS, findings)  # type: ignore[arg-type]


def told(part: PartResult) -> str:
    """A part's report in one line, its first hint open."""
    return " ".join(text.render(explain.part_document(part, opened=1)).split())


def said(document: Document, unfold: bool = False) -> str:
    return text.render(document, unfold=unfold)


def test_the_report_word_for_word() -> None:
    how = 'check("attend", hints=1)'
    assert said(explain.part_document(part(LEAK, LATER), how=how)).splitlines() == [
        "✗ attend: 6 of 8 checks are right",
        "X → Q✓ K✓ V✓ → scores✓ → visible✓ → weights✗ → context–",
        "What has a – was not reached: mend what comes before it.",
        "  First cause: weights.",
        "  It looks like mask-missing: Nothing is hidden: every query reads every key.",
        "  weights[query 0, key 1] is 0.25, must be exactly 0 [T=2]",
        "  Probe: changed token 1: weights 0 moved by 0.25, must be 0",
        "  In the public case “two tokens”:",
        "  yours                       expected                yours minus expected",
        "  query \\ key      0      1   query \\ key    0    1   query \\ key     0     1",
        "            0 ● 0.75  ×0.25             0 1.00    ×             0 -0.25 +0.25",
        "            1   0.50   0.50             1 0.50 0.50             1     ·     ·",
        "  ● differs; × hidden         × hidden                · right",
        "  what yours reads             what is visible",
        "  query \\ key  0  1            query \\ key 0 1",
        "            0  ● ✗●                      0 ● ·",
        "            1  ●  ●                      1 ● ●",
        "  ● True, · False; ✗ differs   ● True, · False",
        "  To reread: lesson 4.",
        '  Hint 1 of 3: a question ▸ check("attend", hints=1)',
        "▸ not reached: context",
        "Right already: Q, K, V, scores, visible, behaviour.",
    ]


def test_what_was_not_reached_is_not_called_wrong() -> None:
    dtype = Finding("behaviour", "purity", "Q", "wrong", "Q is int64, should be float64")
    more = said(explain.part_document(part(LEAK, dtype, LATER))).splitlines()
    assert "▸ 1 more check is not right yet: behaviour; not reached: context" in more


def test_choices_have_hints_of_their_own() -> None:
    wrong = Finding("answers", "interpretation", None, "wrong", "not all of the answers are right")
    assert hints.hints(wrong) == hints.ANSWERS
    form = replace(wrong, message="not answered yet: mask")
    assert hints.hints(form) == hints.FAMILIES["shape"]


def test_hints_stand_behind_each_other() -> None:
    page = html.render(explain.part_document(part(LEAK)))
    question, where, idea = hints.MISTAKES["mask-missing"]
    folds = re.findall(r"<summary>([^<]*)</summary>", page)
    assert folds == [
        "This case as code",
        "Hint 1 of 3: a question",
        "Hint 2 of 3: where to look",
        "Hint 3 of 3: the idea",
    ]
    assert page.index(html.shown(question)) < page.index("Hint 2") < page.index(html.shown(idea))
    opened = said(explain.part_document(part(LEAK), opened=2))
    assert where.split()[0] in opened and "▸ Hint 3 of 3: the idea" in opened
    assert "Hint" not in said(explain.part_document(part(LEAK), opened=None))


def test_states_are_told_by_glyph_and_word() -> None:
    chain = explain.chain(part(LEAK, LATER))
    assert isinstance(chain, Chain)
    page = html.render((chain,))
    assert 'title="not right yet">weights ✗' in page
    assert 'title="not reached">context –' in page
    assert explain.chain(replace(part(), checks=("weights", "behaviour"))) is None


@pytest.mark.parametrize(
    ("status", "message", "lines"),
    [
        ("unfinished", "", ["– attend: not started"]),
        ("missing", "attend is not defined", ["– attend: not defined"]),
        (
            "raised",
            "NameError: name 'W' is not defined (cell 4, line 2)",
            [
                "✗ attend: raises an error",
                "  NameError: name 'W' is not defined (cell 4, line 2)",
                "  ▸ Hint 1 of 3: a question",
            ],
        ),
    ],
)
def test_what_could_not_be_judged(status: str, message: str, lines: list[str]) -> None:
    findings = (Finding("Q", "projection", None, "wrong", message),) if message else ()
    assert said(explain.part_document(part(*findings, status=status))).splitlines() == lines


def test_a_later_trace_of_the_same_mistake_is_said_in_a_line() -> None:
    other = replace(LEAK, check="context", message="context[query 0] is off", evidence=None)
    report = said(explain.part_document(part(LEAK, other)), unfold=True)
    assert report.count("It looks like") == 1
    assert "context. context[query 0] is off" in report


def test_a_right_part_is_one_line_and_the_chain() -> None:
    assert said(explain.part_document(part())).splitlines() == [
        "✓ attend: 8 of 8 checks are right",
        "X → Q✓ K✓ V✓ → scores✓ → visible✓ → weights✓ → context✓",
    ]


def test_of_an_exercise_the_first_part_that_was_tried_is_open() -> None:
    not_started = replace(part(status="unfinished"), name="first")
    second = replace(part(LEAK), name="second")
    third = replace(part(LEAK), name="third")
    exercise = ExerciseResult("lesson-99", "graded", 6.0, (not_started, second, third))
    lines = said(explain.exercise_document(exercise, "A Title")).splitlines()
    assert lines[:3] == [
        "lesson 99 · A Title",
        "– first: not started",
        "✗ second: 7 of 8 checks are right",
    ]
    assert lines[-2:] == [
        "✗ third: 7 of 8 checks are right",
        "  first cause: weights, which looks like mask-missing",
    ]


def test_progress_counts_parts() -> None:
    exercise = ExerciseResult("lesson-01", "graded", 2.0, (part(), part(LEAK)))
    document = explain.progress_document([exercise], {"lesson-01": "One", "lesson-02": "Two"})
    assert said(document).splitlines() == [
        "Exercise  Title     Right",
        "lesson 1  One      1 of 2",
        "lesson 2  Two    not here",
        "[##########..........] 1 of 2 parts are right",
    ]


def test_what_is_wrong_with_one_check_in_several_ways_counts_once() -> None:
    twice = [Finding("behaviour", "purity", None, "wrong", said) for said in ("one", "two")]
    assert "1 more check is not right yet: behaviour" in told(part(LEAK, *twice))
    assert "More that is not right yet: behaviour" in told(part(*twice))


def test_an_error_that_stops_a_part_has_hints() -> None:
    stopped = Finding("Q", "shape", None, "wrong", "plain: ValueError: no (cell 2, line 7)")
    assert hints.ERRORS[0] in told(part(stopped, status="raised"))


# --- hints -------------------------------------------------------------------------------


def test_every_check_of_the_course_has_hints() -> None:
    for exercise in COURSE:
        for part_ in exercise.parts:
            for stage in part_.stages:
                finding = Finding(stage.name, stage.family, stage.name, "wrong", "is not right")
                assert len(set(hints.hints(finding))) == len(hints.STEPS)
            assert checks(part_)


def test_hints_are_for_names_that_there_are() -> None:
    names = {m.name for e in COURSE for part_ in e.parts for m in part_.misconceptions}
    assert set(hints.MISTAKES) <= names | set(GENERAL)


def test_hints_are_a_question_a_place_and_an_idea_and_never_code() -> None:
    ladders = [*hints.MISTAKES.values(), *hints.STAGES.values(), *hints.FAMILIES.values()]
    ladders += [hints.ERRORS, hints.SHAPES, hints.MASK_SHAPES, hints.NON_FINITE]
    for question, where, idea in [*ladders, hints.DTYPES, hints.CHOICES]:
        assert question.endswith("?")
        assert where.endswith((".", "?")) and idea.endswith(".")
        for hint in (question, where, idea):
            assert not re.search(r"@|np\.|\(axis|keepdims|swapaxes|\.T\b|==|\[|\bdef\b", hint)


@pytest.mark.parametrize(
    ("finding", "ladder"),
    [
        (LEAK, hints.MISTAKES["mask-missing"]),
        (replace(LEAK, misconception=None), hints.STAGES["weights"]),
        (replace(LEAK, misconception="a name without hints"), hints.STAGES["weights"]),
        (Finding("Q", "shape", "Q", "wrong", "Q has shape (2,), should be (2, 2)"), hints.SHAPES),
        (
            Finding("visible", "shape", "visible", "wrong", "visible has shape (2, 2), should be"),
            hints.MASK_SHAPES,
        ),
        (
            Finding("behaviour", "purity", "Q", "wrong", "Q is int64: integers give float64"),
            hints.DTYPES,
        ),
        (
            Finding("step 2", "audit", None, "wrong", "step 2 is not right: see lesson 8"),
            hints.CHOICES,
        ),
        (
            Finding("behaviour", "shape", None, "wrong", "a case: KeyError: 'x' (cell 2, line 7)"),
            hints.ERRORS,
        ),
        (
            Finding("behaviour", "shape", None, "wrong", "a case: KeyError (cell 2, line 7)"),
            hints.ERRORS,
        ),
        (
            Finding("weights", "numerical", "weights", "wrong", "4 of 12 that are NaN or infinite"),
            hints.NON_FINITE,
        ),
        (
            Finding("scores", "numerical", "scores", "wrong", "3 of 9 that are NaN or infinite"),
            hints.MISTAKES["scores-masked"],
        ),
        (
            Finding("behaviour", "shape", None, "wrong", "the dict lacks 'Q'"),
            hints.FAMILIES["shape"],
        ),
        (
            Finding("total", "parameter-count", "total", "wrong", "'total' is 3"),
            hints.FAMILIES["parameter-count"],
        ),
    ],
)
def test_the_hints_that_fit_best(finding: Finding, ladder: hints.Hints) -> None:
    assert hints.hints(finding) == ladder
