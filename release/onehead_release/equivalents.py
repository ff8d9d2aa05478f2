"""Mutants that are right answers, and why: none of them is a hole in the checks.

Two arguments need no eye on the single mutant: it compiles to the same instructions, or it is the
reference once expressions are exchanged that the contract makes equal. The others are listed one by
one. ``equivalent.toml`` in the chapter's package holds both kinds, each with its reason.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from onehead.errors import OneheadError
from onehead_release.chapter import chapter
from onehead_release.mutate import Mutant, is_same_code

Proof = Literal["same code", "interchangeable", "listed"]


@dataclass(frozen=True)
class Interchangeable:
    """Expressions or statements of which any may stand for the first, within these parts."""

    parts: tuple[str, ...]
    code: tuple[str, ...]
    because: str
    function: str = ""  # of these parts; without it, all

    def covers(self, part: str) -> bool:
        return part in self.parts or "*" in self.parts


@dataclass(frozen=True)
class Listed:
    """One change, as ``Mutant.change`` says it, that leaves the answer right in these parts."""

    parts: tuple[str, ...]
    change: str
    because: str


@dataclass(frozen=True)
class Equivalents:
    rules: tuple[Interchangeable, ...]
    listed: tuple[Listed, ...]
    free: dict[str, frozenset[str]]  # by part: functions whose every choice is the learner's

    def proof(self, part: str, answer: str, mutant: Mutant) -> Proof | None:
        """Why a mutant of an answer to ``part`` is right; None where it is not known to be."""
        if is_same_code(answer, mutant.source):
            return "same code"
        if any(part in entry.parts and entry.change == mutant.change for entry in self.listed):
            return "listed"
        rules = [rule for rule in self.rules if rule.covers(part)]
        if _exchanged(answer, rules) == _exchanged(mutant.source, rules):
            return "interchangeable"
        return None


def of_chapter() -> Equivalents:
    """Those of the chapter; none where it has no such file."""
    return load(chapter().folder / "equivalent.toml")


@cache
def load(file: Path) -> Equivalents:
    """What a file holds.

    Raises:
        OneheadError: it is no TOML, has a table of another name, or a table lacks a key.
    """
    if not file.is_file():
        return Equivalents((), (), {})
    try:
        return _read(tomllib.loads(file.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise OneheadError(f"{file} is no TOML: {error}") from error
    except KeyError as error:
        raise OneheadError(f"{file}: a table has no {error.args[0]!r}; {_EXPECTED}") from error
    except (SyntaxError, ValueError) as error:
        raise OneheadError(f"{file}: {error}; {_EXPECTED}") from error


_TABLES = ("interchangeable", "mutants", "free")
_EXPECTED = (
    "expected are [[interchangeable]] with in, code and because, [[mutants]] with in, changes and "
    "because, and [[free]] with in, functions and because"
)


def _read(data: dict[str, Any]) -> Equivalents:
    if unknown := sorted(set(data) - set(_TABLES)):
        raise ValueError(f"there is no table {unknown[0]!r}")
    rules_of, listed_of, free_of = (data.get(table, []) for table in _TABLES)
    rules = (
        Interchangeable(
            tuple(rule["in"]), tuple(rule["code"]), rule["because"], rule.get("function", "")
        )
        for rule in rules_of
    )
    listed = (
        Listed(tuple(entry["in"]), change, entry["because"])
        for entry in listed_of
        for change in entry["changes"]
    )
    free = {part: frozenset(entry["functions"]) for entry in free_of for part in entry["in"]}
    return Equivalents(tuple(rules), tuple(listed), free)


def _exchanged(source: str, rules: Sequence[Interchangeable]) -> str:
    tree: ast.AST = ast.parse(source)
    for rule in rules:
        tree = _Exchange(rule).visit(tree)
    return ast.dump(tree)


class _Exchange(ast.NodeTransformer):
    """The first of the rule's codes in place of each of the others."""

    def __init__(self, rule: Interchangeable) -> None:
        self._first, *others = map(_parsed, rule.code)
        self._same, self._others = ast.dump(self._first), {ast.dump(node) for node in others}
        self._function, self._inside = rule.function, not rule.function

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.FunctionDef) and node.name == self._function:
            self._inside = True
            node = super().generic_visit(node)
            self._inside = False
            return node
        if self._inside and (dump := ast.dump(node)) in {self._same, *self._others}:
            return node if dump == self._same else self._first
        return super().generic_visit(node)


def _parsed(code: str) -> ast.AST:
    (statement,) = ast.parse(code).body
    return statement.value if isinstance(statement, ast.Expr) else statement
