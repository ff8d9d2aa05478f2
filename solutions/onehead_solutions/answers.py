"""Stages for answers that are no arrays: choices, counts, names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from onehead.model import Case, Family, Stage


def choices(family: Family, answers: Mapping[str, Any]) -> tuple[Stage, ...]:
    """One stage a key of a dict of answers, each equal to its answer or wrong."""
    return tuple(
        Stage(key, family, want=lambda i, e, key=key: answers[key], secret=True)  # type: ignore[misc]
        for key in answers
    )


def counts(family: Family, reference: Callable[..., Mapping[str, Any]]) -> tuple[Stage, ...]:
    """One stage a key of the dict that ``reference`` computes from a case's inputs."""
    sample = dict.fromkeys(reference.__annotations__, 1)
    sample.pop("return", None)
    return tuple(
        Stage(key, family, want=lambda i, e, key=key: reference(**i)[key], secret=True)  # type: ignore[misc]
        for key in reference(**sample)
    )


def plain(family: Family, reference: Callable[..., Any], name: str = "value") -> tuple[Stage, ...]:
    """The one stage of a function whose result is a number, a name or a list of names."""
    return (Stage(name, family, want=lambda i, e: reference(**i), secret=True),)


def refused(
    name: str,
    inputs: Mapping[str, Any],
    *words: object,
    family: Family = "shape",
    check: str,
    public: bool = False,
    ranks: tuple[int, ...] = (),
) -> Case:
    """A case that must raise ``ValueError`` with ``words`` (sizes, names) in its message.

    Where the rank is what is wrong, ``ranks``, the given one and those expected, do as well.
    """
    due = tuple(map(str, words))
    return Case(name, inputs, public, check, due, tuple(map(str, ranks)), family)


def near_spellings(*names: str, others: Iterable[str] = ()) -> tuple[str, ...]:
    """What looks like one of the names and is none: in other case, cut, with more around it.

    The empty name is always there; ``others`` come along as they are.
    """

    def of(name: str) -> Iterator[str]:
        yield from (name.lower(), name.upper(), name.capitalize(), name.title())
        yield from (f" {name}", f"{name} ", f"a {name}", f"{name} layer")
        yield from (f"x{name}", f"{name}s", name[1:], name[:-1], name[-1:])
        yield from (name.replace(mark, other) for mark in "-_" for other in ("-", "_", " ", ""))

    near = dict.fromkeys(["", *(spelt for name in names for spelt in of(name)), *others])
    return tuple(spelt for spelt in near if spelt not in names)
