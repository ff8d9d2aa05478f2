"""First cause, and credit for what follows.

Each stage is judged given the learner's own earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from onehead.compare import (
    allowed_error,
    as_array,
    compare_arrays,
    compare_plain,
    has_dtype,
    is_float32,
    near_miss,
)
from onehead.model import (
    Array,
    Case,
    Comparison,
    Names,
    NotReached,
    Opaque,
    Outcome,
    Part,
    Stage,
)


@dataclass(frozen=True)
class Judged:
    """One case's outcome and what its stages came to; ``earlier`` is what each stage was given."""

    case: Case
    outcome: Outcome
    comparisons: tuple[Comparison, ...] = ()
    earlier: Names = field(default_factory=Names)
    values: Mapping[str, Any] = field(default_factory=dict)  # the stages' values as answered
    form: str | None = None  # what is wrong with the answer's container: keys, length, type
    lost: bool = False  # an error took the answer, or of an object the trace

    def stage(self, name: str) -> Comparison | None:
        return next((c for c in self.comparisons if c.stage == name), None)

    def value(self, name: str) -> Array | None:
        """The learner's array of a stage, where later stages could be judged on it."""
        value = self.earlier.get(name)
        return value if isinstance(value, np.ndarray) else None


def judge(part: Part, case: Case, outcome: Outcome) -> Judged:
    """Hold each stage of one outcome against what is due.

    Stages that it does not reach are left out.
    """
    if outcome.status != "returned" or case.raises:
        return Judged(case, outcome, lost=outcome.status == "raised")
    values, form = unpack(part, outcome.value)
    inputs, earlier = Names(case.inputs), Names()
    lost = outcome.error is not None and values.get(part.stages[0].name) is None
    comparisons = []
    for stage in part.stages:
        if lost and values.get(stage.name) is None:
            continue
        try:
            with np.errstate(all="ignore"):
                comparison = compare_stage(stage, inputs, earlier, values.get(stage.name))
        except NotReached:
            continue
        comparisons.append(comparison)
        _keep(earlier, stage, comparison)
    return Judged(case, outcome, tuple(comparisons), earlier, values, form, lost)


def compare_stage(stage: Stage, inputs: Names, earlier: Names, got: Any) -> Comparison:
    """One stage of one case.

    Raises:
        NotReached: where a stage that this one is made from has no usable value.
    """
    if stage.judge is not None:
        text = stage.judge(inputs, got)
        return Comparison(stage.name, "value" if text else "ok", got=got, text=text or "")
    assert stage.want is not None, f"{stage.name} says neither what it wants nor how to judge"
    want = stage.want(inputs, earlier)
    if _has_floats(want):
        want = np.asarray(want)
    if not isinstance(want, np.ndarray):
        return compare_plain(stage, got, want)
    if want.dtype.kind == "f" and not np.isfinite(want).all():
        # The learner's own earlier numbers overflow: nothing is due here.
        raise NotReached(stage.name)
    comparison = compare_arrays(stage, got, want, allowed_error(stage, inputs, earlier))
    return near_miss(stage, inputs, earlier, comparison)


def _has_floats(want: Any) -> bool:
    """Whether plain data holds numbers that round: they are held against a bound, as arrays are."""
    if isinstance(want, list | tuple):
        return any(map(_has_floats, want))
    return isinstance(want, float | np.floating)


def _keep(earlier: Names, stage: Stage, comparison: Comparison) -> None:
    """Hand a stage to those after it.

    Right or wrong: an array if its shape fits and its numbers are finite, and a count.
    """
    if comparison.kind in ("ok", "value", "hidden") and isinstance(comparison.got, np.ndarray):
        dtype = bool if np.asarray(comparison.want).dtype == bool else np.float64
        earlier[stage.name] = comparison.got.astype(dtype)
    elif type(comparison.got) is int and type(comparison.want) is int:
        earlier[stage.name] = comparison.got


def unpack(part: Part, value: Any) -> tuple[Mapping[str, Any], str | None]:
    """The stages' values in an answer, by name, and what is wrong with its form."""
    names = [stage.name for stage in part.stages]
    if part.answer == "whole":
        return dict.fromkeys(names, value), None
    if part.answer == "single":
        return {names[0]: value}, None
    if part.answer == "tuple":
        return _unpack_tuple(names, value)
    if not isinstance(value, dict):
        return {}, f"a dict is due, not {describe_type(value)}"
    return {name: value.get(name) for name in names}, _keys_differ(part, names, value)


def _unpack_tuple(names: list[str], value: Any) -> tuple[Mapping[str, Any], str | None]:
    due = f"{len(names)} results are due ({', '.join(names)})"
    if not isinstance(value, tuple | list):
        return {}, f"{due}, not {describe_type(value)}"
    if len(value) != len(names):
        return {}, f"{due}, not {len(value)}"
    return dict(zip(names, value, strict=True)), None


def _keys_differ(part: Part, names: list[str], value: Mapping[str, Any]) -> str | None:
    missing = [name for name in names if name not in value]
    extra = [repr(str(key)[:40]) for key in value if key not in names]
    if missing:
        return f"the dict lacks {', '.join(map(repr, missing))}"
    if extra:
        more = f" and {len(extra) - 5} more" if len(extra) > 5 else ""
        return f"the dict has keys that are not due: {', '.join(extra[:5])}{more}"
    if part.answer == "trace" and list(value) != names:
        return f"the keys stand in the order {', '.join(value)}; due is {', '.join(names)}"
    return None


def describe_type(value: Any) -> str:
    """What a value is, for a learner.

    >>> describe_type(None), describe_type([1, 2]), describe_type(np.zeros((2, 3)))
    ('None', 'a list of 2', 'an array of shape (2, 3)')
    """
    if value is None:
        return "None"
    if isinstance(value, Opaque):
        return f"a value of type {value.type}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def wrong_dtype(part: Part, judged: Judged) -> tuple[Stage, str, str] | None:
    """The first stage that answers in another dtype than is due: the stage, its dtype, the due one.

    Float32 inputs give float32, all other inputs float64; a mask is bool.
    """
    for stage in part.stages:
        comparison = judged.stage(stage.name)
        if comparison is None or not isinstance(comparison.want, np.ndarray):
            continue
        got, due = judged.values.get(stage.name), comparison.want.dtype
        if due.kind == "f":
            due = np.dtype(np.float32 if is_float32(judged.case.inputs) else np.float64)
        if got is not None and has_dtype(got) and as_array(got) is not None and got.dtype != due:
            return stage, str(got.dtype), str(due)
    return None
