"""Grading, side by side: onehead isolated, nbgrader, and the same checks warm in one process.

    python benchmarks/speed.py [--quick] [--large]

Prints the tables of ``docs/performance.md``. Everything runs on the same submissions, in one run of
this program, so that ratios hold on any machine; seconds are of this one. Processor time is what
counts, since a class is graded on all cores: of ``onehead``, the grader's and the learners'
processes'; of ``nbgrader autograde``, which grades the whole class in one process, its own and its
kernels' (the processes that our hidden cells start are left out, in nbgrader's favour).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import classes
import numpy as np
import orphans

import onehead_solutions
from onehead.grade import drawn, grade_part
from onehead.in_notebook import Here
from onehead.sandbox import Box, Limits
from onehead.session import Session
from onehead.submission import SubmissionFolder, find, read
from onehead_release import bundle

BIN = Path(sys.executable).parent
STEMS = [exercise.stem for exercise in onehead_solutions.load()]
LESSON_4, LESSON_8 = ["04_matrix_form"], ["08_audit"]


@dataclass(frozen=True)
class Cost:
    """Processor seconds and wall seconds of a class; peak memory in MB."""

    cpu: float
    wall: float
    grader_memory: int = 0
    all_memory: int = 0


# --- the three ways ----------------------------------------------------------------------


def onehead(submitted: Path, out: Path, jobs: int) -> Cost:
    shutil.rmtree(out, ignore_errors=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [BIN / "onehead", "grade", submitted, "--out", out, "--jobs", str(jobs)]
    started = time.monotonic()
    before = _children_cpu()
    process = subprocess.Popen(
        [*map(str, command), "--isolation", "namespaces"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,  # without, all of ours would be compiled anew
    )
    with _peaks(process.pid) as peaks:
        if process.wait() != 0:
            raise SystemExit("onehead could not grade the class")
    wall = time.monotonic() - started
    orphans.reap()
    record = json.loads((out / "run.json").read_text())
    # Learners' processes end under bubblewrap, out of sight of this program's own children.
    cpu = _children_cpu() - before + record["cpu_seconds"]["learners"]
    return Cost(cpu, wall, *peaks)


def nbgrader(course: Path, submitted: Path) -> Cost:
    shutil.rmtree(course / "submitted", ignore_errors=True)
    shutil.rmtree(course / "autograded", ignore_errors=True)
    for database in course.glob("gradebook.db*"):
        database.unlink()
    shutil.copytree(submitted, course / "submitted")
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}

    def run(*arguments: str) -> None:
        subprocess.run(
            [str(BIN / "nbgrader"), *arguments], cwd=course, env=environment, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    run("generate_assignment", "self-attention", "--force")  # fills its gradebook
    before, started = _children_cpu(), time.monotonic()
    run("autograde", "self-attention", "--force")
    return Cost(_children_cpu() - before, time.monotonic() - started)


class _Warm(Session):
    """The same questions, put to a namespace of this process."""

    can_start_again = False

    def __init__(self, submission: SubmissionFolder, stem: str, box: Box) -> None:
        source = read(submission, [stem]).sources[stem]
        super().__init__(source, box)
        namespace: dict[str, object] = {"__name__": "__main__"}
        self._child = Here(namespace)
        for cell in source.cells:
            with contextlib.suppress(Exception):  # a learner's own, as in a notebook
                exec(compile(cell.source, cell.name, "exec"), namespace)


def floor(learners: Sequence[SubmissionFolder], stems: Sequence[str]) -> Cost:
    """No isolation, no files, no reports: what the checks themselves cost."""
    exercises = [e for e in onehead_solutions.load() if e.stem in stems]
    box = Box(Limits())
    cpu, wall = time.process_time(), time.monotonic()
    with open(os.devnull, "w") as silence:
        real, sys.stdout = sys.stdout, silence
        try:
            for learner in learners:
                for exercise in exercises:
                    session = _Warm(learner, exercise.stem, box)
                    name = session.learner() if exercise.draws else None
                    for part in exercise.parts:
                        grade_part(drawn(part, name), session)
        finally:
            sys.stdout = real
    return Cost(time.process_time() - cpu, time.monotonic() - wall)


# --- measuring ---------------------------------------------------------------------------


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _peaks(pid: int) -> Iterator[list[int]]:
    """Peak resident memory in MB while it runs: of a process, and of the largest below it."""
    peaks, over = [0, 0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            for k, processes in enumerate(([pid], _below(pid))):
                peaks[k] = max([peaks[k], *map(_memory, processes)])

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    yield peaks
    over.set()
    watcher.join()


def _below(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        try:
            for task in Path(f"/proc/{each}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found[1:]


def _memory(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    except OSError:
        pass
    return 0


def _spread(values: Sequence[float]) -> str:
    """Median, and the range."""
    middle = statistics.median(values)
    return f"{middle:.3g} ({min(values):.3g} to {max(values):.3g})"


# --- tables ------------------------------------------------------------------------------


def side_by_side(
    work: Path, name: str, stems: Sequence[str], learners: int, rounds: int, start: float
) -> None:
    """``start`` is what a run costs before its first submission, in processor seconds."""
    submitted = work / name
    classes.write(submitted, work / "release/untouched", learners, stems)
    folders = find(submitted, STEMS)
    ours, theirs, least, parallel = [], [], [], []
    for _ in range(rounds):
        ours.append(onehead(submitted, work / "out", 1))
        parallel.append(onehead(submitted, work / "out", 2))
        theirs.append(nbgrader(work / "release/course", submitted))
        least.append(floor(folders, stems))
    per = 1000 / learners
    print(f"\n### {name}: {learners} submissions, {rounds} rounds\n")
    print("| | CPU ms a submission | wall ms a submission |\n| --- | --- | --- |")
    for label, costs in (
        ("`onehead grade`, 1 job", ours), ("`onehead grade`, 2 jobs", parallel),
        ("`nbgrader autograde`", theirs), ("floor", least),
    ):  # fmt: skip
        cpu, wall = [c.cpu * per for c in costs], [c.wall * per for c in costs]
        print(f"| {label} | {_spread(cpu)} | {_spread(wall)} |")
    pairs = list(zip(ours, theirs, least, strict=True))
    print(f"\nnbgrader to onehead, CPU: {_spread([t.cpu / o.cpu for o, t, _ in pairs])} times.")
    later = [t.cpu / (o.cpu - start) for o, t, _ in pairs]
    print(f"The same without onehead's start: {_spread(later)} times.")
    print(f"onehead to the floor, CPU: {_spread([o.cpu / f.cpu for o, _, f in pairs])} times.")
    speedup = [a.wall / b.wall for a, b in zip(ours, parallel, strict=True)]
    print(f"Two jobs to one, wall: {_spread(speedup)} times as fast.", flush=True)


def start(work: Path) -> float:
    """Processor seconds before the first submission: imports, fixtures, the isolation's probe."""
    submitted = work / "one"
    classes.write(submitted, work / "release/untouched", 1, LESSON_4)
    costs = [onehead(submitted, work / "out", 1).cpu for _ in range(3)]
    print(f"\nA run of one submission: {_spread(costs)} s CPU.", flush=True)
    return min(costs)


def growth(work: Path, sizes: Sequence[int]) -> None:
    print("\n### Growth: lesson 4, two jobs\n")
    print("| submissions | wall s | wall ms each | CPU ms each | peak MB of grader | of a worker |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size in sizes:
        submitted = work / f"grown-{size}"
        classes.write(submitted, work / "release/untouched", size, LESSON_4)
        cost = onehead(submitted, work / "out", 2)
        wall, cpu = 1000 * cost.wall / size, 1000 * cost.cpu / size
        print(
            f"| {size:,} | {cost.wall:.1f} | {wall:.1f} | {cpu:.1f} "
            f"| {cost.grader_memory} | {cost.all_memory} |",
            flush=True,
        )
        shutil.rmtree(submitted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="small classes, one round")
    parser.add_argument("--large", action="store_true", help="a class of 10,000 as well")
    arguments = parser.parse_args()
    quick = arguments.quick
    orphans.adopt()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores.")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        bundle.build(work / "release")
        rounds = 1 if quick else 2
        once = start(work)
        for name, stems, few, many in (
            ("lesson 4", LESSON_4, 10, 50),
            ("the chapter but for lesson 8", [s for s in STEMS if s not in LESSON_8], 3, 5),
            ("lesson 8, with its audit", LESSON_8, 3, 5),
        ):
            side_by_side(work, name, stems, few if quick else many, rounds, once)
        growth(work, [10, 100] if quick else [10, 100, 1000, *[10_000] * arguments.large])


if __name__ == "__main__":
    main()
