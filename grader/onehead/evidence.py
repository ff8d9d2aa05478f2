"""What a public case shows of a finding: the matrices side by side, and code to ask it again.

Of a hidden case there is no evidence: what is not collected here can't be shown anywhere.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from onehead.frozen import WRITTEN
from onehead.model import Array, Case, Comparison, Evidence, Finding, Part
from onehead.stages import Judged

_SHOWN = ("value", "hidden", "non-finite")
_NUMBERS = 80  # of a case's inputs, at most, in code that one would paste
_WIDTH = 76


def evidence(part: Part, judged: Judged, finding: Finding, probe: str = "") -> Evidence | None:
    """What may be shown of a finding that one case has; None where it is hidden or asks nothing."""
    if not judged.case.public or not judged.case.inputs:
        return None
    seen = Evidence(judged.case.name, call(part, judged.case), probe)
    stage = next((stage for stage in part.stages if stage.name == finding.stage), None)
    comparison = judged.stage(stage.name) if stage is not None else None
    if stage is None or stage.secret or comparison is None or comparison.kind not in _SHOWN:
        return seen
    return _with_matrices(seen, stage.axes, comparison)


def _with_matrices(seen: Evidence, axes: tuple[str, ...], comparison: Comparison) -> Evidence:
    """The evidence with the matrices of the first item that differs; of more axes, without."""
    got, want, wrong = comparison.got, comparison.want, comparison.wrong
    if wrong is None or not 1 <= np.ndim(want) <= 3 or not np.any(wrong):
        return seen
    item = int(np.argwhere(wrong)[0][0]) if np.ndim(want) == 3 else None
    here: Any = ... if item is None else item
    visible = np.asarray(want != 0)[here] if comparison.stage == "weights" else None
    return Evidence(
        seen.case,
        seen.call,
        seen.probe,
        axes[-np.ndim(want) :],
        item,
        got=np.asarray(got)[here],
        want=np.asarray(want)[here],
        wrong=np.asarray(wrong)[here],
        visible=visible,
    )


# --- code that asks again ----------------------------------------------------------------


def call(part: Part, case: Case) -> str:
    """Code that asks a case again; "" where its inputs are code, or too many numbers to read."""
    inputs = {name: value for name, value in case.inputs.items() if name != "LEARNER"}
    if case.twin is not None or part.probe == "value" or not all(map(_written, inputs.values())):
        return ""
    if _count(inputs) > _NUMBERS:
        return ""
    if part.probe == "call" and not any(isinstance(x, np.ndarray) for x in inputs.values()):
        pairs = ", ".join(f"{name}={literal(value)}" for name, value in inputs.items())
        return f"{part.defined_as}({pairs})"
    lines = [f"{name} = {literal(value)}" for name, value in inputs.items()]
    return "\n".join([*lines, _asked(part, inputs)])


def _asked(part: Part, inputs: dict[str, Any]) -> str:
    if part.probe == "call":
        return f"{part.defined_as}({', '.join(inputs)})"
    made = ", ".join(name for name in inputs if name in part.init)
    given = ", ".join(name for name in inputs if name not in part.init)
    return f"{part.defined_as}({made})" + (f".trace({given})" if given else "")


def _written(value: Any) -> bool:
    """Whether a value can be written as code."""
    if isinstance(value, dict):
        return all(map(_written, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_written, value))
    if value is None or isinstance(value, bool | int | float | str | np.ndarray):
        return True
    return isinstance(value, FunctionType) and value in WRITTEN


def _count(value: Any) -> int:
    """How many numbers or words a value holds."""
    if isinstance(value, np.ndarray):
        return int(value.size)
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list | tuple) else 1


def literal(value: Any) -> str:
    """A value as code: an array as ``np.array``, in rows where it is long.

    >>> literal(np.array([1.0, 2.5])), literal(np.array([[True]])), literal("W_Q")
    ('np.array([1.0, 2.5])', 'np.array([[True]])', "'W_Q'")
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {literal(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple) and any(isinstance(x, np.ndarray) for x in value):
        entries = ", ".join(map(literal, value))
        return f"[{entries}]" if isinstance(value, list) else f"({entries},)"
    if isinstance(value, FunctionType):
        return WRITTEN[value]
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f"np.array({_rows(value)}{_dtype(value)})"


def _rows(array: Array) -> str:
    whole = repr(array.tolist()).replace("inf", "np.inf").replace("nan", "np.nan")
    return whole if len(whole) <= _WIDTH or array.ndim < 2 else whole.replace("],", "],\n   ")


def _dtype(array: Array) -> str:
    usual = np.asarray(array.tolist()).dtype
    return "" if array.dtype == usual else f", dtype=np.{array.dtype}"
