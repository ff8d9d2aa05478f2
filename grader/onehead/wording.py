"""What a finding says: where, got, should be, and the sizes of the case."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from onehead.model import Array, Case, Comparison, Error, Family, Finding, Part, Stage
from onehead.stages import Judged, describe_type

_FAR = 1e4  # tolerances: an error of more is not to be taken for rounding by anybody
NOT_REACHED = "was not reached: mend what comes before it"


def owner(stage: Stage, comparison: Comparison) -> Family:
    """The family that a difference belongs to."""
    if comparison.kind in ("missing", "type", "shape"):
        return stage.family if stage.secret else "shape"
    if comparison.kind == "hidden":
        return "masking"
    return stage.family


def differing(part: Part, judged: Judged, family: Family) -> Iterator[tuple[Stage, Comparison]]:
    """The stages of one case that differ and belong to a family, in dependency order."""
    for stage in part.stages:
        comparison = judged.stage(stage.name)
        if comparison and comparison.kind != "ok" and owner(stage, comparison) == family:
            yield stage, comparison


def stage_findings(part: Part, judged: Judged, family: Family) -> Iterator[Finding]:
    """A finding for each stage of one case that differs and belongs to a family."""
    for stage, comparison in differing(part, judged, family):
        yield finding(judged.case, stage, comparison, family)


def finding(case: Case, stage: Stage, comparison: Comparison, family: Family) -> Finding:
    gone = comparison.kind == "missing" and case.public and not stage.secret
    where = f" in the case “{case.name}”" if gone else ""
    entry = comparison.kind in ("hidden", "value", "non-finite") and not stage.secret
    return Finding(
        check=case.check or stage.name,
        family=family,
        stage=stage.name,
        verdict=comparison.verdict,
        message=f"{describe(stage, comparison, case.public)}{where}{sizes(case)}",
        at=dict(comparison.at) if entry and comparison.at else None,
        expected=plain(comparison.want_at) if entry else None,
        got=plain(comparison.got_at) if entry else None,
        tolerances=two_digits(comparison.tolerances) if comparison.tolerances else None,
    )


def describe(stage: Stage, c: Comparison, public: bool = True) -> str:
    """One line on how a stage differs from what is due; of a hidden case, not what that is."""
    name = stage.name
    if c.text:
        return c.text
    if c.kind == "missing":
        return f"{name!r} is not answered" if stage.secret else f"{name} is missing or None"
    if c.kind == "type":
        return f"{name} is {describe_type(c.got)}, which can't be compared"
    if c.kind == "shape":
        due = f" ({', '.join(stage.axes)})" if len(stage.axes) == np.ndim(c.want) else ""
        return f"{name} has shape {np.shape(c.got)}, should be {np.shape(c.want)}{due}"
    if stage.secret:
        return _secret(name, c.got, c.want)
    if c.kind == "value" and not isinstance(c.want, np.ndarray):
        due = f", should be {c.want!r}" if public else ", which is not right"
        return f"{name} is {_short(c.got)}{due}"
    where = f"{name}[{place(c.at)}]" if c.at else name
    many = f"; {c.differing} of {c.size} entries differ" if c.size > 1 else ""
    if c.kind == "non-finite":
        return (
            f"{name} has {c.non_finite} of {c.size} entries that are NaN or infinite, the "
            f"first at [{place(c.at)}]"
        )
    if c.kind == "hidden":
        return f"{where} is {number(c.got_at)}, must be exactly 0: that key is hidden{many}"
    near = 0 < c.tolerances < _FAR
    worst = f", the worst by {number(c.tolerances)} times what rounding may do" if near else ""
    got, want = tell_apart(c.got_at, c.want_at)
    if not public:
        return f"{where} is {got}, which is not right{many}{worst}"
    return f"{where} is {got}, should be {want}{many}{worst}"


def _secret(name: str, got: Any, want: Any) -> str:
    """What a learner's own answer is, never what is due."""
    if isinstance(want, int) and isinstance(got, float | np.floating):
        return f"{name!r} is {got!r}, a float: a count is an int"
    if isinstance(want, bool | np.bool_) and not isinstance(got, bool | np.bool_ | int):
        return f"{name!r} is {_short(got)}, not True or False"
    return f"{name!r} is {_short(got)}, which is not right"


def _short(got: Any) -> str:
    """Plain data as code, or what it is where that takes too long."""
    scalar = isinstance(got, np.generic) or (isinstance(got, np.ndarray) and got.ndim == 0)
    text = " ".join(repr(got.item() if scalar else got).split())
    return text if len(text) <= 60 else describe_type(got)


def place(at: Mapping[str, int]) -> str:
    """An index in words.

    >>> place({"query": 1, "key": 0})
    'query 1, key 0'
    """
    return ", ".join(f"{axis} {index}" for axis, index in at.items())


def number(x: float | bool | None) -> str:
    """A number for reading: three significant digits, bools as words.

    >>> number(0.12345), number(True), number(-3.0)
    ('0.123', 'True', '-3')
    """
    return str(x) if x is None or isinstance(x, bool) else f"{x:.3g}"


def tell_apart(got: float | bool | None, want: float | bool | None) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ.

    >>> tell_apart(0.4, 0.37), tell_apart(2.0000001, 2.0)
    (('0.4', '0.37'), ('2.0000001', '2'))
    """
    if isinstance(got, float) and isinstance(want, float):
        for digits in range(3, 17):
            if f"{got:.{digits}g}" != f"{want:.{digits}g}":
                return f"{got:.{digits}g}", f"{want:.{digits}g}"
    return number(got), number(want)


def plain(x: float | bool | None) -> float | bool | str | None:
    """A number for results.jsonl: six digits, so that no last bit shows.

    Words where JSON has none.
    """
    if x is None or isinstance(x, bool):
        return x
    return float(f"{x:.6g}") if math.isfinite(x) else str(x)


def two_digits(x: float) -> float | None:
    return float(f"{x:.1e}") if math.isfinite(x) else None


def sizes(case: Case) -> str:
    """The sizes of a case by their names, as far as its inputs tell.

    >>> sizes(Case("c", {"X": np.zeros((3, 4)), "W_Q": np.zeros((4, 2))}))
    ' [T=3, d_model=4, d_k=2]'
    """
    found: dict[str, int] = {}
    for name, axes in (
        ("X", ("B", "T", "d_model")),
        ("W_Q", ("d_k",)),
        ("W_V", ("d_v",)),
        ("keys", ("T", "d_k")),
        ("values", ("d_v",)),
        ("scores", ("rows", "columns")),
    ):
        x = case.inputs.get(name)
        if isinstance(x, np.ndarray) and x.ndim:
            found |= dict(zip(axes[-x.ndim :], x.shape[-len(axes) :], strict=False))
    return f" [{', '.join(f'{name}={size}' for name, size in found.items())}]" if found else ""


def error_text(error: Error, public: bool = True) -> str:
    """A learner's own error, in one line; of a hidden case without its message, which may quote it.

    >>> mine = Error("KeyError", ("KeyError",), "'x'", "cell 2", 7)
    >>> error_text(mine), error_text(mine, public=False)
    ("KeyError: 'x' (cell 2, line 7)", 'KeyError (cell 2, line 7)')
    """
    where = f" ({error.cell}, line {error.line})" if error.line else ""
    message = " ".join(error.message.split())[:300] if public else ""
    return f"{error.type}: {message}{where}" if message else f"{error.type}{where}"


def moved(a: Array, b: Array) -> float:
    """The largest difference of two arrays of one shape, NaN counted as infinite."""
    with np.errstate(all="ignore"):
        difference = np.abs(a - b)
    return float(np.max(np.where(np.isnan(difference), np.inf, difference), initial=0.0))


def quoted(values: Any) -> str:
    return ", ".join(str(value) for value in values)
