"""Exercises from public data alone: what a learner's package has in place of the references.

A release freezes each public case with the values that are due, the errors that are allowed and
what the known mistakes give, as plain data. Here they become exercises again. What is due was
computed from right earlier stages, so a stage is judged only where the learner's earlier ones are
right: the first cause is found, what follows from it is not reached.

Of answers that are chosen there is a hash (``sealed.py``), of numbers that are asked for the form.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from onehead import sealed, wire
from onehead.compare import allowed_error
from onehead.model import (
    Array,
    Case,
    Exercise,
    Misconception,
    Names,
    NotReached,
    Part,
    Rounding,
    Stage,
)

SCHEMA = "onehead/public/1"
PATH = Path(__file__).with_name("data") / "public.json"

Table = Mapping[str, Mapping[str, Any]]  # question -> stage -> what is frozen of it


# --- the file ----------------------------------------------------------------------------


def exists() -> bool:
    """Whether this is a package that a release has made for learners."""
    return PATH.is_file()


@cache
def load() -> tuple[Exercise, ...]:
    """The exercises of this package's public data, each with its public cases."""
    return read(PATH.read_text(encoding="utf-8"))


def read(text: str) -> tuple[Exercise, ...]:
    """The exercises of a file's text."""
    return tuple(_exercise(exercise) for exercise in load_data(text))


def load_data(text: str) -> list[dict[str, Any]]:
    """A file's plain data.

    Raises:
        ValueError: the text is of another schema.
    """
    document = json.loads(text)
    if document["schema"] != SCHEMA:
        raise ValueError(f"the public data are {document['schema']!r}, not {SCHEMA!r}")
    decoder = wire.Decoder(base64.b64decode(document["body"]))
    exercises: list[dict[str, Any]] = decoder.value(document["exercises"])
    return exercises


def write(exercises: Sequence[Mapping[str, Any]]) -> str:
    """The text of a file with these exercises, which ``read`` takes."""
    encoder = wire.Encoder()
    nodes = encoder.value(list(exercises))
    body = base64.b64encode(bytes(encoder.body)).decode()
    document = {"schema": SCHEMA, "exercises": nodes, "body": body}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"


def question(values: Sequence[Any]) -> str:
    """A name for a case's inputs: the same for the same values in the same order."""
    encoder = wire.Encoder(lambda layer: [getattr(layer, "__name__", type(layer).__name__), {}, []])
    nodes = encoder.value(list(values))
    text = json.dumps(nodes).encode() + bytes(encoder.body)
    return hashlib.sha256(text).hexdigest()[:16]


def asked(inputs: Mapping[str, Any]) -> str:
    """The name of a case's question, whoever is its learner."""
    return question([value for name, value in inputs.items() if name != "LEARNER"])


# --- layers that public cases hand over --------------------------------------------------


def doubled(X: Array) -> Array:
    """A layer in which each item stays alone."""
    return np.asarray(2 * np.asarray(X))


def centred(X: Array) -> Array:
    """A layer that takes the batch's mean away from each item."""
    return np.asarray(np.asarray(X) - np.mean(X, axis=0))


def constant(X: Array) -> Array:
    """A layer that does not look at its input."""
    return np.ones(np.shape(X))


def first_reads_last(X: Array) -> Array:
    """A layer in which the last item is added to the first."""
    return np.concatenate([X[:1] + X[-1:], X[1:]])


def last_reads_first(X: Array) -> Array:
    """A layer in which the first item is added to the last."""
    return np.concatenate([X[:-1], X[-1:] + X[:1]])


def differences(X: Array) -> Array:
    """A layer in which each item gets how the tokens of the item beside it differ."""
    return np.asarray(X + (X - np.mean(X, axis=1, keepdims=True))[::-1])


def hardly(X: Array) -> Array:
    """A layer in which each item reads a thousandth of the others."""
    return np.asarray(X + 0.001 * np.sum(X, axis=0))


# How each is written in code that a learner may paste.
WRITTEN: Mapping[Callable[..., Any], str] = {
    doubled: "lambda X: 2 * X",
    centred: "lambda X: X - X.mean(axis=0)",
    constant: "lambda X: np.ones(X.shape)",
    first_reads_last: "lambda X: np.concatenate([X[:1] + X[-1:], X[1:]])",
    last_reads_first: "lambda X: np.concatenate([X[:-1], X[-1:] + X[:1]])",
    differences: "lambda X: X + (X - X.mean(axis=1, keepdims=True))[::-1]",
    hardly: "lambda X: X + 0.001 * X.sum(axis=0)",
}


class Shapeless:
    """A layer to audit whose every answer has another shape than it should."""

    proxy_attributes = ("W_Q", "W_K", "W_V", "W_O", "num_parameters")
    proxy_methods = ("__call__", "trace")
    keys = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")

    def __init__(self) -> None:
        self.W_Q, self.W_K = np.ones((3, 2)), np.ones((3, 2))
        self.W_V, self.W_O = np.ones((3, 4)), np.ones((4, 3))
        self.num_parameters = 36

    def trace(self, X: Array, visible: Any = None, causal: bool = True) -> dict[str, Array]:
        return {key: np.zeros((1, 1, 1, 1)) for key in self.keys}

    def __call__(self, X: Array, visible: Any = None, causal: bool = True) -> Array:
        return np.zeros((1, 1, 1, 1))


LAYERS: Mapping[str, Callable[..., Any]] = {
    "doubled": doubled,
    "centred": centred,
    "constant": constant,
    "first reads last": first_reads_last,
    "last reads first": last_reads_first,
    "differences": differences,
    "hardly": hardly,
    "Shapeless": Shapeless(),
}


# --- exercises ---------------------------------------------------------------------------


def _exercise(data: Mapping[str, Any]) -> Exercise:
    parts = tuple(_part(part) for part in data["parts"])
    return Exercise(data["id"], data["stem"], data["title"], parts, data["draws"])


def _part(data: Mapping[str, Any]) -> Part:
    table: Table = data["due"]
    common: dict[str, Any] = {
        "name": data["name"],
        "points": data["points"],
        "cases": tuple(_case(case) for case in data["cases"]),
        "probe": data["probe"],
        "target": data["target"],
        "rereads": data["rereads"],
        "turns": data["turns"],
    }
    if data["judged"] is not None:
        return Part(
            **common,
            stages=tuple(sealed.judges(data["judged"], data["stages"][0]["family"])),
            answer="whole",
            reasons=sealed.reasons(data["judged"]),
            pointers=sealed.pointers(data["judged"]),
        )
    return Part(
        **common,
        stages=tuple(_stage(stage, table) for stage in data["stages"]),
        answer=data["answer"],
        behaviour=data["behaviour"],
        init=data["init"],
        misconceptions=tuple(_mistake(mistake, table) for mistake in data["mistakes"]),
        handed_over=_handed_over(data["handed_over"]),
        small=tuple(map(_case, data["small"])),
    )


def _case(data: Mapping[str, Any]) -> Case:
    inputs = {
        name: LAYERS[value["layer"]] if isinstance(value, dict) and "layer" in value else value
        for name, value in data["inputs"].items()
    }
    return Case(
        data["name"],
        inputs,
        public=True,
        check=data["check"],
        raises=data["raises"],
        ranks=data["ranks"],
        family=data["family"],
        extreme=data["extreme"],
    )


def _stage(data: Mapping[str, Any], table: Table) -> Stage:
    name = data["name"]

    def want(i: Names, e: Names) -> Any:
        return _reached(table, i, e, name)["want"]

    def allow(i: Names, e: Names, r: Rounding) -> Array:
        due: Array = _reached(table, i, e, name)["likely" if r.likely else "allow"]
        return due

    return Stage(
        name,
        data["family"],
        want=want,
        allow=allow if data["rounds"] else None,
        axes=data["axes"],
        secret=data["secret"],
    )


def _reached(table: Table, i: Names, e: Names, name: str) -> Mapping[str, Any]:
    """What is frozen of a stage of one case.

    Raises:
        NotReached: the stage was not frozen, or one that it is made from is not right.
    """
    due = table.get(asked(i), {})
    if name not in due:
        raise NotReached(name)
    for needed in due[name]["needs"]:
        if not _right(due.get(needed), e.get(needed), i):
            raise NotReached(needed)
    entry: Mapping[str, Any] = due[name]
    return entry


def _right(due: Mapping[str, Any] | None, got: Array | None, i: Names) -> bool:
    if due is None or got is None or np.shape(got) != np.shape(due["want"]):
        return False
    frozen = Stage("", "shape", allow=lambda i, e, r: due["allow"])
    allowed = 0.0 if due["allow"] is None else allowed_error(frozen, i, Names())
    return bool(np.all(np.abs(got * 1.0 - np.asarray(due["want"]) * 1.0) <= allowed))


# What known mistakes end in where sizes clash or numbers overflow.
_ERRORS: Mapping[str, type[Exception]] = {
    error.__name__: error for error in (ValueError, IndexError, OverflowError, ZeroDivisionError)
}


def _mistake(data: Mapping[str, Any], table: Table) -> Misconception:
    def wrong(stage: str) -> Callable[[Names, Names], Any]:
        def value(i: Names, e: Names) -> Any:
            _reached(table, i, e, stage)
            values = data["wrong"][stage]
            if (name := asked(i)) not in values:
                raise NotReached(stage)
            value = values[name]
            if isinstance(value, dict) and "error" in value:
                raise _ERRORS.get(value["error"], ValueError)(f"{stage} does not come about")
            return value

        return value

    stages = {stage: wrong(stage) for stage in data["wrong"]}
    hints = tuple(data["hints"]) or None
    return Misconception(data["name"], stages, data["says"], data["reread"], hints=hints)


def _handed_over(answers: Mapping[str, Any] | None) -> Callable[..., Any] | None:
    """The code that a learner is to repair, as its answers to the public cases."""
    if answers is None:
        return None

    def broken(*arguments: Any) -> Any:
        answer = answers[question(arguments)]
        if "error" in answer:
            raise type(answer["error"], (Exception,), {})
        return answer["value"]

    return broken
