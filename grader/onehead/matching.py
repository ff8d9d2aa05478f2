"""Which exercise a file holds, by its name or by what it defines.

Names change on their way: browsers add ``(1)``, JupyterLab ``-Copy1``, an LMS ``-1``, learners
their own name, ``final``, spaces and capitals. Where a name says nothing, what the code defines
does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from onehead.model import Exercise
from onehead.source import Source

_ENDING = re.compile(
    r"(\.ipynb|\.py)(?: *\((\d+)\))?(?:\.txt|\.json)?(?: *\((\d+)\))?$", re.IGNORECASE
)
_COPY = re.compile(r"(?: *\((\d+)\)|-(\d{1,2})|[-_ ]*copy(\d*))$", re.IGNORECASE)
_WORD = re.compile(r"\d+|[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[^\W\d_]+")


@dataclass(frozen=True)
class ByName:
    """What a file's name says. ``distance`` is 0 for the exercise's own name, more for others."""

    stem: str
    distance: int
    ending: str
    copy: int = 0  # the number that a program has added


def ending(name: str) -> str | None:
    """``.ipynb`` or ``.py``, also where a program has added another; None for any other file.

    >>> ending("a.ipynb"), ending("a.ipynb.txt"), ending("a.pdf")
    ('.ipynb', '.ipynb', None)
    """
    found = _ENDING.search(name)
    return found[1].casefold() if found else None


def by_name(name: str, stems: Sequence[str]) -> ByName | None:
    """The exercise that a name speaks of; None for none, or for more than one.

    >>> by_name("04_matrix_form (1).ipynb", ["04_matrix_form"])
    ByName(stem='04_matrix_form', distance=1, ending='.ipynb', copy=1)
    >>> by_name("Jane Doe - MatrixForm FINAL.ipynb", ["04_matrix_form"]).distance
    3
    """
    found = _ENDING.search(name)
    if found is None:
        return None
    kind, bare = found[1].casefold(), name[: found.start()]
    if bare in stems and name == bare + kind:
        return ByName(bare, 0, kind)
    bare, copy = _without_copy(bare, max(int(found[2] or 0), int(found[3] or 0)))
    words = _words(bare)
    for distance, fits in enumerate((_is, _holds, _holds_unnumbered), 1):
        fitting = [stem for stem in stems if fits(words, _words(stem))]
        if fitting:
            return ByName(fitting[0], distance, kind, copy) if len(fitting) == 1 else None
    return None


def _without_copy(bare: str, copy: int) -> tuple[str, int]:
    """A name without what programs add to a second file of that name, and the number in it."""
    while (found := _COPY.search(bare)) and found.start() > 0:
        numbers = [int(number) for number in found.groups() if number]
        copy = max([copy, 1, *numbers])
        bare = bare[: found.start()]
    return bare, copy


def _words(text: str) -> list[str]:
    """Words and numbers, whatever stands between them; numbers without leading zeros."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    return [str(int(word)) if word.isdecimal() else word.casefold() for word in words]


def _is(words: list[str], stem: list[str]) -> bool:
    return words == stem


def _holds(words: list[str], stem: list[str]) -> bool:
    return any(words[k : k + len(stem)] == stem for k in range(len(words)))


def _holds_unnumbered(words: list[str], stem: list[str]) -> bool:
    """A single word, such as "review", is too common to be looked for among others."""
    return words == stem[1:] or (len(stem) > 2 and _holds(words, stem[1:]))


# --- by content --------------------------------------------------------------------------


@dataclass(frozen=True)
class Content:
    """What a file's code has of an exercise: parts that it defines, and that it answers."""

    defined: int
    answered: int
    parts: int

    @property
    def is_much(self) -> bool:
        return 2 * self.defined >= self.parts


def content(source: Source, exercise: Exercise) -> Content:
    """How much of an exercise is in a file. Its code is searched, never run or parsed."""
    text, starts = _definitions(source)
    blocks = [_block(text, starts.get(part.defined_as)) for part in exercise.parts]
    there = [block for block in blocks if block is not None]
    answered = sum(not re.search(r"NotImplementedError|\.\.\.", block) for block in there)
    return Content(len(there), answered, len(blocks))


_DEFINITION = re.compile(
    r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE
)


@lru_cache(maxsize=1)
def _definitions(source: Source) -> tuple[str, Mapping[str, int]]:
    """All code of a file, and where in it the last definition of each name starts."""
    text = "\n".join(cell.source for cell in source.cells)
    return text, {found[1] or found[2]: found.start() for found in _DEFINITION.finditer(text)}


def _block(text: str, start: int | None) -> str | None:
    """A definition: its first line, and those that are indented below it."""
    if start is None:
        return None
    rest = text[start:]
    end = re.search(r"\n(?=[^\s)\]}#])", rest)
    return rest[: end.start()] if end else rest


def by_content(inside: Mapping[str, Content]) -> list[str]:
    """The stems of which a file defines half of the parts or more, the surest first.

    >>> by_content({"a": Content(1, 1, 4), "b": Content(2, 2, 4), "c": Content(3, 3, 3)})
    ['c', 'b']
    """
    much = {stem: found for stem, found in inside.items() if found.is_much}
    return sorted(much, key=lambda s: (-much[s].defined / much[s].parts, -much[s].defined, s))
