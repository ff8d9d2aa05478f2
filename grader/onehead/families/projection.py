"""Projections: Q, K, V, the output and what is said about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from onehead.families import Example, returned
from onehead.model import Case, Family, Finding, Part, Stage
from onehead.stages import Judged
from onehead.wording import stage_findings

FAMILY: Family = "projection"


def plan(part: Part) -> tuple[Case, ...]:
    return ()


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    yield from stage_findings(part, judged, FAMILY)


_PROJECT = Part(
    "project",
    1,
    (
        Stage(
            "Q",
            "projection",
            want=lambda i, e: i.X @ i.W_Q,
            allow=lambda i, e, r: r.of(5) * np.abs(i.X) @ np.abs(i.W_Q),
            axes=("token", "feature"),
        ),
    ),
    (
        Case(
            "one token", {"X": np.array([[1.0, 2.0]]), "W_Q": np.array([[1.0], [0.5]])}, public=True
        ),
    ),
)
EXAMPLES = (
    Example(_PROJECT, {"one token": returned(np.array([[2.0]]))}),
    Example(_PROJECT, {"one token": returned([[2.0]])}),
    Example(
        _PROJECT,
        {"one token": returned(np.array([[2.0000001]]))},
        ("Q[token 0, feature 0] is 2.0000001, should be 2 [T=1, d_model=2, d_k=1]",),
    ),
    Example(
        _PROJECT,
        {"one token": returned(np.array([[2.0 + 2.0**-41]]))},
        (
            "Q[token 0, feature 0] is 2.0000000000005, should be 2, the worst by 205 times what "
            "rounding may do [T=1, d_model=2, d_k=1]",
        ),
    ),
)
