"""Shapes and forms: what is there, of which type and shape; what must be refused.

What must not raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from onehead.families import Example, returned
from onehead.model import Case, Error, Family, Finding, Outcome, Part, Stage
from onehead.stages import Judged, describe_type
from onehead.wording import describe, error_text, sizes, stage_findings

FAMILY: Family = "shape"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    case, outcome = judged.case, judged.outcome
    if case.raises:
        if (problem := _refusal(case, outcome)) is not None:
            yield Finding(case.check or "behaviour", case.family, None, "wrong", problem)
        return
    if outcome.status == "raised" and outcome.error is not None:
        yield from _raised(part, case, outcome.error)
        return
    if outcome.error is not None and part.behaviour:
        text = error_text(outcome.error, case.public)
        yield Finding("behaviour", FAMILY, None, "wrong", text)
    if judged.form is not None and part.behaviour:
        yield Finding("behaviour", FAMILY, None, "wrong", judged.form)
    if part.behaviour and (absent := _absent(part, judged)) is not None:
        yield absent
    if judged.form is not None and not judged.values:
        yield from _formless(part, case, judged.form)
        return
    yield from stage_findings(part, judged, FAMILY)


def _absent(part: Part, judged: Judged) -> Finding | None:
    """Where there is no value, nothing has shown how it behaves."""
    for stage in part.stages:
        comparison = judged.stage(stage.name)
        if comparison is not None and comparison.kind in ("missing", "type"):
            text = describe(stage, comparison)
            return Finding("behaviour", FAMILY, stage.name, "wrong", text)
    return None


def _refusal(case: Case, outcome: Outcome) -> str | None:
    """What is wrong with how a call was refused, or None where it was refused as it should be."""
    asked = f"{case.name}{sizes(case)}: a ValueError is due"
    if outcome.status == "returned":
        return f"{asked}, not {describe_type(outcome.value)}"
    error = outcome.error
    if error is None:
        return f"{asked}, the call ended as {outcome.status}"
    if "ValueError" not in error.bases:
        return f"{asked}, not {error_text(error, case.public)}"
    absent = [word for word in case.raises if not _says(error.message, word)]
    tells_ranks = bool(case.ranks) and all(_says(error.message, rank) for rank in case.ranks)
    if absent and not tells_ranks:
        it_says = f"; it says {error.message[:200]!r}" if case.public else ""
        return f"{case.name}{sizes(case)}: the message must name {' and '.join(absent)}{it_says}"
    return None


def _says(message: str, word: str) -> bool:
    """Whether a size or a name stands in a message as a whole.

    4 is not in 42 or 4.5, but in 4x5. An empty name stands in any.
    """
    if not word:
        return True
    before, after = (
        (r"(?<!\d)(?<!\d\.)", r"(?!\.?\d)") if word[-1].isdigit() else (r"(?<!\w)", r"(?!\w)")
    )
    return re.search(before + re.escape(word) + after, message) is not None


def _raised(part: Part, case: Case, error: Error) -> Iterator[Finding]:
    """An error on a valid case: a trace's stages are judged on the cases that reach them."""
    family = FAMILY if part.behaviour else part.stages[0].family
    text = f"{case.name}{sizes(case)}: {error_text(error, case.public)}"
    if part.answer == "trace":
        yield Finding("behaviour", family, None, "wrong", text)
        return
    for check in [case.check] if case.check else [stage.name for stage in part.stages]:
        yield Finding(check, family, None, "wrong", text)


def _formless(part: Part, case: Case, form: str) -> Iterator[Finding]:
    """Nothing of the answer can be read: each of its stages is wrong for the same reason."""
    for stage in part.stages:
        yield Finding(case.check or stage.name, FAMILY, stage.name, "wrong", form)


_PAIR = Part(
    "pair",
    1,
    (
        Stage("first", "numerical", want=lambda i, e: i.x, allow=lambda i, e, r: r.of(1) * i.x),
        Stage(
            "second",
            "numerical",
            want=lambda i, e: i.x.T,
            allow=lambda i, e, r: r.of(1) * i.x.T,
            axes=("row", "column"),
        ),
    ),
    (
        Case("a matrix", {"x": np.ones((2, 3))}, public=True),
        Case("a vector of 4", {"x": np.ones(4)}, True, check="raises", raises=("4", "2")),
        Case("two axes more", {}, True, check="raises", raises=("5",), ranks=("4", "2")),
        Case("a hidden matrix", {"x": np.ones((2, 3))}),
    ),
    answer="tuple",
    behaviour=True,
)
_REFUSED = Outcome("raised", error=Error("ValueError", ("ValueError", "Exception"), "4 is not 2"))
EXAMPLES = (
    Example(
        _PAIR,
        {
            "a matrix": returned((np.ones((2, 3)), np.ones((3, 2)))),
            "a vector of 4": _REFUSED,
            "two axes more": _REFUSED,
        },
    ),
    Example(
        _PAIR,
        {"a matrix": returned((np.ones((2, 3)), np.ones((2, 3)))), "a vector of 4": returned(1.0)},
        (
            "second has shape (2, 3), should be (3, 2) (row, column)",
            "a vector of 4: a ValueError is due, not a float",
        ),
    ),
    Example(
        _PAIR,
        {
            "a matrix": returned(np.ones((2, 3))),
            "a vector of 4": Outcome(
                "raised", error=Error("ValueError", ("ValueError",), "size 42 is not 2")
            ),
            "two axes more": Outcome(
                "raised", error=Error("ValueError", ("ValueError",), "rank 4")
            ),
        },
        (
            "2 results are due (first, second), not an array of shape (2, 3)",
            "first is missing or None",
            "a vector of 4: the message must name 4; it says 'size 42 is not 2'",
            "two axes more: the message must name 5; it says 'rank 4'",
        ),
    ),
    Example(
        _PAIR,
        {
            "a matrix": Outcome(
                "raised", error=Error("KeyError", ("KeyError", "LookupError"), "'x'", "cell 2", 7)
            ),
            "a vector of 4": Outcome("raised", error=Error("TypeError", ("TypeError",), "4 or 2?")),
        },
        (
            "a matrix: KeyError: 'x' (cell 2, line 7)",
            "a vector of 4: a ValueError is due, not TypeError: 4 or 2?",
        ),
    ),
    Example(
        _PAIR,
        {
            "a hidden matrix": Outcome(
                "raised", error=Error("KeyError", ("KeyError",), "what it holds", "cell 2", 7)
            ),
        },
        ("a hidden matrix: KeyError (cell 2, line 7)",),
    ),
)
