"""Submissions as an LMS hands them out: each file is read as its exercise, or told."""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import onehead_solutions
from onehead import archives, sorting, submission
from onehead.errors import OneheadError
from onehead.intake import Intake, opened
from onehead.sorting import Late
from onehead.submission import find, read

COURSE = onehead_solutions.load()
STEMS = [exercise.stem for exercise in COURSE]
BY_STEM = {exercise.stem: exercise for exercise in COURSE}
FOUR, FIVE = "04_matrix_form", "05_output_projection"


def work(stem: str, whose: str, answered: bool = True) -> str:
    """A script that defines every part of an exercise, and says whose it is."""
    lines = [f"WHOSE = {whose!r}"]
    for part in BY_STEM[stem].parts:
        if part.probe == "value":
            lines.append(f"{part.defined_as} = {{'a': {'1' if answered else '...'}}}")
        else:
            body = "return 1" if answered else "raise NotImplementedError"
            lines.append(f"def {part.defined_as}(*given):\n    {body}")
    return "\n".join(lines) + "\n"


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": code}
    return json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def text_for(path: str, stem: str, whose: str, answered: bool = True) -> str:
    code = work(stem, whose, answered)
    return notebook(code) if ".ipynb" in path.casefold() else code


def put(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def whose(intake: Intake, name: str) -> dict[str, str]:
    """By stem, whose work is read for a learner."""
    (learner,) = (learner for learner in intake.learners if learner.name == name)
    found = {}
    for stem, source in read(learner, STEMS).sources.items():
        if source.status == "ok":
            found[stem] = source.cells[0].source.split("'")[1]
        else:
            assert source.status == "missing", source.message
    return found


@contextmanager
def taken(folder: Path, late: Late = "read") -> Iterator[Intake]:
    with opened(folder, COURSE, late) as intake:
        yield intake


def told(intake: Intake) -> dict[str, str]:
    return {match.file: match.told for match in intake.matches if match.told}


# --- what was handed in as it should be --------------------------------------------------


def test_a_plain_class_is_read_as_it_always_was(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            f"amara/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "amara"),
            f"amara/{FOUR}.py": work(FOUR, "the script"),
            f"ben/self-attention/{FIVE}.ipynb": text_for("x.ipynb", FIVE, "ben"),
            "ben/self-attention/timestamp.txt": "2026-01-01 10:00:00 UTC",
            "chloe/.ipynb_checkpoints/x.ipynb": "",
            "readme.txt": "",
        },
    )
    plain = find(tmp_path, STEMS)
    with taken(tmp_path) as intake:
        assert [learner.name for learner in intake.learners] == ["amara", "ben", "chloe"]
        for ours, theirs in zip(intake.learners, plain, strict=True):
            assert read(ours, STEMS) == read(theirs, STEMS)
        assert [match.submission for match in intake.asking] == ["chloe"]
        assert told(intake) == {
            "chloe": "has no file of any exercise: if there should be one, put it there",
            f"amara/{FOUR}.py": f"is not read: the notebook amara/{FOUR}.ipynb is",
            "readme.txt": "is no submission",
        }


def test_links_and_what_is_no_file_are_told_as_before(tmp_path: Path) -> None:
    put(tmp_path, {f"else/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "other")})
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "amara").symlink_to(tmp_path / "else")
    (tmp_path / "class" / "ben").mkdir()
    (tmp_path / "class" / "ben" / f"{FOUR}.ipynb").symlink_to(tmp_path / "else" / f"{FOUR}.ipynb")
    (tmp_path / "class" / "ben" / f"{FIVE}.ipynb").mkdir()
    os.mkfifo(tmp_path / "class" / "ben" / "01_one_reading.py")
    plain = find(tmp_path / "class", STEMS)
    with taken(tmp_path / "class") as intake:
        for ours, theirs in zip(intake.learners, plain, strict=True):
            assert read(ours, STEMS).sources == read(theirs, STEMS).sources


@pytest.mark.parametrize("files", [{}, {"notes.txt": ""}, {".hidden/x.ipynb": ""}])
def test_a_folder_without_a_submission_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(OneheadError, match="no submission in"), taken(put(tmp_path, files)):
        pass
    with pytest.raises(OneheadError, match="can't read submissions"), taken(tmp_path / "none"):
        pass


def test_one_learners_own_folder(tmp_path: Path) -> None:
    put(
        tmp_path / "amara",
        {
            f"{FOUR}.py": work(FOUR, "amara"),
            f"old/{FIVE}.py": work(FIVE, "amara, nested"),
            f"old/{FOUR}.py": work(FOUR, "an older one"),
        },
    )
    with taken(tmp_path / "amara") as intake:
        assert whose(intake, "amara") == {FOUR: "amara", FIVE: "amara, nested"}
        (asking,) = intake.asking
        assert asking.file == f"old/{FOUR}.py"
    put(tmp_path / "ben", {f"{FOUR} (1).ipynb": text_for("x.ipynb", FOUR, "ben")})
    with taken(tmp_path / "ben") as intake:
        assert whose(intake, "ben") == {FOUR: "ben"}


def test_a_loose_file_beside_a_class_does_not_swallow_the_class(tmp_path: Path) -> None:
    files = {f"{who}/{FOUR}.py": work(FOUR, who) for who in ("amara", "ben", "chloe")}
    put(tmp_path, {**files, f"{FOUR}.py": work(FOUR, "the instructor")})
    with taken(tmp_path) as intake:
        assert [learner.name for learner in intake.learners] == ["amara", "ben", "chloe"]
        (asking,) = intake.asking
        assert (asking.file, asking.submission) == (f"{FOUR}.py", "")
        assert "whose is it?" in asking.told


# --- names -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "04_matrix_form (1).ipynb",
        "04_matrix_form-1.ipynb",
        "04_matrix_form-Copy1.ipynb",
        "04_matrix_form copy.py",
        "04_Matrix_Form.IPYNB",
        "04 matrix form FINAL v2.ipynb",
        "Kopie von 04_matrix_form.ipynb",
        "amara_04_matrix_form.ipynb",
        "matrix-form.ipynb",
        "MatrixForm.py",
        "04_matrix_form.ipynb.txt",
        "04_matrix_form.ipynb (2).json",
        "Untitled3.ipynb",
        "homework/week 4/solution.py",
    ],
)
def test_a_changed_name_is_read_and_said(tmp_path: Path, name: str) -> None:
    put(tmp_path, {f"amara/{name}": text_for(name, FOUR, "amara")})
    with taken(tmp_path) as intake:
        assert whose(intake, "amara") == {FOUR: "amara"}
        assert intake.asking == ()
        (learner,) = intake.learners
        message = read(learner, STEMS).sources[FOUR].message
        assert message.startswith(f"{Path(name).name} is read as {FOUR}")


def test_a_file_with_another_exercises_name_is_read_as_what_it_is(tmp_path: Path) -> None:
    put(tmp_path, {f"amara/{FOUR}.ipynb": text_for("x.ipynb", FIVE, "amara")})
    with taken(tmp_path) as intake:
        assert whose(intake, "amara") == {FIVE: "amara"}
        assert told(intake)[f"amara/{FOUR}.ipynb"].endswith(f"{FIVE}, by what it defines")


def test_swapped_names_are_set_right(tmp_path: Path) -> None:
    put(tmp_path, {f"a/{FOUR}.py": work(FIVE, "five"), f"a/{FIVE}.py": work(FOUR, "four")})
    with taken(tmp_path) as intake:
        assert whose(intake, "a") == {FOUR: "four", FIVE: "five"}


def test_one_file_with_several_exercises_is_read_as_each(tmp_path: Path) -> None:
    whole = work(FOUR, "amara") + work(FIVE, "amara")
    put(tmp_path, {"amara/all of it.py": whole})
    with taken(tmp_path) as intake:
        assert whose(intake, "amara") == {FOUR: "amara", FIVE: "amara"}


def test_what_is_not_recognised_is_told_with_what_to_do(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            f"amara/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "amara"),
            "amara/Untitled.ipynb": notebook("print('hello')"),
            "amara/broken.ipynb": "no notebook",
            "ben/report.pdf": "",
            "ben/work.rar": "",
        },
    )
    with taken(tmp_path) as intake:
        asked = {match.file: match.told for match in intake.asking}
        assert whose(intake, "ben") == {}
    assert "rename it to one such as 01_one_reading" in asked["amara/Untitled.ipynb"]
    assert asked["amara/broken.ipynb"].startswith("broken.ipynb is no notebook")
    assert asked["ben/report.pdf"] == "is neither a notebook nor a script"
    assert asked["ben/work.rar"] == "is an archive of a kind that is not opened: unpack it"


def test_other_assignments_of_nbgrader_ask_nobody(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            f"amara/self-attention/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "amara"),
            "amara/another/problem1.ipynb": notebook("x = 1"),
        },
    )
    with taken(tmp_path) as intake:
        assert whose(intake, "amara") == {FOUR: "amara"}
        assert intake.asking == ()


# --- several of one ----------------------------------------------------------------------


def test_of_copies_the_one_with_most_answers_is_read(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            f"amara/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "untouched", answered=False),
            f"amara/{FOUR} (1).ipynb": text_for("x.ipynb", FOUR, "answered"),
            f"ben/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "plain"),
            f"ben/{FOUR} (1).ipynb": text_for("x.ipynb", FOUR, "copy"),
            f"chloe/{FOUR} (1).ipynb": text_for("x.ipynb", FOUR, "first"),
            f"chloe/{FOUR} (2).ipynb": text_for("x.ipynb", FOUR, "second"),
            f"dan/{FOUR}.ipynb": text_for("x.ipynb", FOUR, "same"),
            f"dan/{FOUR} (1).ipynb": text_for("x.ipynb", FOUR, "same"),
        },
    )
    with taken(tmp_path) as intake:
        read_as = {name: whose(intake, name)[FOUR] for name in ("amara", "ben", "chloe", "dan")}
        assert read_as == {"amara": "answered", "ben": "plain", "chloe": "second", "dan": "same"}
        assert [match.submission for match in intake.asking] == ["amara", "ben", "chloe"]
        assert "if this one counts, remove that one" in intake.asking[0].told


@pytest.mark.parametrize("script", [f"{FOUR}.py", f"{FOUR} (2).py"])
def test_a_script_with_answers_is_read_before_a_notebook_without(
    tmp_path: Path, script: str
) -> None:
    untouched = text_for("x.ipynb", FOUR, "untouched", answered=False)
    put(tmp_path, {f"amara/{FOUR}.ipynb": untouched, f"amara/{script}": work(FOUR, "script")})
    with taken(tmp_path) as intake:
        assert whose(intake, "amara")[FOUR] == "script"
        assert told(intake)[f"amara/{FOUR}.ipynb"] == (
            f"has no answers: the script amara/{script} is read"
        )


DAMAGED = {
    f"{FOUR}.ipynb": (text_for("x.ipynb", FOUR, "amara")[:-9], "damaged; 1 code cell could be"),
    f"{FOUR} (1).ipynb": ("{" + "nothing", "is no notebook: it is no valid JSON"),
    f"{FOUR}.py": ("x = 1\n".encode("utf-32"), "is binary"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_asks_for_another(tmp_path: Path, name: str) -> None:
    text, expected = DAMAGED[name]
    whole = text_for("x.ipynb", FIVE, "amara")
    put(tmp_path, {f"amara/{FIVE}.ipynb": whole, f"amara/{name}": text})
    with taken(tmp_path) as intake:
        (asks,) = intake.asking
        assert (asks.file, asks.stem) == (f"amara/{name}", FOUR)
        assert expected in asks.told
        assert "ask for it again" in asks.told
        assert not asks.told.startswith(name)  # the file is said before it


CANVAS = {
    f"doejane_98_5001_{FOUR}.ipynb": text_for("x.ipynb", FOUR, "first"),
    f"doejane_LATE_98_6001_{FOUR}-1.ipynb": text_for("x.ipynb", FOUR, "late"),
    f"doejane_98_5002_{FIVE}.py": work(FIVE, "first"),
    f"ngben_LATE_99_6002_{FIVE}.py": work(FIVE, "late"),
    "younger_100_5003_essay.pdf": "",
    "older_101_text.html": "",
}


def test_canvas_attempts_the_last_one_counts(tmp_path: Path) -> None:
    with taken(put(tmp_path, CANVAS)) as intake:
        names = [learner.name for learner in intake.learners]
        assert names == ["doejane_98", "ngben_99", "older_101", "younger_100"]
        assert whose(intake, "doejane_98") == {FOUR: "late", FIVE: "first"}
        assert whose(intake, "ngben_99") == {FIVE: "late"}
        assert [match.submission for match in intake.asking] == ["older_101", "younger_100"]
        assert "earlier attempt" in told(intake)[f"doejane_98_5001_{FOUR}.ipynb"]


def test_late_files_can_be_left(tmp_path: Path) -> None:
    with taken(put(tmp_path, CANVAS), "leave") as intake:
        assert whose(intake, "doejane_98") == {FOUR: "first", FIVE: "first"}
        assert whose(intake, "ngben_99") == {}
        assert told(intake)[f"ngben_LATE_99_6002_{FIVE}.py"].startswith("is marked late")


def test_attempts_in_folders_and_by_date(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            f"amara/attempt 2/{FOUR}.py": work(FOUR, "second"),
            f"amara/Attempt_10/{FOUR}.py": work(FOUR, "tenth"),
            f"HW_ben_attempt_2025-10-03-12-05-33_{FOUR}.py": work(FOUR, "later"),
            f"HW_ben_attempt_2025-09-30-12-05-33_{FOUR}.py": work(FOUR, "earlier"),
            f"7-8 - Cy Young - Oct 3, 2025 905 AM/{FOUR}.py": work(FOUR, "morning"),
            f"7-8 - Cy Young - Oct 3, 2025 105 PM/{FOUR}.py": work(FOUR, "afternoon"),
        },
    )
    with taken(tmp_path) as intake:
        assert whose(intake, "amara") == {FOUR: "tenth"}
        assert whose(intake, "ben") == {FOUR: "later"}
        assert whose(intake, "Cy Young_7") == {FOUR: "afternoon"}
        assert intake.asking == ()


def test_moodles_folders_of_one_learner_are_one_submission(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            f"Jane Doe_12_assignsubmission_file/{FOUR}.py": work(FOUR, "jane"),
            "Jane Doe_12_assignsubmission_onlinetext/onlinetext.html": "",
            f"Jane Doe_13_assignsubmission_file_/{FOUR}.py": work(FOUR, "the other jane"),
        },
    )
    with taken(tmp_path) as intake:
        assert whose(intake, "Jane Doe_12") == {FOUR: "jane"}
        assert whose(intake, "Jane Doe_13") == {FOUR: "the other jane"}


# --- archives ----------------------------------------------------------------------------


def test_archives_are_opened_in_archives(tmp_path: Path) -> None:
    work_zip = zipped({f"my work/{FOUR}.py": work(FOUR, "jane"), "__MACOSX/x.py": "", "a.pdf": ""})
    whole = {
        "Jane Doe_12_assignsubmission_file_/work.zip": work_zip,
        f"Ben Ng_13_assignsubmission_file_/{FIVE}.py": work(FIVE, "ben"),
    }
    put(tmp_path, {"class.zip": zipped(whole), "wrapped.zip": zipped(in_folder("sub", whole))})
    for name in ("class.zip", "wrapped.zip"):
        with taken(tmp_path / name) as intake:
            assert whose(intake, "Jane Doe_12") == {FOUR: "jane"}
            assert whose(intake, "Ben Ng_13") == {FIVE: "ben"}
            assert intake.asking == ()
            assert any(file.endswith("work.zip/a.pdf") for file in told(intake))


def test_an_archive_that_is_not_opened_is_told_wherever_it_lies(tmp_path: Path) -> None:
    put(tmp_path, {"class.zip": zipped({"amara/work.rar": "", f"ben/{FOUR}.py": work(FOUR, "b")})})
    with taken(tmp_path / "class.zip") as intake:
        (asking,) = intake.asking
        assert asking.told == "is an archive of a kind that is not opened: unpack it"


def in_folder(folder: str, files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    return {f"{folder}/{name}": content for name, content in files.items()}


def test_one_learners_archive_is_one_submission(tmp_path: Path) -> None:
    put(tmp_path / "a", {"amara.zip": zipped({f"{FOUR}.py": work(FOUR, "amara")})})
    with taken(tmp_path / "a" / "amara.zip") as intake:
        assert whose(intake, "amara") == {FOUR: "amara"}
    put(tmp_path / "a", {"ben.zip": zipped({f"ben/{FIVE} (2).py": work(FIVE, "ben")})})
    with taken(tmp_path / "a") as intake:
        assert whose(intake, "amara") == {FOUR: "amara"}
        assert whose(intake, "ben") == {FIVE: "ben"}


def tampered(files: Mapping[str, str | bytes], change: dict[bytes, bytes]) -> bytes:
    data = zipped(files)
    for old, new in change.items():
        assert old in data
        data = data.replace(old, new)
    return data


def linked() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo(f"{FOUR}.py")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return out.getvalue()


def bomb() -> bytes:
    return zipped({f"{FOUR}.py": b"#" * (17 << 20)})


def lzma() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(f"{FOUR}.py", work(FOUR, "x"))
    return out.getvalue()


ONE = {f"{FOUR}.py": work(FOUR, "ben")}
HARMFUL = {
    "a link": (linked(), "is a link"),
    "a bomb": (bomb(), "is larger than 16 MiB once unpacked"),
    "no archive": (b"PK\x03\x04 nothing", "is no zip archive"),
    "nothing": (b"", "is no zip archive"),
    "cut off": (zipped(ONE)[:-40], "is no zip archive"),
    "encrypted": (
        tampered(ONE, {b"PK\x01\x02\x14\x03\x14\x00\x00": b"PK\x01\x02\x14\x03\x14\x00\x01"}),
        "is encrypted",
    ),
    "packed oddly": (lzma(), "is packed in an unusual way"),
    "damaged": (tampered(ONE, {zipped(ONE)[60:75]: b"\xff" * 15}), "is damaged"),
    "empty": (zipped({}), "is an empty archive"),
    "too deep": (zipped({"b.zip": zipped({"c.zip": zipped(ONE)})}), "is an archive in an archive"),
}


@pytest.mark.parametrize("kind", HARMFUL)
def test_a_harmful_archive_costs_its_owner_alone(tmp_path: Path, kind: str) -> None:
    data, says = HARMFUL[kind]
    put(tmp_path, {"amara/work.zip": data, f"ben/{FIVE}.py": work(FIVE, "ben")})
    with taken(tmp_path) as intake:
        assert (whose(intake, "amara"), whose(intake, "ben")) == ({}, {FIVE: "ben"})
        (asking,) = intake.asking
        assert asking.submission == "amara" and says in asking.told


def test_no_member_leaves_the_folder_that_it_is_unpacked_in(tmp_path: Path) -> None:
    names = ["../../escaped.py", "/tmp/escaped.py", "..\\..\\escaped.py", "a/../../escaped.py"]
    put(tmp_path / "class", {"amara/work.zip": zipped({n: work(FOUR, "x") for n in names})})
    with taken(tmp_path / "class") as intake:
        (learner,) = intake.learners
        assert all(".." not in file.parts for file in learner.found[FOUR])
        assert [path.name for path in tmp_path.iterdir()] == ["class"]
        assert whose(intake, "amara") == {FOUR: "x"}


def test_the_list_of_an_archive_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 10)
    put(tmp_path, {"amara/work.zip": zipped({f"{k}.py": "" for k in range(11)})})
    with taken(tmp_path) as intake:
        assert "lists more than 10 files" in intake.asking[0].told


def unpacked_into(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_all_that_comes_out_of_an_archive_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_LEARNERS", 3 << 20)
    members = {f"{k}.py": b"#" * (1 << 20) for k in range(5)}
    put(tmp_path / "one", {"amara/work.zip": zipped(members)})
    many = {f"amara/{name}.zip": zipped({"work.zip": zipped(members)}) for name in "abc"}
    put(tmp_path / "many", many | {f"ben/{FIVE}.py": work(FIVE, "ben")})
    put(tmp_path / "all", {"class.zip": zipped(many | {"ben.zip": zipped(members)})})
    with taken(tmp_path / "one") as intake:
        assert len([match for match in intake.asking if "so much came" in match.told]) == 2
    scratch = unpacked_into(tmp_path / "scratch", monkeypatch)
    for place, most in (("many", 3), ("all/class.zip", 4 * 3)):
        with opened(tmp_path / place, COURSE):
            out = sum(path.stat().st_size for path in scratch.rglob("*.py"))
            assert 1 << 20 <= out <= most << 20


def test_what_is_damaged_or_too_large_counts_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_LEARNERS", 3 << 20)
    good = zipped({f"{k}.py": b"#" * (1 << 20) for k in range(5)})
    crc = zipfile.ZipFile(io.BytesIO(good)).infolist()[0].CRC.to_bytes(4, "little")
    put(tmp_path / "class", {"amara/work.zip": good.replace(crc, b"\0\0\0\0")})
    scratch = unpacked_into(tmp_path / "scratch", monkeypatch)
    with taken(tmp_path / "class") as intake:
        assert ["is damaged" in match.told for match in intake.asking] == [True] * 3 + [False] * 2
        assert not list(scratch.rglob("*.py"))


@pytest.mark.parametrize(
    "name",
    [
        f"{FOUR}.ipynb({'1' * 5000})",
        f"x{' ' * 60_000}.ipynb",
        f"{'copy ' * 12_000}.py",
        f"{'a/' * 30_000}{FOUR}.py",
    ],
)
def test_a_name_that_no_file_system_takes_is_not_looked_at(tmp_path: Path, name: str) -> None:
    # Searched for an exercise's name, some of these take hours.
    put(tmp_path, {"amara/work.zip": zipped({name: work(FOUR, "x")})})
    with taken(tmp_path) as intake:
        (asking,) = intake.asking
        assert asking.told == "has a name that is too long: rename it"
        assert len(asking.file) < 400


def test_nothing_that_was_unpacked_is_left(tmp_path: Path) -> None:
    put(tmp_path, {"amara.zip": zipped(ONE)})
    with taken(tmp_path) as intake:
        (file,) = intake.learners[0].found[FOUR]
        assert file.root.is_dir()
    assert not file.root.exists()


def test_a_learner_may_be_called_like_a_file(tmp_path: Path) -> None:
    name = f"{FOUR}.py"
    put(tmp_path / "a", {f"{name}/{FIVE}.py": work(FIVE, "x"), f"ben/{FIVE}.py": work(FIVE, "ben")})
    with taken(tmp_path / "a") as intake:
        assert (whose(intake, name), whose(intake, "ben")) == ({FIVE: "x"}, {FIVE: "ben"})
    both = {name: work(FOUR, "x"), f"{name}/{FIVE}.py": work(FIVE, "y")}
    put(tmp_path, {"b.zip": zipped(both | {f"ben/{FIVE}.py": work(FIVE, "ben")})})
    with taken(tmp_path / "b.zip") as intake:
        assert FIVE in whose(intake, intake.learners[0].name)


def test_files_that_can_not_be_read_are_tried_so_many_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {f"amara/{FOUR} ({k}).ipynb": "{" for k in range(1, 31)})
    tried = []
    real = submission.read_source
    monkeypatch.setattr(submission, "read_source", lambda *at: tried.append(at) or real(*at))
    with taken(tmp_path) as intake:
        tried.clear()
        assert read(intake.learners[0], STEMS).sources[FOUR].status == "unreadable"
    assert len(tried) == 20


def test_no_more_is_looked_into_than_so_many_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "MAX_LOOKED_AT", 2500)
    put(tmp_path, {f"amara/{k}.py": f"x = {k}" + " " * 995 for k in range(5)})
    with taken(tmp_path) as intake:
        told = [match.told for match in intake.matches]
    assert sum("more files than are looked into" in text for text in told) == 3


# --- a class of 300 ----------------------------------------------------------------------


def handed_in(number: int, draw: random.Random) -> tuple[str, dict[str, str | bytes]]:
    """A learner's name in the results, and their files as some LMS hands them out."""
    first, last = draw.choice(["Ana", "Bo", "Chloé", "Đan"]), f"L{number:03}"
    kind = number % 6
    ext = draw.choice([".ipynb", ".py"])
    files: dict[str, str | bytes] = {}
    who = [
        f"{first} {last}_{number}", f"{first.lower()}{last.lower()}_{number}",
        f"{first} {last}_{number}", f"{first.lower()}{last.lower()}_{number}",
        f"s{number}", f"{first}.{last}",
    ][kind]  # fmt: skip
    for place, stem in enumerate(STEMS):
        name = changed(stem, draw) + ext
        content = text_for(name, stem, f"{who}/{stem}")
        if kind == 0:  # Moodle, a folder each
            under = draw.choice(["", "_"])
            files[f"{first} {last}_{number}_assignsubmission_file{under}/{name}"] = content
        elif kind == 1:  # Canvas, flat, some late
            late = "_LATE" if number % 4 == 1 else ""
            files[f"{who[: -len(str(number)) - 1]}{late}_{number}_{7000 + place}_{name}"] = content
        elif kind in (2, 3):
            files[f"work/{name}" if number % 5 else name] = content
        elif kind == 4:  # nbgrader
            files[f"{who}/self-attention/{stem}{ext}"] = content
        else:
            nested = draw.choice(["", "notebooks/", "my work/final/"])
            files[f"{who}/{nested}{name}"] = content
    if kind == 2:  # Moodle, an archive
        return who, {f"{first} {last}_{number}_assignsubmission_file_/work.zip": zipped(files)}
    if kind == 3:  # Canvas, an archive
        base = who[: -len(str(number)) - 1]
        return who, {f"{base}_{number}_8000_self attention.zip": zipped(files)}
    return who, files


def changed(stem: str, draw: random.Random) -> str:
    """A stem as it comes back."""
    words = stem.replace("_", " ")
    return draw.choice(
        [stem] * 6
        + [f"{stem} (1)", f"{stem}-1", f"{stem}-Copy2", f"{words} final", f"{words.title()}"]
        + [f"Copy of {stem}", f"{stem} - Kopie", f"homework {draw.random()}"]
    )


def test_a_class_of_300_is_matched_without_a_loss(tmp_path: Path) -> None:
    draw = random.Random(20260101)
    due = []
    for number in range(300):
        who, files = handed_in(number, draw)
        put(tmp_path, files)
        due.append(who)
    with taken(tmp_path) as intake:
        assert [learner.name for learner in intake.learners] == sorted(due)
        assert intake.asking == ()
        for name in due:
            assert whose(intake, name) == {stem: f"{name}/{stem}" for stem in STEMS}
        matched = itertools.groupby(intake.matches, key=lambda match: match.submission)
        assert {
            name: len([m for m in found if m.stem]) for name, found in matched
        } == dict.fromkeys(due, len(STEMS))
