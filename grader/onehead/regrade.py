"""A class graded again after a fix: whose marks would change, and why, before they do.

The new grading goes to a folder of its own beside the results, and is kept there: looking costs no
mark, and applying what was looked at grades nothing twice. Of a submission that can't be graded
now, the marks stay.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onehead import course, intake, ledger, overrides
from onehead.classroom import Class, Replacement, Run, grade_class, replace_results
from onehead.errors import OneheadError
from onehead.folder_names import safe_names
from onehead.grading import Order, workers
from onehead.model import ExerciseResult, PartResult, Result
from onehead.pace import Progress
from onehead.render.text import printable
from onehead.reporting import as_graded, load, record_of
from onehead.reports.jsonl import to_line

BESIDE = ".regrade"


@dataclass(frozen=True)
class Change:
    """A part whose score would be another one."""

    submission: str
    exercise: str
    part: str
    before: float
    after: float
    why: str

    @property
    def place(self) -> tuple[str, str, str]:
        return self.submission, self.exercise, self.part

    def but_for(self, own: set[tuple[str, str, str]]) -> Change:
        """The same, told apart where an instructor's own mark stands whatever the grader finds."""
        return replace(self, why=f"{self.why}; your own mark stands") if self.place in own else self

    def line(self) -> str:
        where = f"{self.submission}: {self.exercise} {self.part}"
        return printable(f"{where}: {self.before:g} -> {self.after:g} ({self.why})")


def run(order: Order, only: str | None, apply: bool, say: Callable[[str], None]) -> Run:
    """Grade again, tell what would change, and change it where that is asked for.

    Raises:
        OneheadError: there are no results yet, or no such exercise.
    """
    exercises = course.load()
    ids = [exercise.id for exercise in exercises]
    if only is not None and only not in ids:
        raise OneheadError(f"--exercise is {only!r}; it can be one of {', '.join(ids)}")
    load(order.out)  # refuses results or decisions that can't be read
    before = {result.submission: result for result in as_graded(order.out).results}
    with (
        workers(order, say) as (proof, elsewhere),
        intake.opened(order.submissions, exercises, order.late) as taken,
    ):
        known = [learner for learner in taken.learners if learner.name in before]
        beside = order.out / BESIDE
        mine = Class(
            order.submissions,
            beside,
            order.limits,
            proof,
            order.jobs,
            order.resume,
            known,
            decided_in=order.out,
            cluster=elsewhere,
        )
        done = grade_class(mine, Progress(sys.stderr))
    after = {result.submission: result for result in as_graded(beside).results}
    for line in _apart(before, after, [learner.name for learner in taken.learners]):
        say(line)
    merged = {
        name: _merged(result, after[name], only) if name in after else result
        for name, result in before.items()
    }
    own = {(d.submission, d.exercise, d.part) for d in overrides.read(order.out)}
    touched = _touched(order.out, beside)
    changes = [change.but_for(own) for change in _changes(before, merged, touched)]
    for change in changes:
        say(change.line())
    for line in _summary(changes, before, only, _elsewhere(before, after, only), apply):
        say(line)
    if apply and merged != before:
        whole = [name for name, result in after.items() if merged[name] == result]
        pages = _pages(beside, [learner.name for learner in known], whole)
        _apply(replace(mine, out=order.out, decided_in=None), merged, pages, beside, only)
    return done


def _merged(old: Result, new: Result, only: str | None) -> Result:
    """The old result with the new one's exercise, or with all of them."""
    if only is None:
        return new
    theirs = {exercise.id: exercise for exercise in new.exercises}
    return replace(
        old,
        exercises=tuple(theirs[e.id] if e.id == only else e for e in old.exercises),
    )


# --- what would change -------------------------------------------------------------------


def _changes(
    before: Mapping[str, Result], after: Mapping[str, Result], touched: frozenset[str]
) -> Iterator[Change]:
    for name, old in before.items():
        for was, now in _pairs(old, after[name]):
            for part, score, reason in _parts(was, now):
                told = f"{reason}; its files have changed since" if name in touched else reason
                yield Change(name, now.id, part, *score, told)


def _pairs(old: Result, new: Result) -> Iterator[tuple[ExerciseResult, ExerciseResult]]:
    """Each exercise of two results; one that is missing in either counts as without parts."""
    olds, news = ({e.id: e for e in result.exercises} for result in (old, new))
    for id in dict.fromkeys((*olds, *news)):
        yield (
            olds.get(id) or ExerciseResult(id, news[id].status, 0.0),
            news.get(id) or ExerciseResult(id, olds[id].status, 0.0),
        )


def _parts(
    was: ExerciseResult, now: ExerciseResult
) -> Iterator[tuple[str, tuple[float, float], str]]:
    old = {part.name: part for part in was.parts}
    new = {part.name: part for part in now.parts}
    for name in dict.fromkeys((*old, *new)):
        a, b = old.get(name), new.get(name)
        scores = (a.score if a else 0.0), (b.score if b else 0.0)
        if scores[0] != scores[1]:
            yield name, scores, why(was, now, a, b)


def why(
    was: ExerciseResult, now: ExerciseResult, a: PartResult | None, b: PartResult | None
) -> str:
    """What makes the difference between a part's two results, in one line."""
    if was.status != now.status:
        return f"the exercise was {was.status}, now {now.status}"
    if a is None or b is None:
        return "a part that is new" if a is None else "a part that is gone"
    if a.status != b.status:
        return f"was {a.status}, now {b.status}"
    failed_then = {finding.check for finding in a.findings}
    now_failed = {f.check: f.message for f in b.findings if f.check not in failed_then}
    fail_now = {finding.check for finding in b.findings}
    right_now = [f.check for f in a.findings if f.check in b.checks and f.check not in fail_now]
    told = [f"now right: {', '.join(right_now)}"] if right_now else []
    told += [f"now not right: {check}, {message}" for check, message in now_failed.items()]
    if a.checks != b.checks or a.max_score != b.max_score:
        told.append("other checks or points")
    return "; ".join(told) or "other checks or points"


def _touched(out: Path, beside: Path) -> frozenset[str]:
    """The submissions that are not what they were when they were graded."""
    then, now = ledger.digests(out), ledger.digests(beside)
    return frozenset(name for name in now if name in then and then[name] != now[name])


def _elsewhere(
    before: Mapping[str, Result], after: Mapping[str, Result], only: str | None
) -> tuple[str, ...]:
    """Other exercises whose marks the fix would change, too."""
    if only is None:
        return ()
    both = [(old, after[name]) for name, old in before.items() if name in after]
    pairs = [pair for old, new in both for pair in _pairs(old, new)]
    return tuple(dict.fromkeys(a.id for a, b in pairs if a.id != only and a.score != b.score))


# --- what is told ------------------------------------------------------------------------


def _apart(
    before: Mapping[str, Result], after: Mapping[str, Result], there: Sequence[str]
) -> Iterator[str]:
    for name in before:
        if name not in there:
            yield printable(f"{name} is not among the submissions: its marks stay")
        elif name not in after:
            yield printable(f"the grader failed on {name} this time: its marks stay")
    for name in there:
        if name not in before:
            yield printable(f"{name} has no marks yet: onehead grade gives it some")


def _summary(
    changes: Sequence[Change],
    before: Mapping[str, Result],
    only: str | None,
    elsewhere: Sequence[str],
    apply: bool,
) -> Iterator[str]:
    who = len({change.submission for change in changes})
    up = len({change.submission for change in changes if change.after > change.before})
    down = len({change.submission for change in changes if change.after < change.before})
    verb = "have changed" if apply else "would change"
    where = f" in {only}" if only else ""
    told = f"marks {verb}{where} for {who} of {len(before)} submissions"
    yield f"{told}: {up} gain, {down} lose" if changes else told
    if elsewhere:
        yield f"other exercises would change, too, and were left: {', '.join(elsewhere)}"
    if changes and not apply:
        yield "nothing is changed yet: run the same with --apply to change it"


# --- changing ----------------------------------------------------------------------------


def _pages(beside: Path, known: Sequence[str], whole: Sequence[str]) -> dict[str, str]:
    """The new pages of results that are taken as a whole; they show more than results hold."""
    folders = safe_names(known)
    paths = {name: beside / "feedback" / folders[name] / "index.html" for name in whole}
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items() if path.exists()}


def _apply(
    order: Class,
    results: Mapping[str, Result],
    pages: Mapping[str, str],
    beside: Path,
    only: str | None,
) -> None:
    """Put the results in place. They count as graded by what graded them now."""
    made_from = ledger.digests(order.out) | ledger.digests(beside)
    record = {
        **record_of(order.out),
        "regraded": only or "all",
        "isolation": order.proof.as_json(),
    }
    replacements = [
        Replacement(name, made_from.get(name, ""), to_line(result), pages.get(name))
        for name, result in results.items()
    ]
    replace_results(order, replacements, record)
