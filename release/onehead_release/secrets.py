"""What must not be found in anything that a learner is given, drawn from the solutions themselves.

Text is compared without white space, so that another layout hides nothing; code by its syntax
trees with the names taken out, so that renaming hides nothing; numbers as bytes and as digits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from onehead.model import Array, Exercise, Part
from onehead_release.chapter import chapter
from onehead_release.public import numbers_asked_for
from onehead_release.solved import untouched_notebook

RELEASE = "onehead_release"
LINE = 32  # characters of a line of code, white space left out, that are met by chance no more
NODES = 20  # nodes of a syntax tree, likewise
ENTRIES = 6  # different values of an array, likewise
DIGITS = 6

# What stands in the solutions and is public all the same, and why.
PUBLIC_LINES = (
    "from__future__importannotations",
    "fromcollections.abcimport",  # imports of the standard library
    "@dataclass(",  # a decorator of the standard library: no formula
    "fromonehead.",  # imports of the engine, which learners have
    "returnnp.abs(np.asarray(x,dtype=np.float64))",  # the engine's tolerance has the same helper
    "proxy_attributes=(",  # how the engine is told what a layer shows: no solution
)


@dataclass(frozen=True)
class Numbers:
    """An array that must not be found, and how it would look."""

    what: str
    array: Array

    @cached_property
    def as_bytes(self) -> list[bytes]:
        """The entries as they lie in memory, in the dtypes that are used."""
        whole = bool(np.all(np.isfinite(self.array)) and np.all(self.array == self.array // 1))
        dtypes = ("<f8", "<f4", "<i8", "<i4") if whole else ("<f8", "<f4")
        return [self.array.astype(dtype).tobytes() for dtype in dtypes]

    @cached_property
    def digits(self) -> frozenset[str]:
        """The numbers that a text would hardly hold by chance, to some digits."""
        numbers = (abs(float(x)) for x in np.ravel(self.array))
        return frozenset(in_digits(x) for x in numbers if x != x // 1 and np.isfinite(x))


def in_digits(number: float) -> str:
    return f"{number:.{DIGITS}g}"


@dataclass(frozen=True)
class Secrets:
    """The solutions' sources and the installed exercises, and what each gives away."""

    sources: Mapping[str, str]
    exercises: tuple[Exercise, ...]
    public_text: str  # the lessons' own lines, and what the public data say in words
    public_code: tuple[str, ...] = ()  # broken code that is handed over
    packages: tuple[str, ...] = ()  # that no learner is told of

    @cached_property
    def lines(self) -> dict[str, str]:
        """Runs of source, without white space, to the place where they stand."""
        found: dict[str, str] = {}
        for name, source in self.sources.items():
            for number, line in enumerate(source.splitlines(), start=1):
                bare = squeezed(line).lstrip("#")
                if len(bare) >= LINE and not self._is_public(bare):
                    found.setdefault(bare, f"{name}, line {number}")
        return found

    def _is_public(self, bare: str) -> bool:
        return bare.startswith(PUBLIC_LINES) or bare.strip("\"'(),") in self._public

    @cached_property
    def _public(self) -> str:
        return squeezed(self.public_text)

    @cached_property
    def trees(self) -> dict[str, str]:
        """Shapes of statements to the place where they stand."""
        found: dict[str, str] = {}
        for name, source in self.sources.items():
            for shape, line in shapes(source):
                found.setdefault(shape, f"{name}, line {line}")
        given = {shape for source in self.public_code for shape, _ in shapes(source)}
        return {shape: place for shape, place in found.items() if shape not in given}

    @cached_property
    def choices(self) -> list[tuple[str, list[str]]]:
        """Each part's answers as ``key:answer``, without white space and quotes."""
        found = []
        for exercise in self.exercises:
            for part in exercise.parts:
                pairs = _choice_pairs(part)
                if pairs:
                    found.append((f"{exercise.id} {part.name}", pairs))
        return found

    @cached_property
    def arrays(self) -> list[Numbers]:
        """The inputs of hidden cases, and numbers that are answers, which no public case shows."""
        public = {_key(x) for _, part, case in self._cases() if case.public for x in _arrays(case)}
        hidden = {
            _key(x): (f"{exercise.id} {part.name}: an input of {case.name!r}", x)
            for exercise, part, case in self._cases()
            if not case.public
            for x in _arrays(case)
            if len(np.unique(x)) >= ENTRIES and _key(x) not in public
        }
        asked = [
            (f"{exercise.id}: numbers that are asked for", row)
            for exercise in self.exercises
            for row in numbers_asked_for(exercise)
        ]
        return [Numbers(what, array) for what, array in [*hidden.values(), *asked]]

    def _cases(self) -> Iterator[tuple[Exercise, Part, Any]]:
        for exercise in self.exercises:
            for part in exercise.parts:
                for case in part.cases:
                    yield exercise, part, case


def load() -> Secrets:
    """The secrets of the installed solutions."""
    course = chapter()
    folder, lessons = course.folder, sorted(course.sources.glob("*.py"))
    files = (path for path in sorted(folder.rglob("*.py")) if path not in lessons)
    sources = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}
    told = (path.read_text("utf-8") for path in lessons)
    public_text = "\n".join([*told, *_words(course.exercises)])
    handed_over = tuple(_handed_over(course.exercises))
    packages = (course.package, RELEASE)
    return Secrets(sources, course.exercises, public_text, handed_over, packages)


def _handed_over(exercises: Sequence[Exercise]) -> Iterator[str]:
    """The broken code that learners are given to repair."""
    for exercise in exercises:
        names = {f"{part.name}-stub" for part in exercise.parts if part.handed_over is not None}
        if names:
            cells = untouched_notebook(exercise.stem).cells
            yield from (cell.source for cell in cells if cell.id in names)


def _words(exercises: Sequence[Exercise]) -> Iterator[str]:
    """What the public data say in words: titles, public cases, sentences on known mistakes."""
    for exercise in exercises:
        yield exercise.title
        for part in exercise.parts:
            for mistake in part.misconceptions:
                yield from (mistake.says, mistake.reread, *(mistake.hints or ()))
            for case in part.cases:
                if case.public:
                    yield case.name
                    yield from (value for value in case.inputs.values() if isinstance(value, str))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


# --- answers and numbers -----------------------------------------------------------------


def _choice_pairs(part: Part) -> list[str]:
    if part.probe != "value" or part.answer != "dict":
        return []
    pairs = []
    for stage in part.stages:
        want = stage.want({"LEARNER": ""}, {}) if stage.want is not None else None  # type: ignore[arg-type]
        if isinstance(want, str | list) and want:
            pairs.append(bare_words(f"{stage.name}:{want}"))
    return pairs


def bare_words(text: str) -> str:
    """Text without white space, quotes and backslashes."""
    return re.sub(r"[\s\"'`\\]+", "", text)


def _arrays(case: Any) -> Iterator[Array]:
    for value in case.inputs.values():
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, dict):
            yield from (entry for entry in value.values() if isinstance(entry, np.ndarray))


def _key(array: Array) -> bytes:
    return array.astype(np.float64).tobytes()


# --- code --------------------------------------------------------------------------------


def shapes(source: str) -> Iterator[tuple[str, int]]:
    """Each larger statement's and expression's tree without names, and its line.

    Raises SyntaxError for what is no Python.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr) and not isinstance(node, ast.Import):
            if _docstring(node):
                continue
            shape = _shape(node)
            if shape.count("(") >= NODES and _computes(node):
                yield shape, node.lineno


def _docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _computes(node: ast.AST) -> bool:
    """Whether there is a formula in it: data and definitions of cases look alike everywhere."""
    return any(isinstance(inner, ast.BinOp | ast.Compare) for inner in ast.walk(node))


def _shape(node: ast.AST) -> str:
    """The tree with names numbered as they come, attributes kept, docstrings and types left out."""
    numbers: dict[str, int] = {}

    def write(node: Any) -> str:
        if isinstance(node, list):
            return ",".join(write(entry) for entry in node if not _docstring(entry))
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Name | ast.arg):
            name = node.id if isinstance(node, ast.Name) else node.arg
            return f"N({numbers.setdefault(name, len(numbers))})"
        fields: Iterable[tuple[str, Any]] = ast.iter_fields(node)
        skipped = {"ctx", "annotation", "returns", "type_comment", "decorator_list", "kind"}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            skipped.add("name")
        inner = ";".join(write(value) for name, value in fields if name not in skipped)
        return f"{type(node).__name__}({inner})"

    return write(node)
