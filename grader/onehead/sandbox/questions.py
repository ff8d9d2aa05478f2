"""What can be asked of a learner's process, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from onehead.model import Error, Notes
from onehead.wire import Missing

Death = Literal["timed-out", "crashed", "out-of-memory"]


@dataclass(frozen=True)
class Limits:
    """``seconds`` of processor time for an exercise; ``memory`` in MB above the interpreter."""

    seconds: float = 20.0
    memory: int = 1024


@dataclass(frozen=True)
class Step:
    """One thing to ask for: ``do`` is "call", "value", "new", "method" or "attr".

    ``args`` are (argument name, value) pairs in positional order. ``of`` is the index of the
    "new" step whose object a "method" or "attr" step asks.
    """

    do: str
    name: str = ""
    args: tuple[tuple[str, Any], ...] = ()
    of: int = 0


@dataclass(frozen=True, eq=False)
class Question:
    """Steps to run, and whether to run them again to look at inputs, memory and state.

    With a ``turn`` each call is made with other contents first; it says which argument is the last
    to change.
    """

    steps: tuple[Step, ...]
    again: bool = False
    turn: int | None = None

    @property
    def repeats(self) -> bool:
        return self.again and any(step.do in ("call", "method") for step in self.steps)


@dataclass(frozen=True)
class Reply:
    """A result for each step, and those of the second run where they differ from the first."""

    results: tuple[Any | Error | Missing, ...]
    again: tuple[tuple[Any | Error | Missing, ...], ...] = ()
    notes: Notes = field(default_factory=Notes)


class Dead(Exception):
    """The child is gone. What it held is lost; the caller may open another."""

    def __init__(self, status: Death) -> None:
        super().__init__(status)
        self.status: Death = status


class SandboxError(Exception):
    """The sandbox itself failed: never the learner's fault, never a mark."""
