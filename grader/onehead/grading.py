"""One run over what was handed in: taken in, graded, entered in a gradebook, told."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onehead import course, intake, ledger
from onehead.classroom import Class, Run, grade_class
from onehead.errors import OneheadError
from onehead.gradebook import Book
from onehead.intake import Intake
from onehead.isolation import Proof, choose
from onehead.pace import Progress
from onehead.render.text import printable
from onehead.reporting import stored
from onehead.sandbox import Limits
from onehead.sorting import Late, Match

if TYPE_CHECKING:
    from onehead.cluster import Cluster

MOST = 20  # files told of in one run; all of them stand in run.json


@dataclass(frozen=True)
class Order:
    """What was asked for: whose work, where results go, how code is run."""

    submissions: Path
    out: Path
    limits: Limits
    isolation: str = "auto"
    jobs: int = 1
    resume: bool = True
    late: Late = "read"
    gradebook: str | None = None
    scheduler: str | None = None  # of a cluster that grades in this machine's place


def run(order: Order, say: Callable[[str], None], warn: Callable[[str], None]) -> Run:
    """Grade what was handed in, and say what came of it.

    Raises:
        OneheadError: it can't be done as asked.
    """
    exercises = course.load()
    book = None if order.gradebook is None else Book(order.gradebook, exercises)
    before = _marks(order.out)
    with (
        workers(order, warn) as (proof, elsewhere),
        intake.opened(order.submissions, exercises, order.late) as taken,
    ):
        if proof.warning:
            warn(proof.warning)
        for line in asking(taken):
            warn(line)
        done = grade_class(
            Class(
                order.submissions,
                order.out,
                order.limits,
                proof,
                order.jobs,
                order.resume,
                taken.learners,
                tuple(map(_record, taken.asking)),
                cluster=elsewhere,
            ),
            Progress(sys.stderr),
        )
        for line in summary(done, order.out):
            say(line)
        for line in changed(before, _marks(order.out)):
            warn(line)
        if book is not None:
            for line in book.save_run(taken.learners, order.out).lines():
                say(printable(line))
    return done


@contextlib.contextmanager
def workers(order: Order, warn: Callable[[str], None]) -> Iterator[tuple[Proof, Cluster | None]]:
    """The isolation that is proved where code will run, and the cluster if it is not here.

    Raises:
        OneheadError: that isolation can't be had there, or the cluster can't be used.
    """
    if order.scheduler is None:
        yield choose(order.isolation), None
        return
    from onehead import cluster  # asyncio and more, which few runs need

    with cluster.connected(order.scheduler) as elsewhere:
        if caution := cluster.caution(order.scheduler):
            warn(caution)
        yield elsewhere.prove(order.isolation, order.limits), elsewhere


def summary(run: Run, out: Path) -> Iterator[str]:
    """What a run came to, in a few lines."""
    kept = f" ({run.kept} of them unchanged since an earlier run)" if run.kept else ""
    graded = "1 submission" if run.graded == 1 else f"{run.graded} submissions"
    yield f"{graded} graded, results in {out}{kept}"
    for name, why in sorted(run.failures.items()):
        yield f"the grader failed on {printable(name)}: {printable(why)}"


def _marks(out: Path) -> dict[str, tuple[str, float]]:
    """What each result in a folder was made from, and its score; nothing where there is none."""
    made_from = ledger.digests(out)
    try:
        return {r.submission: (made_from.get(r.submission, ""), r.score) for r in stored(out)}
    except OneheadError:
        return {}


def changed(
    before: Mapping[str, tuple[str, float]], after: Mapping[str, tuple[str, float]]
) -> Iterator[str]:
    """A line where the same files have other marks than in an earlier run."""
    names = [
        name
        for name, (made_from, score) in before.items()
        if name in after and made_from == after[name][0] != "" and score != after[name][1]
    ]
    if names:
        yield printable(
            f"the course or the grader has changed: {len(names)} submissions have other marks for "
            f"the same files ({', '.join(names[:MOST])}); onehead regrade shows such changes first"
        )


# --- what was handed in ------------------------------------------------------------------


def asking(taken: Intake) -> Iterator[str]:
    """The files that somebody has to look at, a line each; and who is late, in one."""
    if late := {match.submission for match in taken.matches if match.late and match.stem}:
        who = "1 submission has" if len(late) == 1 else f"{len(late)} submissions have"
        yield f"{who} files that the LMS marks as late: they count; --late leave leaves them"
    for match in taken.asking[:MOST]:
        yield _line(match)
    if len(taken.asking) > MOST:
        yield f"and {len(taken.asking) - MOST} more files to look at: see --dry-run"


def dry_run(submissions: Path, late: Late) -> Iterator[str]:
    """What each file would be read as; nothing is run and nothing written."""
    exercises = course.load()
    with intake.opened(submissions, exercises, late) as taken:
        by_learner = {learner.name: _of(taken.matches, learner.name) for learner in taken.learners}
        for name, matches in by_learner.items():
            read = sum(bool(match.stem) for match in matches)
            yield f"{printable(name)}: {read} of {len(exercises)} exercises"
            for match in matches:
                yield f"  {_told(match)}"
        if strays := _of(taken.matches, ""):
            yield "nobody's:"
            for match in strays:
                yield f"  {_told(match)}"
        asks = len(taken.asking)
        files = "1 file" if asks == 1 else f"{asks} files"
        who = "1 submission" if len(by_learner) == 1 else f"{len(by_learner)} submissions"
        yield f"{who}; {files} to look at, marked with !"


def _of(matches: Iterable[Match], name: str) -> list[Match]:
    return [match for match in matches if match.submission == name]


def _told(match: Match) -> str:
    mark = "!" if match.asks else " "
    what = f" -> {match.stem}" if match.stem else ""
    told = "; ".join([*filter(None, [match.told]), *(["late"] if match.late else [])])
    return printable(f"{mark} {match.file}{what}{f' ({told})' if told else ''}")


def _line(match: Match) -> str:
    return printable(f"{match.file} {match.told}")


def _record(match: Match) -> dict[str, str]:
    return {"submission": match.submission, "file": match.file, "told": match.told}
