"""A notebook's text held against its code: each number of the prose is shown or asserted by code.

A section is what stands between two headings of the first or second level. Its code shows numbers
in what it prints, and in its ``assert`` statements and literal data; so do the examples (``>>>``)
in its text, which are run against the references.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

# A number that is no part of a name (float64), of an index (V[2]) or of a reference.
NUMBER = re.compile(
    r"(?<![\w.])[-\N{MINUS SIGN}±]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?!\w)"
)
INDEX = re.compile(r"(?<=\w)\[[^\]]*\]")
REFERENCE = re.compile(
    r"\b(lessons?|parts?|steps?|tokens?|rows?|columns?|positions?|items?|quer(?:y|ies)|keys?|values?"
    r"|rank|axis|axes|kernel|entry|entries|problems?|layers?)"
    r"[\s`]+-?\d+`?(?:(?:,| and| or| to|,? then)[\s`]+\d+`?)*",
    flags=re.IGNORECASE,
)
SPAN = re.compile(r"```.*?```|`[^`]+`", flags=re.DOTALL)
EXAMPLE = re.compile(r"```pycon\n(.*?)```", flags=re.DOTALL)
IMAGE = re.compile(r"!\[\]\(figure:[\w-]+\)|<img [^>]*>")
HEADING = re.compile(r"^#{1,6} .*$", flags=re.MULTILINE)
LISTED = re.compile(r"^\d+\. ", flags=re.MULTILINE)
LINK = re.compile(r"\]\([^)]*\)")
FREE = ({0.0}, {1.0}, {10_000.0})  # alone: words rather than results; the contract's large scores


@dataclass
class Section:
    """Markdown cells under one heading, and what the code among them shows."""

    title: str
    texts: list[str] = field(default_factory=list)
    streams: list[list[float]] = field(default_factory=list)


def numbers(text: str) -> list[float]:
    """The numbers of a text, in order."""
    return [_value(found) for found in NUMBER.findall(text)]


def _value(found: str) -> float:
    return float(found.replace(",", "").replace("\N{MINUS SIGN}", "-").removeprefix("±"))


def sections(notebook: NotebookNode, shown: dict[str, str]) -> list[Section]:
    """The notebook's sections; ``shown`` is what each code cell has printed, by its id."""
    found: list[Section] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if re.match(r"##? ", cell.source):
                found.append(Section(cell.source.split("\n")[0]))
            found[-1].texts.append(cell.source)
            examples = EXAMPLE.findall(cell.source)
            found[-1].streams += map(numbers, examples)
        else:
            found[-1].streams += [numbers(shown.get(cell.id, "")), *_asserted(cell.source)]
    return found


def _asserted(source: str) -> Iterator[list[float]]:
    """The numbers of each assertion and of each literal that is given a name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assert):
            yield numbers(ast.unparse(node.test))
        elif isinstance(node, ast.Assign) and _is_data(node.value):
            yield numbers(ast.unparse(node.value))


def _is_data(value: ast.expr) -> bool:
    """Whether an expression is numbers in containers and arrays, and no formula."""
    allowed = (
        ast.Constant,
        ast.List,
        ast.Tuple,
        ast.Dict,
        ast.UnaryOp,
        ast.USub,
        ast.Call,
        ast.Attribute,
        ast.Name,
        ast.keyword,
        ast.Load,
    )
    calls = [node.func for node in ast.walk(value) if isinstance(node, ast.Call)]
    return all(isinstance(node, allowed) for node in ast.walk(value)) and all(
        ast.unparse(call) == "np.array" for call in calls
    )


def claims(text: str) -> Iterator[tuple[str, list[float]]]:
    """Runs of numbers that a text states: those of one code span together, others one by one."""
    text = EXAMPLE.sub(" ", IMAGE.sub(" ", text))
    text = LINK.sub("]", HEADING.sub(" ", LISTED.sub("", text)))
    text = REFERENCE.sub(" ", INDEX.sub("", text))
    for span in SPAN.findall(text):
        yield from ((piece, run) for piece in span.split("\n") if (run := numbers(piece)))
    for found in NUMBER.findall(SPAN.sub(" ", text)):
        yield found, [_value(found)]


def unsupported(section: Section) -> list[str]:
    """What the section's text states in numbers and its code does not show."""
    return [
        said
        for text in section.texts
        for said, run in claims(text)
        if {*map(abs, run)} not in FREE and not any(_holds(s, run, said) for s in section.streams)
    ]


def _holds(stream: list[float], run: list[float], said: str) -> bool:
    """Whether the run stands in the stream, each number rounded as the text has it."""
    found = NUMBER.findall(said)
    digits = [99 if "e" in number else len(number.partition(".")[2]) for number in found]
    for start in range(len(stream) - len(run) + 1):
        part = stream[start : start + len(run)]
        if all(round(got, d) == want for got, want, d in zip(part, run, digits, strict=True)):
            return True
    return False


def run(notebook: NotebookNode, names: dict[str, Any]) -> dict[str, str]:
    """Run the code cells in order; what each has printed. An error in one is raised."""
    printed = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            out = io.StringIO()
            tree = ast.parse(cell.source)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(out):
                exec(compile(tree, cell.id, "exec"), names)
                if last is not None:
                    value = eval(compile(ast.Expression(last.value), cell.id, "eval"), names)
                    if value is not None:
                        print(repr(value))
            printed[cell.id] = out.getvalue()
    return printed


def examples(text: str) -> Iterator[doctest.Example]:
    """The ``>>>`` examples of a text."""
    for block in EXAMPLE.findall(text):
        yield from doctest.DocTestParser().get_examples(block)
