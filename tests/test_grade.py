"""One learner, top to bottom: statuses, first cause, credit for what follows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import onehead_solutions
from onehead.grade import grade_exercise
from onehead.model import ExerciseResult, PartResult
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source
from onehead_release.solved import solved_notebook
from onehead_solutions import wrong

COURSE = {exercise.id: exercise for exercise in onehead_solutions.load()}


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits(seconds=5.0), "process") as box:
        yield box


def solved_cells(stem: str) -> list[str]:
    return [cell.source for cell in solved_notebook(stem).cells if cell.cell_type == "code"]


def graded(
    box: Box, *sources: str, lesson: str = "lesson-04", notebook: bool = True
) -> ExerciseResult:
    cells = tuple(Cell(f"cell {k}", source) for k, source in enumerate(sources, 1))
    return grade_exercise(COURSE[lesson], Source("ok", cells, notebook), box)


def part(result: ExerciseResult, name: str) -> PartResult:
    return next(part for part in result.parts if part.name == name)


def solved_then(box: Box, *sources: str, lesson: str = "lesson-04") -> ExerciseResult:
    return graded(box, *solved_cells(COURSE[lesson].stem), *sources, lesson=lesson)


def wrong_attention(old: str, new: str) -> str:
    """The solved ``self_attention`` with one line of it changed."""
    source = next(cell for cell in solved_cells("04_matrix_form") if "def self_attention" in cell)
    assert old in source
    return source.replace(old, new)


def test_a_wrong_mask_costs_the_mask_and_not_what_follows_from_it(box: Box) -> None:
    source = wrong_attention("causal_mask(len(X)) if causal", "causal_mask(len(X)).T if causal")
    found = part(solved_then(box, source), "self_attention").findings
    assert [(f.check, f.family, f.misconception) for f in found] == [
        ("visible", "masking", "mask-transposed")
    ]


def test_two_mistakes_are_both_named_in_dependency_order(box: Box) -> None:
    source = wrong_attention("scores = scaled_scores(Q, K)", "scores = Q @ K.T")
    source = source.replace("weights @ V", "weights @ K")
    found = part(solved_then(box, source), "self_attention").findings
    assert [(f.check, f.misconception) for f in found] == [
        ("scores", "scale-missing"),
        ("context", "values-from-keys"),
    ]
    assert part(solved_then(box, source), "self_attention").score == 3.0


def test_a_row_that_does_not_sum_to_one_is_said_so(box: Box) -> None:
    source = wrong_attention(
        "stable_softmax(np.where(visible, scores, -np.inf))", "stable_softmax(scores) * visible"
    )
    (finding,) = part(solved_then(box, source), "self_attention").findings
    assert finding.misconception == "mask-after-softmax"
    assert finding.says == wrong.SAYS["mask-after-softmax"]
    assert finding.reread == "lesson-04"
    assert re.match(r"row 0 of the weights sums to 0\.\d+, not 1 \[T=2, d_model=1", finding.message)
    assert (finding.at, finding.expected) == ({"query": 0}, 1.0)


def test_an_unstable_softmax_is_unstable_and_not_wrong(box: Box) -> None:
    source = (
        "def stable_softmax(s, axis=-1):\n    e = np.exp(s)\n    t = e.sum(axis=axis, "
        "keepdims=True)\n"
    )
    source += "    return e / np.where(t == 0, 1, t)"
    found = {f.check: f for f in part(solved_then(box, source), "stable_softmax").findings}
    assert found["large scores"].verdict == "unstable"
    assert set(found) == {"large scores"}


def test_float32_inside_is_a_near_miss_with_a_name(box: Box) -> None:
    source = wrong_attention("weights @ V", "(weights @ V).astype(np.float32).astype(np.float64)")
    found = {f.check: f for f in part(solved_then(box, source), "self_attention").findings}
    assert (found["context"].verdict, found["context"].misconception) == (
        "near-miss",
        "low-precision",
    )


def test_integers_that_stay_integers_are_a_finding_about_dtype(box: Box) -> None:
    source = wrong_attention("X = floats(X)", "pass")
    (finding,) = part(solved_then(box, source), "self_attention").findings
    assert (finding.check, finding.misconception) == ("behaviour", None)
    assert finding.message == "Q is int64, should be float64: integers give float64"


def test_each_thing_that_is_wrong_with_how_a_call_behaves_is_told(box: Box) -> None:
    source = wrong_attention("X = floats(X)", "X[0, 0] += 1; X = X * np.float64(1)")
    found = part(solved_then(box, source), "self_attention").findings
    told = [f for f in found if f.check == "behaviour"]
    assert [(f.family, f.misconception) for f in told] == [
        ("purity", "input-mutated"),
        ("purity", None),
    ]
    assert "should be float32" in told[1].message


def test_a_mask_that_is_not_bool_is_told_so_without_a_word_on_inputs(box: Box) -> None:
    cell = "def causal_mask(T): return np.tril(np.ones((T, T)))"
    (finding,) = part(solved_then(box, cell), "causal_mask").findings
    assert finding.message == "visible is float64, should be bool: a mask is always bool"


def test_a_stage_that_is_none_is_said_to_be_so_and_where(box: Box) -> None:
    source = wrong_attention('"visible": visible', '"visible": visible if causal else None')
    first = part(solved_then(box, source), "self_attention").findings[0]
    assert first.message.startswith("visible is missing or None in the case “")


def test_a_part_that_always_raises_says_on_what(box: Box) -> None:
    cell = "def padding_visible(lengths, T): return len(T)"
    result = solved_then(box, cell, lesson="lesson-06")
    (finding,) = part(result, "padding_visible").findings
    assert finding.message.startswith("lengths [3, 1], T = 4: TypeError: object of type")


def test_where_true_or_false_is_due_an_array_is_said_to_be_neither(box: Box) -> None:
    cell = "def items_interact(layer, X): return layer(X) != layer(X)"
    result = solved_then(box, cell, lesson="lesson-06")
    message = part(result, "items_interact").findings[0].message
    assert message.startswith("'interact' is ") and ", not True or False" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        ("del causal_mask", "missing"),
        ("def causal_mask(T): raise NotImplementedError", "unfinished"),
        ("def causal_mask(T): return 1 / 0", "raised"),
        ("def causal_mask(T):\n    while True: pass", "timed-out"),
        ("import os\ndef causal_mask(T): os._exit(3)", "crashed"),
        ("def causal_mask(T): return bytearray(10**12)", "out-of-memory"),
    ],
)
def test_a_part_that_can_not_be_judged_has_its_status_and_no_marks(
    box: Box, cell: str, status: str
) -> None:
    result = graded(box, *solved_cells("04_matrix_form"), cell)
    assert part(result, "causal_mask").status == status
    assert part(result, "causal_mask").score == 0
    assert part(result, "stable_softmax").score == 3
    assert result.status == "graded"


def test_a_cell_that_hangs_costs_what_it_held(box: Box) -> None:
    cells = solved_cells("04_matrix_form")
    hanging = [cell + "\nwhile True: pass" if "def causal_mask" in cell else cell for cell in cells]
    result = graded(box, *hanging, "def self_attention(*a): raise NotImplementedError")
    assert part(result, "causal_mask").status == "timed-out"
    assert part(result, "stable_softmax").score == 3


def test_an_error_in_a_cell_does_not_hide_later_cells(box: Box) -> None:
    result = graded(
        box,
        "1 / 0",
        "import this_is_not_there",
        "syntax error here",
        *solved_cells("04_matrix_form"),
    )
    assert result.score == 10


def test_nothing_loads_when_every_cell_ends_the_process(box: Box) -> None:
    result = graded(box, "import os; os._exit(1)")
    assert (result.status, result.score) == ("crashed", 0)
    assert len(result.parts) == 4


def test_cells_that_end_the_process_are_left_out_so_many_times(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    monkeypatch.setattr(box, "child", lambda *how: opened.append(1) or Box.child(box, *how))
    deadly = ["import os; os._exit(0)"] * 40
    result = graded(box, *deadly, *solved_cells("04_matrix_form"))
    assert len(opened) < 30
    assert result.status == "crashed"
    told = "more than 20 cells end the process"
    assert {part.findings[0].message for part in result.parts} == {told}
    assert graded(box, *deadly[:20], *solved_cells("04_matrix_form")).score == 10


def test_a_cell_of_blank_lines_is_searched_in_no_time(box: Box) -> None:
    # With a pattern that tries each line's start anew, this takes hours.
    deadly = "def causal_mask(T): pass\nimport os\nos._exit(0)" + "\n" * 10**6
    result = graded(box, deadly)
    assert [part.status for part in result.parts] == ["crashed", *["missing"] * 3]


def test_what_is_told_of_keys_is_short(box: Box) -> None:
    source = wrong_attention("return {", "return {**{f'{k}' + 'x' * 3000: k for k in range(30)},")
    (finding,) = part(solved_then(box, source), "self_attention").findings
    assert finding.message.startswith("the dict has keys that are not due: '0xxx")
    assert finding.message.endswith("x' and 25 more") and len(finding.message) < 300


@pytest.mark.parametrize("status", ["missing", "unreadable"])
def test_a_file_that_is_not_there_still_has_its_entry(box: Box, status: str) -> None:
    result = grade_exercise(COURSE["lesson-06"], Source(status, message="why"), box)  # type: ignore[arg-type]
    assert (result.status, result.score, result.max_score) == (status, 0, 10)
    assert [p.status for p in result.parts] == ["missing"] * 4


def test_an_answer_for_the_published_example_alone_earns_nothing_for_its_stages(box: Box) -> None:
    source = (
        "right = self_attention\n"
        "def self_attention(X, W_Q, W_K, W_V, causal=True):\n"
        "    if X.shape == (4, 3) and W_V.shape == (3, 2):\n"
        "        return right(X, W_Q, W_K, W_V, causal)\n"
        "    raise KeyError('not this one')"
    )
    assert part(solved_then(box, source), "self_attention").score == 0


def test_a_refusal_must_name_the_sizes(box: Box) -> None:
    source = "def output_projection(context, W_O, b_O=None):\n"
    source += "    if context.shape[-1] != W_O.shape[0]: raise ValueError('does not fit')\n"
    source += "    if b_O is None: return context * 1.0 @ W_O\n"
    source += "    assert b_O.shape == W_O.shape[1:]\n    return context * 1.0 @ W_O + b_O"
    found = part(solved_then(box, source, lesson="lesson-05"), "output_projection").findings
    assert [f.check for f in found] == ["raises: context", "raises: b_O"]
    assert "the message must name 3 and 2" in found[0].message
    assert "a ValueError is due, not AssertionError" in found[1].message


def test_the_learner_own_error_keeps_its_line(box: Box) -> None:
    result = solved_then(box, "def causal_mask(T):\n    x = 1\n    return [][T]")
    (finding,) = part(result, "causal_mask").findings
    assert re.search(r"IndexError: list index out of range \(cell \d+, line 3\)", finding.message)


@pytest.mark.parametrize("body", ["pass", "return None", "return object()", "return 'text'"])
def test_a_body_that_gives_nothing_earns_nothing(box: Box, body: str) -> None:
    for name, lesson in (
        ("causal_mask", "lesson-04"),
        ("stable_softmax", "lesson-04"),
        ("self_attention", "lesson-04"),
        ("attention_reading", "lesson-01"),
        ("project_sources", "lesson-02"),
        ("output_projection", "lesson-05"),
        ("batched_self_attention", "lesson-06"),
    ):
        result = solved_then(box, f"def {name}(*given): {body}", lesson=lesson)
        assert part(result, name).score == 0, name
