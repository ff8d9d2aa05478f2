"""Exercises from public data alone: what a learner's package has in place of the references.

A release freezes each public case with the values that are due, the errors that are allowed and
what the known mistakes give, as plain data. Here they become exercises again. What is due was
computed from right earlier stages, so a stage is judged only where the learner's earlier ones are
right: the first cause is found, what follows from it is not reached.

Of a dict of choices there is one salted slow hash. It tells whether all of them are right, not
which ones are; a search of all combinations is made slow, not impossible. Of the review's choices,
which are there to learn from, there is one for each question, or pair of two-way questions; why the
right ones are right is encrypted under them. Of numbers that are asked for there is the form.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from onehead import wire
from onehead.compare import allowed_error
from onehead.model import (
    FORM,
    Array,
    Case,
    Exercise,
    Family,
    Misconception,
    Names,
    NotReached,
    Part,
    Pointer,
    Rounding,
    Stage,
)

SCHEMA = "onehead/public/1"
PATH = Path(__file__).with_name("data") / "public.json"
ROUNDS = 50_000  # of the answers' hash: some 30 ms here, ten times that in a browser

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


def _asked(inputs: Names) -> str:
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
            stages=tuple(_judges(data["judged"], data["stages"][0]["family"])),
            answer="whole",
            reasons=_reasons(data["judged"]),
            pointers=tuple(filter(None, map(_pointer, data["judged"]["sealed"]))),
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
    due = table.get(_asked(i), {})
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
            if (asked := _asked(i)) not in values:
                raise NotReached(stage)
            value = values[asked]
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


# --- answers without a reference ---------------------------------------------------------


def _pointer(sealed: Mapping[str, Any]) -> Pointer | None:
    return Pointer(tuple(sealed["questions"]), sealed["lesson"]) if sealed["lesson"] else None


def _judges(data: Mapping[str, Any], family: Family) -> Iterator[Stage]:
    """A check for whatever has a hash of its own; of answers without any, one of their form."""
    hashed = [sealed for sealed in data["sealed"] if sealed["hash"]]
    for sealed in hashed:
        pointer = _pointer(sealed)
        yield Stage(
            pointer.name if pointer else "answers",
            family,
            judge=lambda i, value, sealed=sealed: _choices_problem(data, sealed, value),  # type: ignore[misc]
        )
    if not hashed:
        yield Stage(FORM, family, judge=lambda i, value: _form_problem(data, value))


def _choices_problem(data: Mapping[str, Any], sealed: Mapping[str, Any], value: Any) -> str | None:
    if (problem := _keys_problem(data, value, sealed["questions"])) is not None:
        return problem
    if answers_hash(_answers_to(sealed, value), sealed["salt"]) == sealed["hash"]:
        return None
    pointer = _pointer(sealed)
    return pointer.missed if pointer else "not all of the answers are right"


def _answers_to(sealed: Mapping[str, Any], value: Any) -> Any:
    """Those of a dict of answers that a hash is of; of another answer, all of it."""
    questions = sealed["questions"]
    return value if questions is None else {question: value[question] for question in questions}


def _keys_problem(data: Mapping[str, Any], value: Any, asked: Sequence[str] | None) -> str | None:
    if asked is None:
        return None
    if not isinstance(value, dict):
        return "a dict is due"
    absent = [key for key in asked if value.get(key, ...) in (..., None)]
    if absent:
        return f"not answered yet: {', '.join(absent)}"
    extra = [str(key) for key in value if key not in data["keys"]]
    return f"keys that are not due: {', '.join(extra)}" if extra else None


def answers_hash(value: Any, salt: str) -> str:
    """One slow hash of choices; a tuple counts as a list.

    Made of what Python has in a browser, too: scrypt and PBKDF2 are not there.
    """
    text = json.dumps(_canonical(value), sort_keys=True)
    digest, salted = text.encode(), salt.encode()
    for _ in range(ROUNDS):
        digest = hashlib.sha256(salted + digest).digest()
    return digest[:16].hex()


def sealed(reasons: Mapping[str, str], value: Any, salt: str) -> str:
    """Why answers are right, so that only who has them can read it."""
    text = json.dumps(dict(reasons)).encode()
    return base64.b64encode(_mixed(text, value, salt)).decode()


def _reasons(data: Mapping[str, Any]) -> Callable[[Any], Mapping[str, str]] | None:
    locked = [sealed for sealed in data["sealed"] if sealed["reasons"]]
    if not locked:
        return None

    def opened(value: Any) -> Mapping[str, str]:
        """No reasons for other answers than the right ones."""
        reasons: dict[str, str] = {}
        for sealed in locked:
            if _choices_problem(data, sealed, value) is None:
                text = base64.b64decode(sealed["reasons"])
                reasons |= json.loads(_mixed(text, _answers_to(sealed, value), sealed["salt"]))
        return reasons

    return opened


def _mixed(text: bytes, value: Any, salt: str) -> bytes:
    """A text and a stream of bytes made from answers, mixed: the same again gives it back.

    The stream is used for one text alone, and is of another salt than the answers' hash, which is
    public.
    """
    key = bytes.fromhex(answers_hash(value, f"{salt} reasons"))
    stream = hashlib.shake_256(key).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _canonical(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(entry) for entry in value]
    return value if isinstance(value, str | bool | int) else repr(value)


def _form_problem(data: Mapping[str, Any], value: Any) -> str | None:
    if (problem := _keys_problem(data, value, data["keys"])) is not None:
        return problem
    if data["keys"] is None:
        return _shape_problem("the answer", data["lengths"][0], value)
    pairs = zip(data["keys"], data["lengths"], strict=True)
    problems = (_shape_problem(repr(key), length, value[key]) for key, length in pairs)
    return next(filter(None, problems), None)


def _shape_problem(name: str, length: int | None, value: Any) -> str | None:
    """What is wrong with the form of one answer: ``length`` things, or a single one."""
    if value is None or value is ...:
        return f"{name} is not answered yet"
    if length is None:
        return None
    sized = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)
    found = len(value) if sized else None
    return None if found == length else f"{name} must have {length} entries"
