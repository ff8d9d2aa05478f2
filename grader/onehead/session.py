"""A learner's process over the parts of an exercise: opened, asked, and opened again."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from onehead import asking, families
from onehead.model import Case, Error, Outcome, Part, PartStatus
from onehead.sandbox import Answerer, Box, Budget, Dead, Death, Step
from onehead.source import Cell, Source
from onehead.wording import error_text


@dataclass(frozen=True)
class PartAnswers:
    """Outcomes by case name; ``seal`` is the same for the same outcomes, None for unlike any."""

    outcomes: Mapping[str, Outcome]
    seal: bytes | None = None


class Session:
    """A learner's cells in a process of their own, opened again without the cells that end it."""

    can_start_again = True  # with a fresh process, where asking in bulk ended the old one

    def __init__(self, source: Source, box: Box) -> None:
        self._source, self._box = source, box
        self._budget = Budget(box.limits)
        self._child: Answerer | None = None
        self._asked = False  # whether calls have been made in the child
        self._one_by_one = False  # whether a cell has ended the process
        self._errors: list[tuple[Cell, Error]] = []
        self.dead_cells: list[tuple[Cell, Death]] = []
        self.gave_up: Death | None = None
        self.died = False  # whether a process ended before it was to

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None
        self._asked = False

    def _lose(self) -> None:
        """Close what has ended by itself."""
        self.died = True
        self._close()

    def _open(self) -> Answerer:
        """The process with every cell run that does not end it.

        Raises:
            Dead: the budget ran out first.
        """
        while self._child is None:
            if len(self.dead_cells) > _MOST_DEAD_CELLS:
                self.gave_up = self.dead_cells[-1][1]
                raise Dead(self.gave_up)
            if self._budget.spent:
                self.gave_up = self.gave_up or "timed-out"
                raise Dead("timed-out")
            child = self._box.child(
                "__main__" if self._source.notebook else "submission", self._budget
            )
            self._child = child if self._run_cells(child) else None
        return self._child

    def _run_cells(self, child: Answerer) -> bool:
        """Run the cells in order; where one ends the process, leave it out from now on.

        All go at once first. Which of them ends the process shows when they go one by one.
        """
        self._errors = []
        dead = [cell for cell, _ in self.dead_cells]
        cells = [cell for cell in self._source.cells if cell not in dead]
        groups = [[cell] for cell in cells] if self._one_by_one else [cells]
        for group in groups:
            try:
                errors = child.run_cells([(c.name, c.source) for c in group], self._source.notebook)
            except Dead as end:
                self.died = True
                child.close()
                if self._one_by_one:
                    self.dead_cells.append((group[0], end.status))
                self._one_by_one = True
                return False
            self._errors += [
                (c, error) for c, error in zip(group, errors, strict=True) if error is not None
            ]
        return True

    def defines(self, name: str) -> bool:
        """Whether the cells define it; in a fresh process, if another part's calls ended this."""
        used = self._asked
        try:
            return name in self._open().defined([name])
        except Dead:
            self._lose()
        return self.defines(name) if used else False

    def why_missing(self, name: str) -> tuple[PartStatus, str]:
        """What became of a name that is not there: the status of the cell that held it."""
        definition = re.compile(
            rf"^[^\S\n]*(?:(?:async\s+)?(?:def|class)\s+{name}\b|{name}\s*[:=])", re.MULTILINE
        )
        for cell, status in self.dead_cells:
            if definition.search(cell.source):
                return status, f"{cell.name} {_ENDINGS[status]} and is left out, and {name} with it"
        for cell, error in self._errors:
            if definition.search(cell.source):
                return (
                    "missing",
                    f"{name} is not defined: {cell.name} ends early with {error_text(error)}",
                )
        if len(self.dead_cells) > _MOST_DEAD_CELLS:
            return self.dead_cells[-1][1], f"more than {_MOST_DEAD_CELLS} cells end the process"
        if self.gave_up is not None:
            return self.gave_up, "the time for this exercise was used up before"
        return "missing", f"{name} is not defined"

    def learner(self) -> str:
        """Whom the file names as its learner; "" where it names nobody."""
        try:
            (name,) = self._open().ask([Step("value", "LEARNER")], again=False).results
        except Dead:
            self._lose()
            return ""
        return name if isinstance(name, str) else ""

    def answers(self, part: Part, known: Container[tuple[Part, bytes]]) -> PartAnswers:
        """The outcome of every case; of answers whose result is known, their seal alone.

        All are asked at once first. Where that fails, a fresh process is asked one by one, so that
        no call takes another's time and a death is that of one call.

        Raises:
            Dead: a call ended the process.
        """
        if self.can_start_again and (at_once := self._at_once(part, known)) is not None:
            return at_once
        used = self._asked
        try:
            cases = families.planned(part)
            return PartAnswers({case.name: self.ask(part, case) for case in cases})
        except Dead as dead:
            # What other parts' calls left behind, such as an alarm, may have ended it.
            if not used or dead.status != "crashed":
                raise
        return self.answers(part, known)

    def _at_once(self, part: Part, known: Container[tuple[Part, bytes]]) -> PartAnswers | None:
        """The outcomes of all cases, asked in bulk; None where they have to be asked one by one."""
        if (questions := asking.questions(part)) is None:
            return None
        try:
            child = self._open()
            self._asked = True
            answers = child.ask_all(questions)
            if answers is None:
                return None
            if (part, answers.seal) in known:
                return PartAnswers({}, answers.seal)
            replies = answers.replies()
        except Dead:
            self._lose()
            return None
        outcomes = (asking.outcome(part, reply) for reply in replies)
        names = (case.name for case in families.planned(part))
        return PartAnswers(dict(zip(names, outcomes, strict=True)), answers.seal)

    def asked(self, part: Part, cases: Sequence[Case]) -> Mapping[str, Outcome]:
        """The outcomes of more cases of a part that is marked; {} where one ends the process."""
        layers = any(callable(value) for case in cases for value in case.inputs.values())
        try:
            if layers or not self.can_start_again:
                return {case.name: self.ask(part, case) for case in cases}
            questions = tuple(asking.question(part, case) for case in cases)
            child = self._open()
            self._asked = True
            answers = child.ask_all(questions)
            if answers is None:
                return {}
            outcomes = (asking.outcome(part, reply) for reply in answers.replies())
            return dict(zip((case.name for case in cases), outcomes, strict=True))
        except Dead:
            self._lose()
            return {}

    def asked_first(self, part: Part, case: Case) -> Outcome | None:
        """The outcome of a case in a fresh process; None where there is none to be had."""
        if not self.can_start_again:
            return None
        self._close()
        try:
            if not self.defines(part.defined_as):
                return None
            child = self._open()
            self._asked = True
            reply = child.ask(asking.alone(part, case).steps, again=False)
        except Dead:
            self._lose()
            return None
        return asking.outcome(part, reply)

    def ask(self, part: Part, case: Case) -> Outcome:
        """The outcome of one case.

        Raises:
            Dead: the call ended the process; the next part gets a fresh one.
        """
        try:
            child = self._open()
            self._asked = True
            question = asking.question(part, case)
            return asking.outcome(part, child.ask(question.steps, question.again, question.turn))
        except Dead:
            self._lose()
            raise


_MOST_DEAD_CELLS = 20  # after each of them all other cells are run again
_ENDINGS: Mapping[str, str] = {
    "timed-out": "does not come to an end",
    "crashed": "ends the process",
    "out-of-memory": "asks for more memory than it may have",
}
