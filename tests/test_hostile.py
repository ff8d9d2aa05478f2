"""A class of hostile learners, and of right answers in odd clothes: each gets its status, alone.

A file in ``hostile/`` is one cell of a notebook that is otherwise solved. Its header says what it
is due: ``exercise`` and ``part``; the part's ``status`` (graded, if it isn't said) and ``score``
(full, lost: some of it, or a number); ``instead-of`` a solved cell; or, for a cell that is the
whole file, ``exercise-status``. Whatever it does, the learner's other parts have full marks.

``python tests/test_hostile.py LEVEL`` prints what each file got that it was not due; an ordinary
user runs it so.
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import onehead_solutions
from onehead import isolation, model
from onehead.errors import OneheadError
from onehead.grade import grade_exercise
from onehead.model import ExerciseResult, PartResult
from onehead.reports import Wishes, formats, jsonl, text
from onehead.sandbox import Box, Budget, Limits, SandboxError, Step
from onehead.source import Cell, Source
from onehead_release.solved import solved_notebook

FOLDER = Path(__file__).with_name("hostile")
LEVELS = ("namespaces", "kernel")
SECONDS, MEMORY = 2.0, 256
FEW = 6  # cases of a part that is not to be right throughout
COURSE = {exercise.id: exercise for exercise in onehead_solutions.load()}


@dataclass(frozen=True)
class Hostile:
    name: str
    due: Mapping[str, str]
    source: str

    @property
    def is_slow(self) -> bool:
        return "timed-out" in (self.due.get("status"), self.due.get("exercise-status"))


def load() -> dict[str, Hostile]:
    files = {}
    for path in sorted(FOLDER.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        due = dict(re.findall(r"^# ([a-z-]+): (\S+)$", source, re.MULTILINE))
        files[path.stem] = Hostile(path.stem, due, source)
    return files


HOSTILE = load()


@cache
def solved_cells(stem: str) -> tuple[str, ...]:
    return tuple(cell.source for cell in solved_notebook(stem).cells if cell.cell_type == "code")


def cells(hostile: Hostile) -> tuple[Cell, ...]:
    if "exercise-status" in hostile.due:
        return (Cell("cell 1", hostile.source),)
    replaced = hostile.due.get("instead-of")
    sources = [
        source
        for source in solved_cells(COURSE[hostile.due["exercise"]].stem)
        if replaced is None or f"def {replaced}(" not in source
    ]
    return tuple(Cell(f"cell {k}", text) for k, text in enumerate([*sources, hostile.source], 1))


def graded(hostile: Hostile, box: Box) -> ExerciseResult:
    """The part, and some cases of the first and of the last part: all of them would take long."""
    exercise = COURSE[hostile.due["exercise"]]
    own = hostile.due.get("part", "")
    parts = []
    for place, part in enumerate(exercise.parts, 1):
        if part.name != own and place in (1, len(exercise.parts)):
            parts.append(replace(part, cases=part.cases[:2]))
        elif part.name == own:
            all_of_them = hostile.due.get("score") == "full" or "seconds" in hostile.due
            step = 1 if all_of_them else -(-len(part.cases) // FEW)
            parts.append(replace(part, cases=part.cases[::step]))
    source = Source("ok", cells(hostile), notebook=True)
    return grade_exercise(replace(exercise, parts=tuple(parts)), source, box)


def faults(hostile: Hostile, result: ExerciseResult) -> list[str]:
    """What a file got that is not its due."""
    due = hostile.due
    status = due.get("exercise-status", "graded")
    if result.status != status:
        return [f"the file is {result.status}, not {status}"]
    if status != "graded":
        return [f"{part.name} has {part.score} marks" for part in result.parts if part.score]
    own = next(part for part in result.parts if part.name == due["part"])
    others = [part for part in result.parts if part is not own and part.score < part.max_score]
    return [
        *([] if _as_due(own, due) else [f"{_told(own)}, not {dict(due)}"]),
        *(f"the other part {_told(part)}" for part in others),
    ]


def _as_due(part: PartResult, due: Mapping[str, str]) -> bool:
    status = due.get("status", "graded")
    score = due.get("score", "0")
    right = {"full": part.score == part.max_score, "lost": part.score < part.max_score}
    if status == "any":
        return True
    return part.status == status and (
        right[score] if score in right else part.score == float(score)
    )


def _told(part: PartResult) -> str:
    found = "; ".join(finding.message for finding in part.findings)
    return f"{part.name} is {part.status} with {part.score} of {part.max_score} marks ({found})"


class Boxes:
    """One box for each level and budget, made when it is first asked for."""

    def __init__(self) -> None:
        self._boxes: dict[tuple[str, float], Box] = {}
        self._proved: dict[str, str] = {}

    def box(self, level: str, hostile: Hostile) -> Box:
        seconds = float(hostile.due.get("seconds", SECONDS / (1 + hostile.is_slow)))
        made = Box(Limits(seconds, MEMORY), level)
        return self._boxes.setdefault((level, seconds), made)

    def missing(self, level: str) -> str:
        """Why the level is not to be had here, "" where it is proved."""
        if level not in self._proved:
            try:
                isolation.probe(level)
                self._proved[level] = ""
            except SandboxError as error:
                self._proved[level] = f"no {level} here: {error}"
        return self._proved[level]

    def close(self) -> None:
        for box in self._boxes.values():
            box.close()


@pytest.fixture(scope="session")
def boxes() -> Iterator[Boxes]:
    boxes = Boxes()
    yield boxes
    boxes.close()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_its_status(boxes: Boxes, name: str, level: str) -> None:
    if boxes.missing(level):
        pytest.skip(boxes.missing(level))
    hostile = HOSTILE[name]
    assert faults(hostile, graded(hostile, boxes.box(level, hostile))) == []


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) >= 60


def test_the_clock_is_looked_at_between_the_calls_of_a_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks: list[int] = []
    monkeypatch.setattr("onehead.sandbox.budget.Clock.check", lambda clock: checks.append(1))
    with Box(Limits(), "process") as box, box.child("__main__", Budget(box.limits)) as child:
        child.run_cell("a", "def f(layer):\n    for _ in range(500): layer(1.0)", magics=True)
        before = len(checks)
        child.ask([Step("call", "f", (("layer", abs),))], again=False)
    assert len(checks) - before >= 500


# --- as an ordinary user -----------------------------------------------------------------

NOBODY = 65534


def as_nobody(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.run(
        [python, *arguments],
        user=NOBODY, group=NOBODY, extra_groups=[], env=environment, cwd="/",
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def interpreter_for_nobody() -> str | None:
    """This Python, or another of its version, that an ordinary user can start here."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, shutil.which(name, path="/usr/bin:/usr/local/bin")):
        try:
            if python and as_nobody(python, "-c", "import numpy, onehead").returncode == 0:
                return python
        except OSError:
            continue
    return None


@pytest.mark.skipif(os.geteuid() != 0, reason="all of this runs as an ordinary user already")
@pytest.mark.parametrize("level", LEVELS)
def test_an_ordinary_user_gets_the_same(level: str) -> None:
    python = interpreter_for_nobody()
    if python is None:
        pytest.skip("an ordinary user can start no Python with numpy here")
    ran = as_nobody(python, str(Path(__file__).resolve()), level)
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = json.loads(ran.stdout)
    if told["missing"]:
        pytest.skip(told["missing"])
    assert (told["asked"], told["wrong"]) == (len(HOSTILE), {})


def main(level: str) -> None:
    """What an ordinary user's run of all files gives, as JSON."""
    boxes = Boxes()
    missing = boxes.missing(level)
    asked = {} if missing else HOSTILE
    found = {name: faults(h, graded(h, boxes.box(level, h))) for name, h in asked.items()}
    boxes.close()
    wrong = {name: told for name, told in found.items() if told}
    print(json.dumps({"missing": missing, "asked": len(asked), "wrong": wrong}))


# --- a hostile class, from the folder to the reports -------------------------------------

CANARY = "onehead-canary-5d0c1b"
STEM = COURSE["lesson-04"].stem
SCRIPT = "<script>alert(1)</script>"
FORMULA = "=cmd|calc!A0"
NAMES = (
    SCRIPT.replace("/", ""),
    FORMULA,
    "two\nlines",
    "\x1b[31mred",
    "\x9b31mred",
    "\x1b]8;;https:example.org\x07link",
    "\u202egpj.red",
    "##vso[task.setvariable variable=x]y",
    "a;=1+1",
    " \uff1d1+1",
    f"{STEM}.py",
    "a..",
    "Ada",
    "ada",
    "::error::x",
)

LEAKS = """
import os, socket, tempfile
found = []
def attempt(way):
    try:
        found.append(str(way()))
    except OSError:
        pass
def write(path):
    with open(path, "w") as file:
        file.write("x")
attempt(lambda: socket.create_connection(("127.0.0.1", PORT), 1))
attempt(lambda: write("/tmp/onehead-left"))
attempt(lambda: write("/dev/shm/onehead-left"))
attempt(lambda: tempfile.mkdtemp("onehead-left"))
attempt(lambda: tempfile.mkdtemp("onehead-left", dir="/tmp"))
attempt(lambda: os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "4242"))
for path in ["/proc/self/environ", "/proc/1/environ", f"/proc/{os.getppid()}/environ"]:
    attempt(lambda: open(path).read())
raise RuntimeError(f"{found} {sorted(os.environ.items())}")
def causal_mask(T): return None
"""
SPEAKS = f"""
class Loud(RuntimeError): pass
Loud.__name__ = {SCRIPT!r}
def causal_mask(T): raise Loud({SCRIPT!r} + chr(27) + "[31m\\n::error::x\\n" + {FORMULA!r})
"""


@dataclass
class Graded:
    out: Path
    heard: bool
    told: str  # what the command prints
    left: list[str]


def own_children() -> dict[int, str]:
    """The children of this process and their states."""
    found = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = file.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid():
                found[int(file.parent.name)] = state
    return found


def left_behind() -> set[str]:
    """What a learner could have made: files, queues and shared memory, processes of ours."""
    found = {
        f"{folder}/{name}"
        for folder in ("/tmp", "/dev/shm", "/var/tmp", "/")
        for name in os.listdir(folder)
        if "onehead-left" in name
    }
    for name in ("shm", "sem", "msg"):
        queues = Path(f"/proc/sysvipc/{name}")
        found |= set(queues.read_text().splitlines()[1:]) if queues.exists() else set()
    return found | {f"process {pid}" for pid, state in own_children().items() if state != "Z"}


def left_since(before: set[str]) -> list[str]:
    """What is new; a process that is being ended has a few seconds to be gone."""
    for _ in range(50):
        if not left_behind() - before:
            break
        time.sleep(0.1)
    return sorted(left_behind() - before)


PR_SET_CHILD_SUBREAPER = 36


@contextlib.contextmanager
def adopting_orphans() -> Iterator[None]:
    """A process that outlives the grader becomes a child of this one, where it is seen."""
    libc = ctypes.CDLL(None)
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    before = set(own_children())
    yield
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    for pid in set(own_children()) - before:
        os.waitpid(pid, os.WNOHANG)


def fill(folder: Path, port: int) -> None:
    """A class of hostile names, files and sources."""
    for name in NAMES:
        (folder / name).mkdir(parents=True)
        (folder / name / f"{STEM}.py").write_text(SPEAKS)
    os.mkdir(os.fsencode(folder) + b"/caf\xe9")
    (folder / "leaks").mkdir()
    (folder / "leaks" / f"{STEM}.py").write_text(f"PORT = {port}\n{LEAKS}")
    (folder / "link").symlink_to("/etc")
    (folder / "loop").symlink_to("loop")
    for name in ("links", "pipes", "giants", "bombs", "zips", "honest"):
        (folder / name).mkdir()
    (folder / "links" / f"{STEM}.py").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipes" / f"{STEM}.ipynb")
    with open(folder / "giants" / f"{STEM}.ipynb", "wb") as file:
        file.truncate(2**40)
    (folder / "bombs" / f"{STEM}.ipynb").write_text("[" * 10**6)
    with zipfile.ZipFile(folder / "zips" / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"../../{STEM}.py", SPEAKS)
        archive.writestr(f"{STEM}.ipynb({'1' * 5000})", SPEAKS)
        archive.writestr(f"{STEM}.ipynb", b" " * (17 << 20))
    if os.geteuid() == 0:
        (folder / "devices").mkdir()
        os.mknod(folder / "devices" / f"{STEM}.ipynb", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    (folder / "honest" / f"{STEM}.py").write_text("\n".join(solved_cells(STEM)))


def run_grade(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from onehead.cli import main; main(sys.argv[1:])"
    options = [
        "grade",
        folder / "submitted",
        "--timeout",
        str(SECONDS),
        "--memory",
        str(MEMORY),
        "--jobs",
        "2",
    ]
    (folder / "tmp").mkdir()
    environment = {
        **os.environ,
        "SECRET_TOKEN": CANARY,
        "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    return subprocess.run(
        [sys.executable, "-c", code, *options, "--out", folder / "out"],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    try:
        isolation.choose("auto")
    except OneheadError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("hostile-class")
    with socket.create_server(("127.0.0.1", 0)) as server, adopting_orphans():
        server.settimeout(0)
        fill(folder / "submitted", server.getsockname()[1])
        before = left_behind()
        ran = run_grade(folder)
        left = left_since(before) + os.listdir(folder / "tmp")
        heard = False
        with contextlib.suppress(BlockingIOError):
            heard = bool(server.accept())
    assert ran.returncode == 0, ran.stderr
    return Graded(folder / "out", heard, ran.stdout + ran.stderr, left)


def results(graded_class: Graded) -> dict[str, ExerciseResult]:
    lines = (graded_class.out / "results.jsonl").read_text().splitlines()
    return {r.submission: r.exercises[3] for r in map(jsonl.from_line, lines)}


def test_every_learner_of_a_hostile_class_has_a_result(graded_class: Graded) -> None:
    found = results(graded_class)
    assert json.loads((graded_class.out / "run.json").read_text())["failures"] == {}
    assert {"link", "loop", "links", r"caf\udce9", *NAMES} <= set(found)
    assert found["honest"].score == 10
    for name in ("link", "loop", "links", "pipes", "devices"):
        if name in found:
            assert (found[name].status, found[name].score) == ("missing", 0)
    assert found["giants"].status == found["bombs"].status == "unreadable"
    for name in (*NAMES, "zips"):
        assert (found[name].status, found[name].parts[0].status) == ("graded", "raised")


def test_each_learner_has_a_folder_of_feedback_that_no_name_leads_out_of(
    graded_class: Graded,
) -> None:
    folders = list((graded_class.out / "feedback").iterdir())
    assert len(folders) == len(results(graded_class))
    assert len({folder.name.casefold() for folder in folders}) == len(folders)
    for folder in folders:
        assert [path.name for path in folder.iterdir()] == ["index.html"]


def test_nothing_is_left_after_a_run(graded_class: Graded) -> None:
    assert graded_class.left == []


def test_a_secret_of_the_grader_is_in_no_output(graded_class: Graded) -> None:
    files = [path for path in graded_class.out.rglob("*") if path.is_file()]
    assert len(files) > len(NAMES)
    assert not any(CANARY.encode() in path.read_bytes() for path in files)
    assert CANARY not in graded_class.told
    # What it found, and its environment: nothing.
    assert "RuntimeError: [] []" in (graded_class.out / "results.jsonl").read_text()


def test_a_listener_hears_nothing(graded_class: Graded) -> None:
    assert not graded_class.heard


class Tags(HTMLParser):
    """The tags of a page, and any attribute that could run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}


def test_a_page_holds_nothing_that_runs(graded_class: Graded) -> None:
    for path in (graded_class.out / "feedback").rglob("index.html"):
        tags = Tags()
        tags.feed(path.read_text(encoding="utf-8"))
        assert "h1" in tags.seen
        assert not tags.seen & {"script", "iframe", "img", "src", "onload", "onerror", "object"}
        assert "\x1b" not in path.read_text(encoding="utf-8")


def test_a_name_is_no_formula(graded_class: Graded) -> None:
    with open(graded_class.out / "grades.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert all(len(row) == len(rows[0]) for row in rows)
    names = {row[0] for row in rows}
    assert {f"'{FORMULA}", "a;'=1+1"} <= names
    assert not [name for name in names if re.search("(^|[;|])\\s*[-+=@\uff1d]", name)]
    assert all(character.isprintable() or character == "\n" for row in rows for character in row[0])


def test_what_is_printed_steers_no_terminal_and_no_workflow(graded_class: Graded) -> None:
    lines = (graded_class.out / "results.jsonl").read_text().splitlines()
    found = list(map(jsonl.from_line, lines))
    told = [text.class_table(found), graded_class.told]
    told += [text.part_text(part) for r in found for e in r.exercises for part in e.parts]
    told = "\n".join(told).split("\n")
    assert any("error" in line for line in told)
    assert all(line.isprintable() for line in told)
    assert not [line for line in told if re.match(r"\s*::\w|.*##\w*\[", line)]


@pytest.mark.parametrize("name", sorted(set(formats()) - {"canvas"}))
def test_no_report_steers_what_it_is_shown_in(graded_class: Graded, name: str) -> None:
    lines = (graded_class.out / "results.jsonl").read_text().splitlines()
    graded = model.Graded(tuple(map(jsonl.from_line, lines)), {}, tuple(COURSE))
    for told in formats()[name].report(graded, Wishes()).files.values():
        assert all(character.isprintable() or character == "\n" for character in told)
        assert not re.search(r"^\s*::(?!error )\w", told, re.MULTILINE)


if __name__ == "__main__":
    main(sys.argv[1])
