"""Answers that depend on earlier calls, and results that belong to somebody already."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

import onehead_solutions
from onehead import families
from onehead.grade import grade_exercise
from onehead.model import PartResult
from onehead.sandbox import Box, Child, Limits
from onehead.session import Session
from onehead.source import Cell, Source
from onehead_release.solved import solved_notebook

COURSE = {exercise.id: exercise for exercise in onehead_solutions.load()}


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits(), "process") as box:
        yield box


def graded(box: Box, lesson: str, name: str, *sources: str) -> PartResult:
    """The solved notebook with more cells, and what became of one part."""
    exercise = COURSE[lesson]
    solved = [c.source for c in solved_notebook(exercise.stem).cells if c.cell_type == "code"]
    cells = tuple(Cell(f"cell {k}", text) for k, text in enumerate([*solved, *sources], 1))
    parts = grade_exercise(exercise, Source("ok", cells, notebook=True), box).parts
    return next(part for part in parts if part.name == name)


def kept(function: str, key: str) -> str:
    """Cells that make a function's first answer for a key its last."""
    return (
        f"import copy\nimport numpy as np\nright, known = {function}, {{}}\n"
        f"def {function}(*args):\n"
        f"    key = {key}\n"
        "    if key not in known:\n"
        "        known[key] = right(*args)\n"
        "    return copy.deepcopy(known[key])\n"
    )


SHAPES = (
    "tuple(np.shape(x) for x in args) + tuple(str(x.dtype) for x in args if hasattr(x, 'dtype'))"
)


@pytest.mark.parametrize(
    ("lesson", "name", "function"),
    [
        ("lesson-01", "attention_reading", "attention_reading"),
        ("lesson-04", "stable_softmax", "stable_softmax"),
        ("lesson-05", "fold_output_projection", "fold_output_projection"),
        ("lesson-06", "broadcast_visible", "broadcast_visible"),
        ("practice", "masking-3", "masking_3"),
        ("practice", "projection-2", "projection_2"),
        ("practice", "projection-3", "projection_3"),
        ("practice", "debugging-1", "debugging_1"),
        ("practice", "batching-2", "batching_2"),
        ("practice", "interpretation-2", "interpretation_2"),
    ],
)
def test_an_answer_kept_by_shape_is_found_and_named(
    box: Box, lesson: str, name: str, function: str
) -> None:
    result = graded(box, lesson, name, kept(function, SHAPES))
    assert result.score < result.max_score
    assert {f.misconception for f in result.findings} & {"hidden-state", "memory-shared"}


@pytest.mark.parametrize(
    ("lesson", "function", "switch"),
    [("lesson-04", "self_attention", 4), ("lesson-05", "parameter_count", 3)],
)
def test_a_switch_that_is_kept_from_the_call_before_is_found(
    box: Box, lesson: str, function: str, switch: int
) -> None:
    source = (
        f"import numpy as np\nright, known = {function}, {{}}\n"
        f"def {function}(*args):\n"
        f"    sizes = [np.shape(x) or x for x in args[:{switch}]]\n"
        "    if known.get('sizes') != sizes:\n"
        f"        known.update(sizes=sizes, switch=args[{switch}:])\n"
        f"    return right(*args[:{switch}], *known['switch'])\n"
    )
    result = graded(box, lesson, function, source)
    assert "hidden-state" in {f.misconception for f in result.findings}


def test_a_wrong_answer_without_state_is_not_called_so(box: Box) -> None:
    source = "def stable_softmax(scores, axis=-1):\n    return scores * 0.0 + 0.123\n"
    result = graded(box, "lesson-04", "stable_softmax", source)
    assert "hidden-state" not in {f.misconception for f in result.findings}


def test_a_list_that_is_handed_out_twice_is_shared(box: Box) -> None:
    source = (
        "right, found = changed_stages, []\n"
        "def changed_stages(*args):\n    found[:] = right(*args)\n    return found\n"
    )
    result = graded(box, "lesson-03", "changed_stages", source)
    assert "memory-shared" in {f.misconception for f in result.findings}


def test_results_of_one_object_share_no_memory(box: Box) -> None:
    source = (
        "class SelfAttention(SelfAttention):\n"
        "    def trace(self, X, visible=None, causal=True):\n"
        "        found = super().trace(X, visible, causal)\n"
        "        if getattr(self, 'out', found['output'][:0]).shape != found['output'].shape:\n"
        "            self.out = found['output']\n"
        "        self.out[...] = found['output']\n"
        "        return {**found, 'output': self.out}\n"
        "    def __call__(self, *args):\n        return self.trace(*args)['output']\n"
    )
    result = graded(box, "lesson-08", "SelfAttention", source)
    assert "memory-shared" in {f.misconception for f in result.findings}


@pytest.mark.parametrize(
    ("function", "kept", "other"),
    [
        ("output_projection", 0, 1),
        ("fold_output_projection", 0, 1),
        ("fold_output_projection", 1, 0),
    ],
)
def test_a_short_cut_that_gives_an_input_back_is_found(
    box: Box, function: str, kept: int, other: int
) -> None:
    source = (
        f"import numpy as np\nright = {function}\n"
        f"def {function}(*args):\n"
        f"    neutral = (args[{other}] == np.eye(*args[{other}].shape)).all()\n"
        f"    return args[{kept}] if neutral else right(*args)\n"
    )
    (finding,) = graded(box, "lesson-05", function, source).findings
    assert finding.misconception == "memory-shared"


def test_other_entries_of_the_same_shapes_are_asked_wherever_arrays_may_be_turned() -> None:
    for exercise in COURSE.values():
        for part in exercise.parts:
            arrays = part.probe != "value" and any(
                hasattr(value, "shape") for value in part.cases[0].inputs.values()
            )
            twins = [c for c in families.planned(part) if c.name.endswith("other entries")]
            assert bool(twins) == (arrays and part.turns) or not arrays, part.name


@pytest.mark.parametrize(
    "refuses",
    [
        "X.shape[-2] == 1",
        "X.shape[-2] == 1 and not causal",
        "visible is not None and visible.ndim < X.ndim",
        "visible is not None and not causal",
    ],
)
def test_an_error_in_a_call_that_goes_along_is_no_state(box: Box, refuses: str) -> None:
    result = graded(
        box,
        "lesson-08",
        "SelfAttention",
        "class Picky(SelfAttention):\n"
        "    def trace(self, X, visible=None, causal=True):\n"
        f"        if {refuses}:\n"
        "            raise ValueError('no')\n"
        "        return super().trace(X, visible, causal)\n"
        "SelfAttention = Picky\n",
    )
    assert result.score < result.max_score
    assert "hidden-state" not in {f.misconception for f in result.findings}


def test_a_changed_input_is_told_beside_a_mistake_of_the_same_check(box: Box) -> None:
    """A part without a check of behaviour has one finding for both: it is not the mistake alone."""
    result = graded(
        box,
        "practice",
        "debugging-1",
        "def debugging_1(scores):\n"
        "    scores -= scores.max(-1, keepdims=True)\n"
        "    e = np.exp(scores)\n"
        "    return e / e.sum(-1, keepdims=True)\n",
    )
    assert "input-mutated" in {f.misconception for f in result.findings}


def test_a_process_that_was_asked_something_alone_is_not_trusted_afterwards(box: Box) -> None:
    """What the call left behind, such as an alarm, may end it: a fresh one has all definitions."""
    exercise = COURSE["lesson-04"]
    part = next(part for part in exercise.parts if part.name == "causal_mask")
    source = "import numpy as np\n\ndef causal_mask(T):\n    return np.tri(T) > 0\n"
    with Session(Source("ok", (Cell("cell 1", source),)), box) as session:
        assert session.asked_first(part, part.cases[0]) is not None
        assert isinstance(session._child, Child)
        os.kill(session._child._pid, signal.SIGTERM)
        assert session.defines("causal_mask")
        assert session.died
