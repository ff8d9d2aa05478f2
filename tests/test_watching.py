"""``onehead watch`` on a pseudo-terminal: saves, keys, Ctrl-C, and what it needs."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from onehead import watching
from onehead.errors import OneheadError
from onehead_release.solved import write_submission

GOLDEN = Path(__file__).parent / "golden"
COMMAND = str(Path(sys.executable).with_name("onehead"))
READY = "q quit"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lesson 3 solved, lesson 4 with a mistake, lesson 5 solved."""
    write_submission(tmp_path, "solved", "py", ["03_projections", "05_output_projection"])
    shutil.copy(GOLDEN / "mask_after_softmax" / "04_matrix_form.py", tmp_path)
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Iterator[pexpect.spawn]:
    env = {**os.environ, "TERM": "xterm"} | {"NO_COLOR": "1"}
    child = pexpect.spawn(
        COMMAND, ["watch", str(folder)], encoding="utf-8", timeout=60, dimensions=(50, 80), env=env
    )
    child.expect(READY)
    yield child
    child.close(force=True)


def answer(child: pexpect.spawn, key: str) -> str:
    """What is on the screen after a key."""
    child.send(key)
    child.expect(READY)
    return str(child.before)


def test_one_exercise_at_a_time_and_the_next_when_the_learner_says_so(
    session: pexpect.spawn, folder: Path
) -> None:
    assert "exercise 2 of 3" in session.before  # lesson 3 is right, so it is passed over
    assert "Not right yet: all -inf." in session.before
    assert "Hint 1 of 3: a question. Which operations" in answer(session, "h")
    assert "Hint 2 of 3: where to look. Look at" in answer(session, "h")
    write_submission(folder, "solved", "py", ["04_matrix_form"])
    session.expect(READY)
    assert "exercise 2 of 3" in session.before  # it stays
    assert "press n for lesson 5" in session.before
    assert "lesson 5" in answer(session, "n")
    assert "Right, and the last one." in answer(session, "n")  # there is none after it
    assert "[####################] 13 of 13 parts are right" in answer(session, "l")
    assert "exercise 2 of 3" in answer(session, "b")
    session.send("q")
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0


def test_ctrl_c_ends_it_and_gives_the_terminal_back(session: pexpect.spawn) -> None:
    echo = termios.tcgetattr(session.child_fd)[3] & termios.ECHO
    assert not echo
    session.sendintr()
    session.expect(pexpect.EOF)
    assert termios.tcgetattr(session.child_fd)[3] & termios.ECHO
    session.close()
    assert session.exitstatus == 130
    assert "Traceback" not in session.before


def test_piped_it_is_plain_text(folder: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "watch", str(folder)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        said = ""
        while READY not in said:
            said += process.stdout.readline()
        process.terminate()
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80


def test_without_watchfiles_it_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(OneheadError, match="onehead check works without it"):
        watching.watch((), folder, io.StringIO())
