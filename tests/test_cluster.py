"""Grading on a cluster: the bytes of a local run, whoever dies meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from onehead import cluster, remote
from onehead.dispatch import Dispatch
from onehead.errors import OneheadError
from onehead.installed import Installed
from onehead.isolation import Proof, common
from onehead.ledger import PART, RESULTS
from onehead.overrides import Decision
from onehead.pool import Answer, How
from onehead.sandbox import Limits
from onehead.submission import SubmissionFolder, find, read

pytest.importorskip("distributed", reason="distributed is not installed: pip install -e '.[dev]'")

BIN = Path(sys.executable).parent
STEM = "04_matrix_form"
LEARNERS = 24
_RIGHT = "import numpy as np\n\ndef causal_mask(T):\n    return np.tri(T, dtype=bool)\n"
ANSWERS = (
    _RIGHT,
    _RIGHT.replace("np.tri(T", "np.tri(T, k=1"),
    "import os\n\ndef causal_mask(T):\n    os._exit(1)\n",
    _RIGHT.replace("return", "raise ValueError(T) #"),
)
POISON = "learner-04-poison"  # is sent together with learner-04, who must not be blamed
ALLOWED_FAILURES = 1  # the scheduler's own count, which is 3 unless it is told another
HERE = Installed.here(Limits())

# What the workers load first: a fault of the machine that strikes with one submission, and a pause,
# since submissions as small as these would be over before anybody can be killed.
FAULT = f"""
import os, time
from onehead import pool, remote

def grade_one(exercises, submission, *how):
    if submission.name == "{POISON}":
        with open(os.environ["DEATHS"], "a") as deaths:
            deaths.write("x")
        os._exit(1)
    time.sleep(0.1)
    return pool.grade_one(exercises, submission, *how)

remote.grade_one = grade_one
"""


class Machines:
    """A scheduler and two workers: separate processes of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._log = (folder / "log").open("ab")
        (folder / "fault.py").write_text(FAULT)
        where = folder / "where.json"
        self.scheduler = self._start(
            "scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", where
        )
        wait_until(where.exists)
        self.address = str(json.loads(where.read_text())["address"])
        self.workers = self.start_workers(2)

    def start_workers(self, count: int, **environment: str) -> subprocess.Popen[bytes]:
        return self._start(
            "worker", self.address, "--nthreads", "1", "--nworkers", str(count),
            "--local-directory", self.folder / "work", "--preload", self.folder / "fault.py",
            **environment,
        )  # fmt: skip

    def _start(self, *command: object, **environment: str) -> subprocess.Popen[bytes]:
        more = {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(ALLOWED_FAILURES),
            "DEATHS": str(self.folder / "deaths"),
        }
        process = subprocess.Popen(
            [BIN / "dask", *map(str, command), "--no-dashboard"],
            env={**os.environ, **more, **environment},
            stdout=self._log,
            stderr=self._log,
        )
        self._processes.append(process)
        return process

    def worker_pids(self) -> list[int]:
        """The processes in which submissions are graded: below the nannies."""
        return [pid for pid in children(self.workers.pid) if b"spawn_main" in command_of(pid)]

    def stop(self) -> None:
        for process in reversed(self._processes):  # a worker without a scheduler is slow to end
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    found = Machines(tmp_path_factory.mktemp("machines"))
    yield found
    found.stop()


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    for k in range(LEARNERS):
        hand_in(folder, f"learner-{k:02}", ANSWERS[k % len(ANSWERS)])
    return folder


@pytest.fixture(scope="module")
def undisturbed(submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    assert end(start(submitted, out, "--jobs", "2"))[0] == 0
    return out


def hand_in(folder: Path, name: str, source: str) -> None:
    (folder / name).mkdir()
    (folder / name / f"{STEM}.py").write_text(source)


def start(submitted: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [BIN / "onehead", "grade", submitted, "--out", out, "--isolation", "process"]
    return subprocess.Popen(
        [*map(str, command), *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def end(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """The exit code, and the last line of what it said on stderr."""
    _, told = process.communicate(timeout=300)
    return process.returncode, [*told.decode().splitlines(), ""][-2 if told else 0]


def written(out: Path) -> dict[str, bytes]:
    """What a run leaves, but for its own record and the lock."""
    files = (path for path in out.rglob("*") if path.is_file())
    names = {str(path.relative_to(out)): path.read_bytes() for path in files}
    return {name: data for name, data in names.items() if name not in ("run.json", ".lock")}


def finished(out: Path) -> int:
    try:
        return (out / PART).read_bytes().count(b"\n")
    except FileNotFoundError:
        return LEARNERS if (out / RESULTS).exists() else 0


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it did not come to pass in a minute")


# --- runs --------------------------------------------------------------------------------


def test_the_bytes_are_those_of_a_run_here(
    machines: Machines, submitted: Path, undisturbed: Path, tmp_path: Path
) -> None:
    run = start(submitted, tmp_path, "--scheduler", machines.address)
    assert end(run)[0] == 0
    assert written(tmp_path) == written(undisturbed)
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["cluster"]["scheduler"] == machines.address
    assert record["isolation"]["level"] == "process"
    assert record["cpu_seconds"]["learners"] > 0


def test_a_worker_that_is_killed_costs_no_result(
    machines: Machines, submitted: Path, undisturbed: Path, tmp_path: Path
) -> None:
    run = start(submitted, tmp_path, "--scheduler", machines.address)
    wait_until(lambda: finished(tmp_path) > 1)
    assert finished(tmp_path) < LEARNERS
    os.kill(machines.worker_pids()[0], signal.SIGKILL)
    assert end(run)[0] == 0
    assert written(tmp_path) == written(undisturbed)


def test_a_submission_that_ends_its_workers_is_blamed_alone_and_given_up(
    machines: Machines, submitted: Path, undisturbed: Path, tmp_path: Path
) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    shutil.copytree(submitted, folder)
    hand_in(folder, POISON, _RIGHT)
    run = start(folder, out, "--scheduler", machines.address)
    assert end(run)[0] == 1
    failures = json.loads((out / "run.json").read_text())["failures"]
    assert failures == {POISON: "its worker on the cluster ended 2 times"}
    assert (out / RESULTS).read_bytes() == (undisturbed / RESULTS).read_bytes()
    deaths = (machines.folder / "deaths").read_text()
    assert len(deaths) == 2 * (ALLOWED_FAILURES + 1)  # with its group, and alone


def test_an_interrupt_leaves_nothing_on_the_cluster(
    machines: Machines, submitted: Path, tmp_path: Path
) -> None:
    from distributed import Client

    run = start(submitted, tmp_path, "--scheduler", machines.address)
    wait_until(lambda: finished(tmp_path) > 0)
    run.send_signal(signal.SIGINT)
    code, line = end(run)
    assert (code, line[:34]) == (130, "stopped; what is finished is kept:")
    with Client(machines.address, set_as_default=False) as client:
        wait_until(lambda: not any(client.processing().values()) and not client.who_has())


def test_a_lost_scheduler_is_told_and_the_next_run_goes_on(
    machines: Machines, submitted: Path, undisturbed: Path, tmp_path: Path
) -> None:
    (tmp_path / "others").mkdir()
    others = Machines(tmp_path / "others")
    out = tmp_path / "out"
    try:
        run = start(submitted, out, "--scheduler", others.address)
        wait_until(lambda: finished(out) > 0)
        others.scheduler.kill()
        code, line = end(run)
    finally:
        others.stop()
    assert code == 2
    assert line.startswith(f"onehead: the scheduler at {others.address} does not answer any more")
    assert "what is finished is kept" in line
    before = finished(out)
    assert 0 < before < LEARNERS
    assert end(start(submitted, out, "--scheduler", machines.address))[0] == 0
    assert json.loads((out / "run.json").read_text())["kept"] == before
    assert written(out) == written(undisturbed)


def test_a_worker_with_less_isolation_is_refused(
    machines: Machines, submitted: Path, tmp_path: Path
) -> None:
    weaker = machines.start_workers(1, PATH=str(tmp_path))  # where no bubblewrap is
    try:
        wait_until(lambda: bool(children(weaker.pid)))
        limits = Limits()
        with cluster.connected(machines.address) as found:
            found._client.wait_for_workers(3, timeout=30)
            with pytest.raises(OneheadError, match=r"can't grade: no isolation here .*namespaces"):
                found.prove("namespaces", limits)
            assert found.prove("process", limits).level == "process"
    finally:
        weaker.terminate()
        weaker.wait()


# --- what is refused ---------------------------------------------------------------------

PROOF = Proof("kernel", "auto", {"landlock_abi": 7, "seccomp": True}, ("fork", "socket"), ())
WORKER = remote.Worker("a-host", HERE, PROOF)


@pytest.mark.parametrize(
    ("worker", "threads", "says"),
    [
        (ModuleNotFoundError("No module named 'onehead'"), 1, "no onehead such as this one"),
        (replace(WORKER, installed=replace(HERE, numpy="1.0")), 1, "numpy 1.0, where this machine"),
        (replace(WORKER, installed=replace(HERE, fingerprint="0")), 1, "other files of onehead"),
        (WORKER, 4, "--nthreads 1"),
        (replace(WORKER, proof=None, refused="no isolation here"), 1, "no isolation here"),
    ],
)
def test_a_worker_is_refused_with_what_to_do(
    worker: remote.Worker | Exception, threads: int, says: str
) -> None:
    assert says in cluster._objection(worker, HERE, threads)


def test_a_worker_like_this_machine_is_taken() -> None:
    assert cluster._objection(WORKER, HERE, 1) == ""


def test_a_worker_that_came_later_refuses_by_itself(submission: SubmissionFolder) -> None:
    group = remote.packed(How(Limits(), "process"), [read(submission, [STEM])])
    with pytest.raises(remote.Refused, match=r"the worker on .* can't grade: it has other files"):
        remote.grade_group(replace(HERE, fingerprint="0"), group)


def test_threads_of_the_linear_algebra_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    assert "OMP_NUM_THREADS=1" in remote._examine("process", Limits()).refused


def test_where_machines_differ_all_is_told() -> None:
    other = replace(PROOF, mechanisms={"landlock_abi": 4, "seccomp": True}, missing=("socket",))
    both = common([PROOF, other])
    assert both.mechanisms == {"landlock_abi": [4, 7], "seccomp": True}
    assert (both.probed, both.missing) == (("fork",), ("socket",))


@pytest.mark.parametrize(
    ("address", "cautious"),
    [
        ("tcp://127.0.0.1:8786", False),
        ("localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://grader.example.org:8786", False),
        ("tcp://10.0.0.4:8786", True),
        ("grader.example.org:8786", True),
    ],
)
def test_an_open_port_is_cautioned_of(address: str, cautious: bool) -> None:
    assert bool(cluster.caution(address)) == cautious


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "nowhere://x:1", "tcp://127.0.0.1"]
)
def test_an_address_without_a_scheduler_is_one_line(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    with (
        pytest.raises(OneheadError, match=r"no scheduler answers at .*tcp://HOST:8786"),
        cluster.connected(address),
    ):
        pass


def test_without_distributed_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(OneheadError, match=r"pip install 'onehead\[cluster\]'"),
        cluster.connected("tcp://127.0.0.1:8786"),
    ):
        pass


def test_jobs_and_scheduler_exclude_each_other(submitted: Path, tmp_path: Path) -> None:
    run = start(submitted, tmp_path, "--scheduler", "tcp://127.0.0.1:9", "--jobs", "2")
    code, line = end(run)
    assert (code, "--jobs is for this machine's own processes" in line) == (2, True)


# --- what travels ------------------------------------------------------------------------


@pytest.fixture
def submission(submitted: Path) -> SubmissionFolder:
    return find(submitted, [STEM])[0]


def test_what_is_sent_comes_out_as_it_went_in(submission: SubmissionFolder) -> None:
    sent = read(submission, [STEM, "05_output_projection"])
    mine = Decision(sent.name, "lesson-04", "causal_mask", 0.5, "spoken to", 2)
    how = How(Limits(3.0, 64), "kernel", "a warning", (mine, replace(mine, submission="other")))
    got_how, got = remote._opened(remote.packed(how, [sent]))
    assert got == [sent]
    assert got_how == replace(how, decisions=(mine,))  # others' are not needed there


class Future:
    """Is done at once; what ``outcomes`` holds has to be its result's answers or an exception."""

    def __init__(self, client: Client, key: str, outcomes: list[Exception | int]) -> None:
        self.key, self._client, self._outcomes = key, client, outcomes

    def add_done_callback(self, call: Callable[[Future], None]) -> None:
        call(self)

    def result(self, timeout: float) -> bytes:
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, TimeoutError):
            raise outcome
        self._client.flying -= 1
        if isinstance(outcome, Exception):
            raise outcome
        return remote._compressed([{"line": "x"}] * outcome)


class Client:
    """In place of a cluster: notes how much is under way."""

    status = "running"

    def __init__(self, *first: Exception) -> None:
        self.flying = self.most = 0
        self._first = list(first)

    def submit(self, function: object, expected: Installed, group: bytes, **how: Any) -> Future:
        self.flying += 1
        self.most = max(self.most, self.flying)
        _, submissions = remote._opened(group)
        first, self._first = self._first, []
        return Future(self, how["key"], [*first, len(submissions)])

    class scheduler:
        identity = None

    def sync(self, *given: object, **how: object) -> dict[str, Any]:
        return {"workers": {"a": {"status": "running"}, "b": {"status": "paused"}}}


def graded_by(client: Client, learners: Sequence[SubmissionFolder]) -> list[str]:
    found = cluster.Cluster(client, "tcp://x")
    batches = list(found.answers(How(Limits(), "process"), (), learners))
    assert all(answer == Answer("x") for answers in batches for _, answer in answers)
    return [name for answers in batches for name, _ in answers]


def test_a_class_of_any_size_has_few_groups_under_way(submitted: Path) -> None:
    client, learners = Client(), find(submitted, [STEM])
    assert sorted(graded_by(client, learners)) == [learner.name for learner in learners]
    assert client.most == cluster.AHEAD  # for the one worker that takes work


def test_a_result_that_was_lost_with_its_worker_is_waited_for(submitted: Path) -> None:
    learners = find(submitted, [STEM])
    assert len(graded_by(Client(TimeoutError()), learners)) == LEARNERS


def test_many_failures_in_a_row_stop_the_run(
    submitted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Client, *given: object, **how: Any) -> Future:
        return Future(self, how["key"], [RuntimeError("out of memory")])

    monkeypatch.setattr(Client, "submit", fail)
    with pytest.raises(OneheadError, match=r"8 tasks in a row failed .*out of memory"):
        graded_by(Client(), find(submitted, [STEM]))


def test_no_worker_for_long_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onehead.dispatch.SILENT_SECONDS", -1.0)
    monkeypatch.setattr(Client, "sync", lambda *given, **how: {"workers": {}})
    sender = Dispatch(Client(), "tcp://x", HERE, How(Limits(), "process"))
    with pytest.raises(OneheadError, match=r"has had no worker .* what is finished is kept"):
        list(sender.outcomes(iter([]), lambda: 1))
