"""One name for a mistake, or none: a mistake is recognised by what it computes.

A known mistake is named where, on every case that reaches the stage, the learner's value is what
the mistake computes from the same inputs and the learner's own earlier stages, and not what is due
on some of them. Where two different mistakes fit, nothing is named: a wrong name is worse than
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from onehead.compare import allowed_error, as_array, is_float32, plain_equal
from onehead.model import Array, Comparison, Misconception, Names, NotReached, Part, Stage
from onehead.stages import Judged

_SLACK = 64.0  # a mistake rounds in an order of its own: its bound is not the right formula's
_FLOAT32 = 2.0**-22  # relative error of a value that went through float32


# Mistakes that a call of any part can show: what they compute depends on what they are part of.
GENERAL = {
    name: Misconception(name, {}, says, "lesson-01")
    for name, says in (
        (
            "input-mutated",
            "The call changes its arguments: whoever made the call goes on with other numbers.",
        ),
        (
            "memory-shared",
            "A result and another array are one memory: who writes to one changes the other.",
        ),
        (
            "hidden-state",
            "Something is kept from one call to the next, so that the answer depends on the past.",
        ),
        (
            "low-precision",
            "Part of the work is done in a lower precision than that of the inputs.",
        ),
        (
            "integer-truncation",
            "Fractions are written into integers and lose their decimals.",
        ),
    )
}


def recognise(part: Part, stage: Stage, judged: Sequence[Judged]) -> Misconception | None:
    """The one known mistake that explains a stage's answers, or None."""
    reached = [j for j in judged if j.stage(stage.name) is not None]
    candidates = [m for m in part.misconceptions if stage.name in m.wrong]
    found = {m.name: m for m in reversed(candidates) if _explains(m, stage, reached)}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        return None
    name = _general(stage, reached)
    return GENERAL[name] if name else None


def _explains(mistake: Misconception, stage: Stage, reached: Iterable[Judged]) -> bool:
    """Whether a mistake computes the learner's value on each case, and a wrong one on some."""
    seen_wrong = False
    for judged in reached:
        comparison = judged.stage(stage.name)
        assert comparison is not None
        inputs = Names(judged.case.inputs)
        try:
            with np.errstate(all="ignore"):
                value = mistake.wrong[stage.name](inputs, judged.earlier)
        except (NotReached, ArithmeticError, ValueError, IndexError, TypeError):
            if comparison.kind == "ok":
                continue  # a case that the mistake has nothing to say on
            return False
        if not _same(stage, judged, comparison, value):
            return False
        seen_wrong = seen_wrong or comparison.kind != "ok"
    return seen_wrong


def _same(stage: Stage, judged: Judged, comparison: Comparison, value: object) -> bool:
    """Whether the learner's value is a mistake's, within what rounding may change."""
    if not isinstance(value, np.ndarray):
        return plain_equal(comparison.got, value)
    got = as_array(comparison.got)
    if got is None or got.shape != value.shape:
        return False
    if got.dtype == bool or value.dtype == bool:
        return bool(np.array_equal(got, value))
    got, value = got.astype(np.float64), value.astype(np.float64)
    inputs = Names(judged.case.inputs)
    unit = 2.0**-20 if is_float32(inputs) else 2.0**-46
    allowed: Array | float = 0.0
    if np.shape(comparison.want) == value.shape:
        allowed = _SLACK * np.asarray(allowed_error(stage, inputs, judged.earlier))
    with np.errstate(all="ignore"):
        close = np.abs(got - value) <= np.maximum(allowed, unit * (np.abs(value) + 1e-6))
    close |= _spoiled(got) & _spoiled(value)
    return bool(np.all(close))


def _spoiled(x: Array) -> Array:
    """The rows with a NaN or an infinity: which of their entries it is depends on style."""
    bad = ~np.isfinite(x)
    return bad if x.ndim == 0 else np.broadcast_to(bad.any(axis=-1, keepdims=True), x.shape)


def _general(stage: Stage, reached: Sequence[Judged]) -> str | None:
    """Mistakes that any stage can show: integers cut off, precision lost."""
    wrong = [(j, c) for j in reached if (c := j.stage(stage.name)) is not None and c.kind != "ok"]
    pairs = [
        (j, np.asarray(c.got), np.asarray(c.want)) for j, c in wrong if as_array(c.got) is not None
    ]
    if (
        not pairs
        or len(pairs) != len(wrong)
        or any(got.shape != want.shape for _, got, want in pairs)
    ):
        return None
    if all(_truncated(judged, got, want) for judged, got, want in pairs):
        return "integer-truncation"
    if all(_through_float32(judged, got, want) for judged, got, want in pairs):
        return "low-precision"
    return None


def _truncated(judged: Judged, got: Array, want: Array) -> bool:
    """Whether integer inputs gave what is due with its decimals cut off."""
    whole = all(x.dtype.kind in "iu" for x in judged.case.inputs.values() if _is_number_array(x))
    return whole and want.dtype.kind == "f" and np.array_equal(got, np.trunc(want))


def _is_number_array(x: object) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "iuf"


def _through_float32(judged: Judged, got: np.ndarray, want: np.ndarray) -> bool:
    """Whether a float64 answer is right to float32's precision alone: it was float32."""
    if want.dtype.kind != "f" or is_float32(judged.case.inputs):
        return False
    survives = np.array_equal(got, got.astype(np.float32).astype(np.float64))
    size = np.max(np.abs(want), initial=0.0)
    return bool(
        survives
        and np.all(np.abs(got - want) <= 16 * _FLOAT32 * np.maximum(np.abs(want), 0.1 * size))
    )
