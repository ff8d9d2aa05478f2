"""Grading on a cluster of this machine: what it costs beside the local run, part by part.

    python benchmarks/cluster.py [--learners N]

Prints the tables of the section "On a cluster" in ``docs/performance.md``. Processor time is what
counts: the workers share this machine's cores with everything else on it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import classes
import orphans
from distributed import Client

import onehead_solutions
from onehead_release import bundle

BIN = Path(sys.executable).parent
STEMS = [exercise.stem for exercise in onehead_solutions.load()]
MANY = 1000, 4000
TASKS, PAYLOAD = 1000, 50_000  # empty tasks, and bytes that go with each: what does their way cost?


@dataclass(frozen=True)
class Machines:
    address: str
    scheduler: int
    workers: int


def cpu(pid: int) -> float:
    """Processor seconds of a process and of its children, as far as they are alive or reaped."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    below = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return own + sum(cpu(int(child)) for children in below for child in children)


@contextlib.contextmanager
def machines(folder: Path, workers: int) -> Iterator[Machines]:
    where, log = folder / f"where-{workers}.json", (folder / "log").open("ab")

    def start(*command: object) -> subprocess.Popen[bytes]:
        whole = [BIN / "dask", *map(str, command), "--no-dashboard"]
        return subprocess.Popen(whole, stdout=log, stderr=log)

    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", where)
    while not where.exists():
        time.sleep(0.1)
    address = json.loads(where.read_text())["address"]
    pool = start("worker", address, "--nthreads", 1, "--nworkers", workers,
                 "--local-directory", folder / "work")  # fmt: skip
    try:
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers)
        yield Machines(address, scheduler.pid, pool.pid)
    finally:
        for process in (pool, scheduler):
            process.terminate()
            process.wait()


def grade(submitted: Path, out: Path, *options: object) -> tuple[float, float, dict[str, object]]:
    """Wall and processor seconds of the command, and what its record says."""
    command = [BIN / "onehead", "grade", submitted, "--out", out, "--fresh", *map(str, options)]
    before, started = os.times(), time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    wall = time.monotonic() - started
    if "--jobs" in options:  # elsewhere, scheduler and workers are children that go on
        orphans.reap()
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return wall, spent, json.loads((out / "run.json").read_text())


def row(name: str, learners: int, wall: float, parts: Sequence[float], memory: object) -> None:
    shown = " | ".join(f"{1000 * seconds / learners:.1f}" for seconds in parts)
    print(f"| {name} | {wall:.1f} | {shown} | {memory} |", flush=True)


def measure(submitted: Path, folder: Path, learners: int, counts: Sequence[int]) -> None:
    print(
        "| | wall s | here | scheduler | workers | learners | here, peak MB |\n"
        + "| --- " * 7
        + "|"
    )
    wanted = None
    for jobs in (1, 2):
        wall, spent, record = grade(submitted, folder / "out", "--jobs", jobs)
        learned = record["cpu_seconds"]["learners"]  # type: ignore[index]
        row(f"here, {jobs} jobs", learners, wall, (spent, 0, 0, learned), record["peak_memory_mb"])
        results = (folder / "out" / "results.jsonl").read_bytes()
        assert wanted in (None, results)
        wanted = results
    for count in counts:
        with machines(folder, count) as at:
            before = cpu(at.scheduler), cpu(at.workers)
            wall, spent, record = grade(submitted, folder / "far", "--scheduler", at.address)
            learned = record["cpu_seconds"]["learners"]  # type: ignore[index]
            parts = (spent, cpu(at.scheduler) - before[0], cpu(at.workers) - before[1], learned)
            row(f"{count} workers", learners, wall, parts, record["peak_memory_mb"])
            assert (folder / "far" / "results.jsonl").read_bytes() == wanted, "other bytes"


def empty_tasks(folder: Path) -> None:
    """What the way of a task costs the scheduler, the client and a worker."""
    with machines(folder, 2) as at, Client(at.address, set_as_default=False) as client:
        payload = os.urandom(PAYLOAD)
        before = cpu(at.scheduler), cpu(at.workers), time.process_time()
        for first in range(0, TASKS, 4):
            keys = [f"empty-{first + k}" for k in range(4)]
            futures = [client.submit(bytes, payload, key=key, pure=False) for key in keys]
            for future in futures:
                future.result()
            del futures
        after = cpu(at.scheduler), cpu(at.workers), time.process_time()
        spent = [1000 * (b - a) / TASKS for a, b in zip(before, after, strict=True)]
        print("an empty task with {} kB there and back, CPU ms: scheduler {:.2f}, worker {:.2f}, "
              "client {:.2f}".format(PAYLOAD // 1000, *spent))  # fmt: skip


def many(folder: Path) -> None:
    """What a submission costs where it is sent from, and whether memory grows with their number.

    There is nothing in these that could be run, so the workers have hardly anything to do.
    """
    for count in MANY:
        submitted = folder / f"many-{count}"
        for k in range(count):
            (submitted / f"learner-{k:05}").mkdir(parents=True)
            (submitted / f"learner-{k:05}" / f"{STEMS[3]}.py").write_text(f"# nothing yet {k}\n")
        with machines(folder, 2) as at:
            before = cpu(at.scheduler)
            _, spent, record = grade(submitted, folder / "far", "--scheduler", at.address)
            print(
                f"{count} submissions without code: here {1000 * spent / count:.2f} ms of "
                f"processor time each, at most {record['peak_memory_mb']} MB; scheduler "
                f"{1000 * (cpu(at.scheduler) - before) / count:.2f} ms each",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--learners", type=int, default=200)
    learners = parser.parse_args().learners
    orphans.adopt()
    with tempfile.TemporaryDirectory(prefix="onehead-bench-") as scratch:
        folder = Path(scratch)
        bundle.build(folder / "release")
        untouched = folder / "release" / "untouched"
        chapter = max(2, learners // 20)
        for name, count, stems in (("lesson-4", learners, STEMS[3:4]), ("chapter", chapter, STEMS)):
            classes.write(folder / name, untouched, count, stems)
            print(f"\n{name}, {count} submissions; CPU ms a submission:\n")
            measure(folder / name, folder, count, (2, 4) if name == "lesson-4" else (2,))
        empty_tasks(folder)
        many(folder)


if __name__ == "__main__":
    main()
