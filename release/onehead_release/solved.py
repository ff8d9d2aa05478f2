"""Submissions made from the references: the solved notebooks, and the untouched ones.

A solved notebook is the released one with each stub replaced by the source of its reference, so
that the reference *is* the answer with full marks. Annotations are left out, since a notebook's
learner needs numpy alone; helpers come along, once, in the first cell that uses them.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import io
import json
import re
import symtable
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Literal

from nbformat import NotebookNode

from onehead.errors import OneheadError
from onehead.model import Exercise, Part
from onehead_release.chapter import chapter
from onehead_release.figures import drawn, named
from onehead_release.notebook import read_source, replace, to_bytes, to_script

WIDTH = 100

Kind = Literal["solved", "untouched"]
Form = Literal["ipynb", "py"]

_LEARNER = re.compile(r"^LEARNER *= *(?P<name>[\"'].*?[\"'])", re.MULTILINE)


# --- submissions -------------------------------------------------------------------------


def stems() -> list[str]:
    """The file stems of the course's exercises, in order."""
    return [exercise.stem for exercise in chapter().exercises]


def untouched_notebook(stem: str) -> NotebookNode:
    """The notebook as released: its stubs untouched, its figures drawn."""
    return drawn(read_source(chapter().sources / f"{stem}.py"))


def answers(stem: str) -> dict[str, str]:
    """The source that takes the place of each stub cell, by the cell's id.

    Raises OneheadError for a stem that is no exercise's, and for a reference that uses what a
    learner does not have.
    """
    module, exercise = _lesson(stem)
    writer = _Writer(module, learner=_learner(untouched_notebook(stem)))
    return {f"{part.name}-stub": writer.answer(part) for part in exercise.parts}


def solved_notebook(stem: str) -> NotebookNode:
    """The notebook with the reference in place of each stub. Raises as ``answers`` does."""
    answered = answers(stem)
    return replace(untouched_notebook(stem), answered)


def write_submission(
    folder: Path, kind: Kind, form: Form, chosen: Iterable[str] | None = None
) -> None:
    """Writes one file per exercise into the folder, which is made where it is missing.

    ``chosen`` are the stems to write; without it, all of the course's.
    """
    make = solved_notebook if kind == "solved" else untouched_notebook
    folder.mkdir(parents=True, exist_ok=True)
    for stem in stems() if chosen is None else chosen:
        notebook = make(stem)
        data = to_bytes(notebook) if form == "ipynb" else to_script(named(notebook)).encode()
        (folder / f"{stem}.{form}").write_bytes(data)


def _lesson(stem: str) -> tuple[ModuleType, Exercise]:
    modules = chapter().modules
    if stem not in modules:
        raise OneheadError(f"{stem!r} is no exercise's file stem; there are: {', '.join(modules)}")
    return modules[stem], modules[stem].EXERCISE


def _learner(notebook: NotebookNode) -> str:
    """Whom the notebook names in ``LEARNER``: its drawn numbers depend on that."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and (found := _LEARNER.search(cell.source)):
            name: str = ast.literal_eval(found["name"])
            return name
    return ""


# --- one answer --------------------------------------------------------------------------


@dataclass
class _Writer:
    """Writes a notebook's answers in order; what an earlier cell defines is not written again."""

    module: ModuleType
    learner: str
    written: set[str] = field(default_factory=lambda: {"np"})

    def answer(self, part: Part) -> str:
        """The code of one stub cell: imports, helpers, and the part itself."""
        name = part.defined_as
        if not hasattr(self.module, name):  # its numbers are drawn
            return f"{name} = {literal(self.module.solved_value(part.name, self.learner))}"
        self.written.discard(name)
        return _joined(self._definition(name, self.module))

    def _definition(self, name: str, module: ModuleType) -> Iterator[str]:
        """What ``name`` needs, then ``name``, as blocks of code."""
        if name in self.written:
            return
        self.written.add(name)
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            alias = "" if value.__name__ == name else f" as {name}"
            yield f"import {value.__name__}{alias}"
        elif not isinstance(value, FunctionType | type):
            yield f"{name} = {literal(value)}"
        elif value.__module__.split(".")[0] in sys.stdlib_module_names:
            yield f"from {value.__module__} import {name}"
        else:
            yield from self._source(value)

    def _source(self, value: FunctionType | type) -> Iterator[str]:
        home = sys.modules[value.__module__]
        if home.__name__.split(".")[0] != self.module.__name__.split(".")[0]:
            raise OneheadError(
                f"a reference of {self.module.__name__} uses {value.__name__} of {home.__name__}, "
                f"which a learner does not have: keep to numpy and the standard library"
            )
        source = without_annotations(inspect.getsource(value).rstrip())
        for needed in global_names(source):
            if hasattr(home, needed):
                yield from self._definition(needed, home)
        yield source


def _joined(blocks: Iterable[str]) -> str:
    """Imports first and together, then each definition after two blank lines."""
    blocks = list(blocks)
    imports = [block for block in blocks if block.startswith(("import ", "from "))]
    rest = [block for block in blocks if block not in imports]
    return "\n\n\n".join(filter(None, ["\n".join(imports), *rest]))


# --- source text -------------------------------------------------------------------------


def without_annotations(source: str) -> str:
    """The code with each function's header written anew, without annotations; the rest verbatim.

    >>> print(without_annotations("def f(x: int, *, y: float = 1.0) -> int:\\n    return x  # why"))
    def f(x, *, y=1.0):
        return x  # why
    """
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: node.lineno, reverse=True):
        start = _offset(source, node.lineno, node.col_offset)
        end = start + _length_of_header(source[start:])
        source = source[:start] + _header(node) + source[end:]
    return source


def _length_of_header(source: str) -> int:
    """Where the colon outside all brackets ends: a comment or a default may hold one, too."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and depth == 0:
                line, column = token.end
                return sum(map(len, source.splitlines(keepends=True)[: line - 1])) + column
    raise AssertionError("a function without a colon does not parse")


def _header(node: ast.FunctionDef) -> str:
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    arguments = ast.unparse(node.args)
    header = f"def {node.name}({arguments}):"
    if node.col_offset + len(header) <= WIDTH:
        return header
    indent = " " * node.col_offset
    return f"def {node.name}(\n{indent}    {arguments}\n{indent}):"


def _offset(source: str, line: int, column: int) -> int:
    """Where a place of the syntax tree is in the text; columns count UTF-8 bytes."""
    lines = source.splitlines(keepends=True)
    before = lines[line - 1].encode("utf-8")[:column].decode("utf-8")
    return sum(map(len, lines[: line - 1])) + len(before)


def global_names(source: str) -> list[str]:
    """The names that the code takes from its module, builtins left out, in order of the alphabet.

    >>> global_names("def f(x):\\n    y = g(x)\\n    return len(y) + N")
    ['N', 'g']
    """
    top = symtable.symtable(source, "reference", "exec")
    names = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    for table in _tables_below(top):
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return sorted(name for name in names if not hasattr(builtins, name))


def _tables_below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _tables_below(child)


def literal(value: Any, indent: int = 0) -> str:
    """Plain data as code: a dict one entry a line, a list on one line where it fits.

    >>> print(literal({"a": ["x", 1.5], "b": (2,)}))
    {
        "a": ["x", 1.5],
        "b": (2,),
    }
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        inner = (f"{literal(key)}: {literal(entry, indent + 4)}" for key, entry in value.items())
        return _lines("{", list(inner), "}", indent)
    if isinstance(value, list | tuple):
        opening, closing = "[]" if isinstance(value, list) else "()"
        inner_list = [literal(entry, indent + 4) for entry in value]
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        line = opening + ", ".join(inner_list) + comma + closing
        fits = "\n" not in line and indent + len(line) <= WIDTH - 20
        return line if fits else _lines(opening, inner_list, closing, indent)
    return repr(value)


def _lines(opening: str, entries: Sequence[str], closing: str, indent: int) -> str:
    inside = " " * (indent + 4)
    return "\n".join([opening, *(f"{inside}{entry}," for entry in entries), " " * indent + closing])
