"""What a learner has reached, kept beside the notebooks in ``progress.jsonl``: a line a step.

Lines are only ever added, so several notebooks may write at once, and nothing is lost when one of
them is killed. How a part stands is the best that it has ever been: checking again never makes it
worse. Of answers that can be looked up again (a part with ``pointers``), what was missed on one day
comes back on another, until it is right on a day on which it was not missed before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal, get_args

from onehead.model import Exercise, Part, PartResult

FILE = "progress.jsonl"

# From bad to good. "near": more than half of the checks are right. "answered": numbers whose form
# alone can be looked at here.
State = Literal["open", "wrong", "near", "answered", "right"]
STATES: tuple[State, ...] = get_args(State)
DONE: tuple[State, ...] = ("answered", "right")


@dataclass(frozen=True)
class Step:
    """How a part stood on a day, as ``YYYY-MM-DD`` by the learner's clock."""

    exercise: str
    part: str
    state: State
    day: str


@dataclass
class Record:
    """The steps so far, in the order in which they were made."""

    steps: list[Step] = field(default_factory=list)

    def best(self, exercise: str, part: str) -> State:
        """The best that a part has ever been."""
        states = (step.state for step in self._of(exercise, part))
        return max(states, key=STATES.index, default="open")

    def missed(self, exercise: str, part: str) -> str | None:
        """The day on which a part was last missed and not made good on a later one, or None."""
        steps = [*self._of(exercise, part)]
        last = max((step.day for step in steps if step.state in ("wrong", "near")), default="")
        later = any(step.state in DONE and step.day > last for step in steps)
        return None if later else last or None

    def _of(self, exercise: str, part: str) -> Iterator[Step]:
        return (s for s in self.steps if (s.exercise, s.part) == (exercise, part))


def state_of(result: PartResult) -> State:
    """How a part stands by the result of its public checks."""
    if result.status in ("unfinished", "missing"):
        return "open"
    if result.status != "graded":
        return "wrong"
    if not result.findings:
        return "answered" if result.form_only else "right"
    if any("not answered yet" in finding.message for finding in result.findings):
        return "open"
    return "near" if 2 * result.checks_passed > len(result.checks) else "wrong"


def read(folder: Path) -> Record:
    """The record of a folder; an empty one where none is. Lines that can't be read are passed."""
    try:
        lines = (folder / FILE).read_bytes().splitlines()
    except OSError:
        return Record()
    return Record([step for step in map(_step, lines) if step is not None])


def _step(line: bytes) -> Step | None:
    try:
        step = Step(**json.loads(line))
        date.fromisoformat(step.day)
    except (ValueError, TypeError):
        return None
    return step if step.state in STATES else None


def note(
    folder: Path, exercise: Exercise, results: Iterable[PartResult], today: date | None = None
) -> Record:
    """Add to a folder's record what is news in the results of one exercise; the record now.

    Raises:
        OSError: it can't be written.
    """
    record = read(folder)
    day = (today or date.today()).isoformat()
    parts = {part.name: part for part in exercise.parts}
    seen = [
        Step(exercise.id, result.name, state_of(result), day)
        for result in results
        if result.name in parts
    ]
    news = [step for step in seen if _is_news(record, step, comes_back(parts[step.part]))]
    if news:
        _append(folder / FILE, news)
        record.steps += news
    return record


def comes_back(part: Part) -> bool:
    """Whether a part is asked again on another day when it was missed."""
    return bool(part.pointers)


def _is_news(record: Record, step: Step, again: bool) -> bool:
    best = record.best(step.exercise, step.part)
    if STATES.index(step.state) > STATES.index(best):
        return True
    if not again or step.state == "open":
        return False
    missed = record.missed(step.exercise, step.part)
    if step.state in DONE:
        return missed is not None and missed < step.day
    return missed != step.day


def _append(path: Path, steps: Sequence[Step]) -> None:
    """One write at the end of the file, on the disk when this returns."""
    text = "".join(json.dumps(asdict(step)) + "\n" for step in steps)
    if _is_cut_off(path):
        text = "\n" + text
    with open(path, "ab", buffering=0) as stream:
        stream.write(text.encode("utf-8"))
        os.fsync(stream.fileno())


def _is_cut_off(path: Path) -> bool:
    """Whether a file ends within a line: its writer was killed."""
    if not path.exists() or not path.stat().st_size:
        return False
    with open(path, "rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read() != b"\n"
