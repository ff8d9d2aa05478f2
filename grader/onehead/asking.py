"""How a part's cases are put to a learner's process, and what its replies come to."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from onehead import families
from onehead.model import Array, Case, Error, Outcome, Part
from onehead.sandbox import Missing, Question, Reply, Step

_MORE = 4  # cases of a part that are asked twice, besides one of each sort


@lru_cache(maxsize=1024)
def questions(part: Part) -> tuple[Question, ...] | None:
    """All questions of a part; None where a layer comes along, which may be called so often."""
    cases = families.planned(part)
    if any(callable(value) for case in cases for value in case.inputs.values()):
        return None
    return tuple(question(part, case) for case in cases)


def question(part: Part, case: Case) -> Question:
    """A case as a question; some of each sort are asked twice, to look at memory and state."""
    turn = _repeated(part).get(case.name)
    return Question(steps(part, case), again=turn is not None, turn=turn)


@lru_cache(maxsize=1024)
def _repeated(part: Part) -> Mapping[str, int]:
    """The first case of each sort, which may take a way of its own, and a few of the others.

    Each with the turn of its first run; the repetition has the next. They go round among the cases
    that give the same arguments.
    """
    cases = [case for case in families.planned(part) if not case.raises]
    first: dict[Any, str] = {}
    for case in cases:
        first.setdefault(
            tuple((name, _sort(value)) for name, value in case.inputs.items()), case.name
        )
    names = {*first.values(), *(c.name for c in cases[:: max(1, len(cases) // _MORE)])}
    turns: dict[Any, Iterator[int]] = {}
    return {
        case.name: next(turns.setdefault(_given(case), itertools.count(step=2)))
        for case in cases
        if case.name in names
    }


def _given(case: Case) -> frozenset[str]:
    return frozenset(name for name, value in case.inputs.items() if value is not None)


def _sort(value: Any) -> Any:
    """Kind and rank of an array, of a mask whether a row of it is empty; a switch itself; else the
    type.
    """
    if isinstance(value, np.ndarray):
        return value.dtype.kind, value.ndim, value.dtype == bool and not value.any(-1).all()
    return value if value is None or isinstance(value, bool) else type(value)


def steps(part: Part, case: Case) -> tuple[Step, ...]:
    """How a case is put to the learner's process."""
    name = part.defined_as
    inputs = [(key, value) for key, value in case.inputs.items() if key != "LEARNER"]
    if part.probe == "value":
        return (Step("value", name),)
    if part.probe == "call":
        return (Step("call", name, tuple(inputs)),)
    made = tuple((key, value) for key, value in inputs if key in part.init)
    args = tuple((key, value) for key, value in inputs if key not in part.init)
    if not args:
        return (Step("new", name, made),)
    uncaused, reshaped, other_first, other_tokens, other_mask = _other_questions(dict(args))
    other = zlib.crc32(case.name.encode()) % len(made)  # another matrix in another case
    return (
        Step("new", name, made),
        # Others made after it: it may have no matrix and no count in common with them.
        Step("new", name, tuple((key, _turned(W)) for key, W in made)),
        # One that differs by one matrix, asked the same: its answers are its own.
        Step(
            "new",
            name,
            tuple((key, _turned(W) if k == other else W) for k, (key, W) in enumerate(made)),
        ),
        Step("method", "trace", args, of=2),
        Step("method", "trace", uncaused),
        Step("method", "trace", reshaped),
        Step("method", "trace", other_first),
        Step("method", "trace", other_tokens),
        Step("method", "__call__", args),
        Step("method", "__call__", args),  # at once again: each answer has memory of its own
        Step("method", "__call__", other_mask),
        Step("method", "trace", args),
        Step("new", name, tuple((key, _enlarged(W)) for key, W in made)),
        Step("attr", "num_parameters"),
    )


def _other_questions(args: Mapping[str, Any]) -> tuple[tuple[tuple[str, Any], ...], ...]:
    """Asked in between, since an object may keep nothing of them.

    One token, with the other causality; the same numbers in another shape, or else one token with
    this causality; as the first of its shape, which may be kept, other tokens, with a mask where
    none is due and the other causality; other tokens, all else the same; the same tokens, with that
    mask and the other causality.
    """
    X, causal = args["X"], args.get("causal", True)
    mask = None
    if args.get("visible") is None:
        mask = np.tri(X.shape[-2], k=1, dtype=bool)[::-1].copy()
    turned, one = X[..., ::-1, :].copy(), X[..., :1, :].copy()
    same_numbers = _in_other_shapes(args) or {"X": one, "visible": None, "causal": causal}
    return (
        (("X", one), ("visible", None), ("causal", not causal)),
        tuple(same_numbers.items()),
        (("X", turned), ("visible", mask), ("causal", not causal)),
        tuple({**args, "X": turned}.items()),
        (("X", X), ("visible", mask), ("causal", not causal)),
    )


def _in_other_shapes(args: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The same numbers: of a sequence a batch of one, of a batch one sequence.

    Under a mask for all, as many items as tokens get a line of it each. Else None.
    """
    X, visible = args["X"], args.get("visible")
    if X.ndim == 2:
        return {**args, "X": X[None]}
    if visible is None:
        return {**args, "X": X.reshape(-1, X.shape[-1])}
    return {**args, "visible": visible[:, None].copy()} if visible.shape == X.shape[:2] else None


def _turned(matrix: Array) -> Array:
    return np.asarray(matrix)[::-1].copy()


def _enlarged(matrix: Array) -> Array:
    """One more row and one more column, which fits a layer's other matrices enlarged so."""
    return np.pad(np.asarray(matrix), ((0, 1), (0, 1)), mode="edge")


def alone(part: Part, case: Case) -> Question:
    """A case with nothing asked beside it: of an object, its call and its trace."""
    asked = steps(part, case)
    if part.probe != "class" or len(asked) == 1:
        return Question(asked)
    new, *_, call, _, _, trace, _, count = asked
    return Question((new, call, call, call, trace, new, count))


def outcome(part: Part, reply: Reply) -> Outcome:
    """A reply as the outcome of its case."""
    first = _one_outcome(part, reply.results)
    again = tuple(
        later.value
        for results in reply.again
        if (later := _one_outcome(part, results)).status == "returned"
    )
    return replace(first, notes=reply.notes, again=again)


def _one_outcome(part: Part, results: Sequence[Any]) -> Outcome:
    """One run's results as one outcome; an object's trace, call and count make one dict."""
    if part.probe != "class" or len(results) == 1:
        result = results[0]
        if isinstance(result, Error):
            return Outcome("raised", error=result)
        return Outcome("missing") if isinstance(result, Missing) else Outcome("returned", result)
    errors = [result for result in results if isinstance(result, Error)]
    new, *_, call, _, _, trace, _, count = results
    if isinstance(new, Error) or all(isinstance(r, Error) for r in (trace, call, count)):
        return Outcome("raised", error=errors[0])
    entries = dict(trace) if isinstance(trace, dict) else {}
    for name, value in (("call", call), ("num_parameters", count)):
        if name in entries:  # a trace does not answer for the call
            entries[f"{name} (in the trace)"] = entries.pop(name)
        if not isinstance(value, Error | Missing):
            entries[name] = value
    return Outcome("returned", entries, error=errors[0] if errors else None)
