"""A run that is killed at any moment ends with the bytes of one that was left alone.

``ONEHEAD_KILLS`` is the number of kills; ``make bench`` asks for more than CI does.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from onehead.ledger import PART, RESULTS

KILLS = int(os.environ.get("ONEHEAD_KILLS", "20"))
LEARNERS = 300
_RIGHT = "import numpy as np\n\ndef causal_mask(T):\n    return np.tri(T, dtype=bool)\n"
ANSWERS = (
    _RIGHT,
    _RIGHT.replace("np.tri(T", "np.tri(T, k=1"),
    _RIGHT.replace("return", "return 1 / 0 +"),
    "import os\n\ndef causal_mask(T):\n    os._exit(1)\n",
    "def causal_mask(T): raise NotImplementedError\n",
)


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    for k in range(LEARNERS):
        (folder / f"learner-{k:03}").mkdir()
        (folder / f"learner-{k:03}" / "04_matrix_form.py").write_text(ANSWERS[k % len(ANSWERS)])
    return folder


@pytest.fixture(scope="module")
def undisturbed(submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    assert start(submitted, out).wait() == 0
    return out


def start(
    submitted: Path, out: Path, before: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    onehead = Path(sys.executable).with_name("onehead")
    command = [str(onehead), "grade", str(submitted), "--out", str(out)]
    return subprocess.Popen(
        [*command, "--jobs", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if before else subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=before,
    )


def written(out: Path) -> dict[str, bytes]:
    """What a run leaves, but for its own record and the lock."""
    files = (path for path in out.rglob("*") if path.is_file())
    names = {str(path.relative_to(out)): path.read_bytes() for path in files}
    return {name: data for name, data in names.items() if name not in ("run.json", ".lock")}


def descendants(pid: int) -> list[int]:
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            parents[int(entry)] = int(text[text.rindex(")") + 1 :].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def finished(out: Path) -> int:
    try:
        return (out / PART).read_bytes().count(b"\n")
    except FileNotFoundError:
        return LEARNERS if (out / RESULTS).exists() else 0


def kill(process: subprocess.Popen[bytes], chance: random.Random) -> None:
    """The grader itself, or one of its processes: workers, boxes, learners' processes."""
    below = descendants(process.pid)
    target = process.pid if chance.random() < 0.6 or not below else chance.choice(below)
    try:
        os.kill(target, signal.SIGKILL)
    except ProcessLookupError:
        return


def test_kills_at_any_moment_change_no_byte(
    submitted: Path, undisturbed: Path, tmp_path: Path
) -> None:
    chance = random.Random(20)
    killed = 0
    while killed < KILLS:
        process = start(submitted, tmp_path)
        while process.poll() is None and killed < KILLS:
            due = finished(tmp_path) + chance.randrange(1, max(2, 2 * LEARNERS // KILLS))
            while finished(tmp_path) < min(due, LEARNERS) and process.poll() is None:
                time.sleep(0.002)
            kill(process, chance)
            killed += 1
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if finished(tmp_path) == LEARNERS and killed < KILLS:  # start over
            for path in (tmp_path / PART, tmp_path / RESULTS):
                path.unlink(missing_ok=True)
    while start(submitted, tmp_path).wait() != 0:
        pass
    assert written(tmp_path) == written(undisturbed)


def test_no_process_is_left_after_a_kill(submitted: Path, tmp_path: Path) -> None:
    process = start(submitted, tmp_path)
    while finished(tmp_path) < 5:
        time.sleep(0.01)
    below = descendants(process.pid)
    assert below
    process.kill()
    process.wait()
    wait_until(lambda: not any(Path("/proc", str(pid)).exists() for pid in below))


def test_an_interrupt_ends_all_and_says_how_to_go_on(submitted: Path, tmp_path: Path) -> None:
    process = start(submitted, tmp_path, before=lambda: None)
    while finished(tmp_path) < 5:
        time.sleep(0.01)
    below = descendants(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.decode().strip().splitlines()[-1].startswith("stopped; what is finished is kept")
    assert "Traceback" not in said.decode()
    wait_until(lambda: not any(Path("/proc", str(pid)).exists() for pid in below))


def test_a_full_disk_loses_nothing(submitted: Path, undisturbed: Path, tmp_path: Path) -> None:
    """No file may grow beyond a few lines, as if the disk were full."""

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    process = start(submitted, tmp_path, before=full)
    _, said = process.communicate()
    assert process.returncode == 2
    line = said.decode().strip().splitlines()[-1]  # progress may stand before it
    assert line.startswith("onehead: can't write results to")
    assert "what is finished is kept" in line
    assert 0 < finished(tmp_path) < LEARNERS
    assert start(submitted, tmp_path).wait() == 0
    assert written(tmp_path) == written(undisturbed)


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it did not come to pass in ten seconds")
