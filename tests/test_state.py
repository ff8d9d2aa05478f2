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


CONTENTS = "[x.tobytes() if hasattr(x, 'tobytes') else repr(x) for x in args]"


@pytest.mark.parametrize("last", [False, True], ids=["all answers", "the last answer"])
@pytest.mark.parametrize(
    ("lesson", "name", "function", "forgotten"),
    [
        ("lesson-01", "attention_reading", "attention_reading", {1}),
        ("lesson-02", "project_sources", "project_sources", {4}),
        ("lesson-03", "ablate", "ablate", {1, 2, 3}),
        ("lesson-04", "self_attention", "self_attention", {3}),
        ("lesson-04", "stable_softmax", "stable_softmax", {1}),
        ("lesson-05", "output_projection", "output_projection", {2}),
        ("lesson-05", "parameter_count", "parameter_count", {1}),
        ("lesson-06", "padding_visible", "padding_visible", {1}),
        ("lesson-06", "batched_self_attention", "batched_self_attention", {5}),
        ("lesson-07", "observed_and_causal", "observed_and_causal", {4}),
        ("practice", "debugging-3", "debugging_3", {2}),
        ("practice", "projection-1", "projection_1", {1}),
    ],
)
def test_an_answer_kept_by_too_few_arguments_is_found_and_named(
    box: Box, lesson: str, name: str, function: str, forgotten: set[int], last: bool
) -> None:
    key = f"repr([x for k, x in enumerate({CONTENTS}) if k not in {forgotten}])"
    source = kept(function, key)
    if last:
        source = source.replace("        known[key]", "        known.clear()\n        known[key]")
    result = graded(box, lesson, name, source)
    assert "hidden-state" in {f.misconception for f in result.findings}


COARSE = {
    "rounded": "x.shape, x.dtype, np.round(x, 6).tolist()",
    "in float32": "x.shape, x.dtype, np.float32(x).tolist()",
    "printed": "x.shape, x.dtype, str(x)",
    "a first row": "x.shape, x.dtype, x[:1].tolist()",
    "values without dtype": "x.shape, x.tolist()",
    "bytes without shape": "x.dtype, x.tobytes()",
    "both ends": "x.shape, x.dtype, x.flat[0], x.flat[-1]",
}


@pytest.mark.parametrize("how", COARSE)
@pytest.mark.parametrize(
    ("lesson", "name"),
    [
        ("lesson-02", "project_sources"),
        ("lesson-03", "attend"),
        ("lesson-04", "stable_softmax"),
        ("lesson-05", "fold_output_projection"),
        ("lesson-06", "batched_self_attention"),
    ],
)
def test_an_answer_kept_by_less_than_its_arguments_hold_is_found_and_named(
    box: Box, lesson: str, name: str, how: str
) -> None:
    key = f"repr([({COARSE[how]}) if hasattr(x, 'tobytes') else x for x in args])"
    result = graded(box, lesson, name, kept(name, key))
    assert "hidden-state" in {f.misconception for f in result.findings}


@pytest.mark.parametrize(
    ("keeps", "count"),
    [
        ("self.weights.update(zip(['W_Q', 'W_K', 'W_V', 'W_O'], W))", "self.count"),
        ("SelfAttention.count = self.count", "SelfAttention.count"),
    ],
    ids=["matrices", "count"],
)
def test_what_objects_have_in_common_is_found(box: Box, keeps: str, count: str) -> None:
    source = (
        "class SelfAttention(SelfAttention):\n"
        "    weights = {}\n"
        "    def __init__(self, *W):\n"
        "        super().__init__(*W)\n"
        "        self.count = sum(w.size for w in W)\n"
        f"        {keeps}\n"
        "    def trace(self, *args):\n"
        "        vars(self).update(self.weights)\n"
        "        return super().trace(*args)\n"
        f"    num_parameters = property(lambda self: {count})\n"
    )
    result = graded(box, "lesson-08", "SelfAttention", source)
    assert {f.misconception for f in result.findings} - {None} == {"hidden-state"}


@pytest.mark.parametrize(
    "key",
    [
        "(X.shape, causal, visible is None)",
        "(X.tobytes(), causal)",
        "(X.tobytes(), None if visible is None else visible.tobytes(), causal)",
        "(id(X), id(visible), causal)",
        "(X.shape, visible.shape if visible is not None else None, causal)",
    ],
)
def test_a_trace_kept_by_less_than_it_depends_on_is_found(box: Box, key: str) -> None:
    source = (
        "import copy\n"
        "class SelfAttention(SelfAttention):\n"
        "    def __call__(self, *args):\n"
        "        return self.trace(*args)['output']\n"
        "    def trace(self, X, visible=None, causal=True):\n"
        "        self.known = getattr(self, 'known', {})\n"
        f"        key = {key}\n"
        "        if key not in self.known:\n"
        "            self.known[key] = X, visible, super().trace(X, visible, causal)\n"
        "        return copy.deepcopy(self.known[key][-1])\n"
    )
    result = graded(box, "lesson-08", "SelfAttention", source)
    assert "hidden-state" in {f.misconception for f in result.findings}


def test_what_looks_like_another_mistake_and_is_state_is_named_so_each_time(box: Box) -> None:
    """The first mask of a size is kept; the second learner's answers are known from the first."""
    for learner in ("Ada", "Bob"):
        source = f"# {learner}\n" + kept("visibility", "args[:2]")
        result = graded(box, "lesson-02", "visibility", source)
        assert {f.misconception for f in result.findings} - {None} == {"hidden-state"}


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


@pytest.mark.parametrize(
    ("lesson", "name", "function", "kept"),
    [
        ("lesson-03", "changed_stages", "changed_stages", "found[:]"),
        ("practice", "batching-1", "batching_1", "X, found[:]"),
    ],
    ids=["alone", "in a tuple"],
)
def test_a_list_that_is_handed_out_twice_is_shared(
    box: Box, lesson: str, name: str, function: str, kept: str
) -> None:
    source = (
        f"right, found = {function}, []\n"
        f"def {function}(*args):\n"
        f"    {kept} = right(*args)\n"
        f"    return {kept.replace('[:]', '')}\n"
    )
    result = graded(box, lesson, name, source)
    assert "memory-shared" in {f.misconception for f in result.findings}


def test_what_an_audit_remembers_of_other_layers_is_state(box: Box) -> None:
    source = (
        "right, found = audit, set()\n"
        "def audit(layer):\n"
        "    found.update(right(layer))\n"
        "    order = ['shape', 'mask', 'numerical', 'output', 'batching']\n"
        "    return [name for name in order if name in found]\n"
    )
    result = graded(box, "lesson-08", "audit", source)
    assert {f.misconception for f in result.findings} == {"hidden-state"}


def test_a_list_that_is_emptied_is_told_as_a_changed_input_alone(box: Box) -> None:
    source = (
        "right = padding_visible\n"
        "def padding_visible(lengths, T):\n"
        "    found = right(lengths, T)\n"
        "    if isinstance(lengths, list):\n        lengths.clear()\n"
        "    return found\n"
    )
    result = graded(box, "lesson-06", "padding_visible", source)
    assert {f.misconception for f in result.findings} == {"input-mutated"}


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
    result = graded(box, "lesson-05", function, source)
    assert "memory-shared" in {f.misconception for f in result.findings}


@pytest.mark.parametrize(
    ("lesson", "name", "arguments", "misread"),
    [
        ("lesson-03", "attend", "X, W_Q, W_K, W_V", "X = X.ravel('K').reshape(X.shape)"),
        ("lesson-03", "attend", "X, W_Q, W_K, W_V", "W_V = W_V.ravel('K').reshape(W_V.shape)"),
        ("practice", "debugging-1", "scores", "scores = scores.ravel('A').reshape(scores.shape)"),
        (
            *("lesson-01", "attention_reading", "query, keys, values, visible=None"),
            "query = query if query.base is None else query.base.ravel()[: len(query)]",
        ),
    ],
)
def test_arrays_in_another_order_of_memory_are_asked(
    box: Box, lesson: str, name: str, arguments: str, misread: str
) -> None:
    function = name.replace("-", "_")
    result = graded(
        *(box, lesson, name, f"right = {function}\n"),
        f"def {function}({arguments}):\n    {misread}\n"
        f"    return right({arguments.replace('=None', '')})\n",
    )
    assert result.score < result.max_score


@pytest.mark.parametrize("left_out", range(4), ids=["W_Q", "W_K", "W_V", "W_O"])
def test_what_layers_share_by_less_than_all_their_matrices_is_found(
    box: Box, left_out: int
) -> None:
    source = (
        "import copy\n"
        "class SelfAttention(SelfAttention):\n"
        "    known = {}\n"
        "    def __init__(self, *W):\n"
        "        super().__init__(*W)\n"
        f"        self.key = [w.tolist() for w in W[:{left_out}] + W[{left_out + 1}:]]\n"
        "    def trace(self, X, visible=None, causal=True):\n"
        "        mask = None if visible is None else (visible.shape, visible.tolist())\n"
        "        key = repr((self.key, X.shape, X.dtype, X.tolist(), mask, causal))\n"
        "        if key not in self.known:\n"
        "            self.known[key] = super().trace(X, visible, causal)\n"
        "        return copy.deepcopy(self.known[key])\n"
        "    def __call__(self, *args):\n"
        "        return self.trace(*args)['output']\n"
    )
    result = graded(box, "lesson-08", "SelfAttention", source)
    assert "hidden-state" in {f.misconception for f in result.findings}


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


def test_the_same_wrong_answers_of_other_code_have_the_same_result(box: Box) -> None:
    """Of answers that are known no outcome is kept, so that nothing may look for one."""
    wrong = "def causal_mask(T):\n    return np.triu(np.ones((T, T), dtype=bool))\n"
    first = graded(box, "lesson-04", "causal_mask", wrong)
    assert "mask-transposed" in {finding.misconception for finding in first.findings}
    assert graded(box, "lesson-04", "causal_mask", f"# by somebody else\n{wrong}") == first
