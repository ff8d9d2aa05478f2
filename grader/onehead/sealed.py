"""Answers that nobody's package holds: of choices a slow hash, of numbers the form alone.

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
from typing import Any

import numpy as np

from onehead.model import FORM, Family, Pointer, Stage

ROUNDS = 50_000  # of the answers' hash: some 30 ms here, ten times that in a browser


def pointers(data: Mapping[str, Any]) -> tuple[Pointer, ...]:
    """The lessons that a part's hashes point to."""
    return tuple(filter(None, map(_pointer, data["sealed"])))


def _pointer(sealed: Mapping[str, Any]) -> Pointer | None:
    return Pointer(tuple(sealed["questions"]), sealed["lesson"]) if sealed["lesson"] else None


def judges(data: Mapping[str, Any], family: Family) -> Iterator[Stage]:
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


def seal(why: Mapping[str, str], value: Any, salt: str) -> str:
    """Why answers are right, so that only who has them can read it."""
    text = json.dumps(dict(why)).encode()
    return base64.b64encode(_mixed(text, value, salt)).decode()


def reasons(data: Mapping[str, Any]) -> Callable[[Any], Mapping[str, str]] | None:
    locked = [sealed for sealed in data["sealed"] if sealed["reasons"]]
    if not locked:
        return None

    def opened(value: Any) -> Mapping[str, str]:
        """No reasons for other answers than the right ones."""
        why: dict[str, str] = {}
        for sealed in locked:
            if _choices_problem(data, sealed, value) is None:
                text = base64.b64decode(sealed["reasons"])
                why |= json.loads(_mixed(text, _answers_to(sealed, value), sealed["salt"]))
        return why

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
