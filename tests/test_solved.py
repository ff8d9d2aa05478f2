"""Submissions made from the references, marked by the grader itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import onehead_solutions
from onehead.errors import OneheadError
from onehead.grade import grade_exercise
from onehead.model import Exercise, ExerciseResult
from onehead.sandbox import Box, Limits
from onehead.submission import SubmissionFolder, read
from onehead_release.notebook import cell_ids
from onehead_release.solved import (
    Form,
    Kind,
    global_names,
    literal,
    solved_notebook,
    stems,
    untouched_notebook,
    without_annotations,
    write_submission,
)

COURSE = {exercise.stem: exercise for exercise in onehead_solutions.load()}
each_stem = pytest.mark.parametrize("stem", COURSE)
each_form = pytest.mark.parametrize("form", ["ipynb", "py"])


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(Limits()) as box:
        yield box


def graded(exercise: Exercise, folder: Path, kind: Kind, form: Form, box: Box) -> ExerciseResult:
    write_submission(folder / "learner", kind, form, [exercise.stem])
    submission = read(SubmissionFolder("learner", folder, ("learner",)), [exercise.stem])
    return grade_exercise(exercise, submission.sources[exercise.stem], box)


@each_form
@each_stem
def test_the_solved_file_gets_full_marks(stem: str, form: Form, tmp_path: Path, box: Box) -> None:
    result = graded(COURSE[stem], tmp_path, "solved", form, box)
    assert result.status == "graded"
    failed = [finding for part in result.parts for finding in part.findings]
    assert failed == []
    assert result.score == result.max_score == COURSE[stem].points


@each_form
@each_stem
def test_the_untouched_file_gets_nothing(stem: str, form: Form, tmp_path: Path, box: Box) -> None:
    result = graded(COURSE[stem], tmp_path, "untouched", form, box)
    assert result.score == 0
    assert {part.status for part in result.parts} == {"unfinished"}


@each_stem
def test_only_the_stubs_differ_from_the_released_notebook(stem: str) -> None:
    released = untouched_notebook(stem)
    solved = solved_notebook(stem)
    assert cell_ids(solved) == cell_ids(released)
    changed = {
        after.id
        for before, after in zip(released.cells, solved.cells, strict=True)
        if before != after
    }
    assert changed == {f"{part.name}-stub" for part in COURSE[stem].parts}


@each_stem
def test_each_helper_stands_once(stem: str) -> None:
    code = "\n".join(c.source for c in solved_notebook(stem).cells if c.id.endswith("-stub"))
    defined = [
        node.name
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    assert sorted(defined) == sorted(set(defined))


@each_stem
def test_a_solved_notebook_imports_nothing_of_ours_but_the_check(stem: str) -> None:
    names = {
        alias.name if isinstance(node, ast.Import) else node.module
        for each in solved_notebook(stem).cells
        if each.cell_type == "code" and each.id != "setup"
        for node in ast.walk(ast.parse(each.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names <= {"itertools", "math", "zlib"}


def test_every_exercise_is_written_unless_some_are_chosen(tmp_path: Path) -> None:
    write_submission(tmp_path, "untouched", "py")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{stem}.py" for stem in stems()]


def test_a_stem_of_no_exercise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OneheadError, match="'03_projection' is no exercise's file stem; there are"):
        write_submission(tmp_path, "solved", "py", ["03_projection"])


# --- source text -------------------------------------------------------------------------


def test_annotations_go_and_comments_and_strings_stay() -> None:
    source = (
        "class Layer:\n"
        '    """Holds: a colon."""\n\n'
        "    @property\n"
        "    def size(self) -> int:  # why: counted\n"
        "        # kept: a colon, too\n"
        "        return 1\n\n"
        "    def trace(\n"
        "        self, X: np.ndarray, visible: np.ndarray | None = None, *, ü: str = 'é: '\n"
        "    ) -> dict[str, np.ndarray]:\n"
        "        return {'a': lambda x: x}[ü]\n"
    )
    assert without_annotations(source) == (
        "class Layer:\n"
        '    """Holds: a colon."""\n\n'
        "    @property\n"
        "    def size(self):  # why: counted\n"
        "        # kept: a colon, too\n"
        "        return 1\n\n"
        "    def trace(self, X, visible=None, *, ü='é: '):\n"
        "        return {'a': lambda x: x}[ü]\n"
    )


def test_a_long_header_is_broken() -> None:
    arguments = ", ".join(f"argument_{number}" for number in range(8))
    source = f"def a_function({arguments}) -> int:\n    return 1"
    assert without_annotations(source) == (f"def a_function(\n    {arguments}\n):\n    return 1")


def test_a_parameter_is_no_global_name() -> None:
    source = "def f(causal):\n    return [floats(x) for x in causal] + sorted(g(h=N))"
    assert global_names(source) == ["N", "floats", "g"]


def test_literals_are_read_back_as_they_were() -> None:
    value = {
        "a b": [1.5, -0.0, "ü\n'\""],
        "t": (1,),
        "long": ["x" * 30] * 4,
        "n": [[], {"k": None}],
    }
    assert ast.literal_eval(literal(value)) == value
    assert literal({"a": "inside"}) == '{\n    "a": "inside",\n}'
