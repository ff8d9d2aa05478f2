"""The grader's self-test: its counts, its bounds, and the answers that it would tell of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import binomtest

import onehead_solutions
from onehead.errors import OneheadError
from onehead.model import Misconception
from onehead_release import selftest
from onehead_release.bank import Entry, Verdict, entries, fits_numpy, grade_entry, strays
from onehead_release.chapter import chapter
from onehead_release.selftest import Found
from onehead_release.shares import interval


def test_every_answer_of_the_bank_is_an_entry() -> None:
    found = entries(onehead_solutions.load())
    assert len(found) == len({e.path for e in found}) == len(list(chapter().bank.glob("*/*/*.py")))
    assert sum(e.kind == "right" for e in found) >= 100
    assert sum(e.kind == "wrong" for e in found) >= 300


def test_an_answer_is_graded_behind_a_solved_notebook() -> None:
    found = entries([e for e in onehead_solutions.load() if e.id == "lesson-05"])
    right = next(entry for entry in found if entry.kind == "right")
    wrong = next(entry for entry in found if entry.name == "output-transposed")
    assert grade_entry(right) == Verdict(right, frozenset(), frozenset())
    verdict = grade_entry(wrong)
    assert verdict.losing == wrong.parts
    assert verdict.is_named
    assert not verdict.is_accepted


@pytest.mark.parametrize(
    ("numpy", "header", "fits"),
    [
        ("1.26.4", "# needs: numpy 2", False),
        ("2.0.0", "# needs: numpy 2", True),
        ("1.26.4", "# parts: fold", True),
    ],
)
def test_an_answer_may_need_a_newer_numpy(
    numpy: str, header: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numpy.__version__", numpy)
    entry = tmp_path / "entry.py"
    entry.write_text(f"{header}\nimport numpy as np\n")
    assert fits_numpy(entry) == fits


RIGHT = Entry(Path("style/01.py"), "right", "lesson-05")
WRONG = Entry(Path("scale/x.py"), "wrong", "lesson-05", frozenset({"fold"}), "scale")


@pytest.mark.parametrize(
    ("entry", "losing", "names", "told"),
    [
        (RIGHT, (), (), []),
        (RIGHT, ("fold",), (), ["refused: right/style/01 lost marks in fold"]),
        (WRONG, ("fold",), ("scale",), []),
        (WRONG, ("fold",), (), []),
        (WRONG, ("other",), (), ["accepted: wrong/scale/x lost no marks in fold"]),
        (WRONG, ("fold",), ("other",), ["misnamed: wrong/scale/x was called other"]),
    ],
)
def test_faults_are_told(
    entry: Entry, losing: tuple[str, ...], names: tuple[str, ...], told: list[str]
) -> None:
    verdict = Verdict(entry, frozenset(losing), frozenset(names))
    assert list(selftest._faults([verdict])) == told


@pytest.mark.parametrize(
    ("path", "header", "why"),
    [
        ("right/plain/01_qkv.py", "", "no notebook is called 01_qkv; there are: 03"),
        (
            "wrong/scale-missing/a.py",
            "# exercise: lesson-3",
            "names lesson-3; there are: lesson-03",
        ),
        ("wrong/scale-missing/a.py", "# parts: attend", "'# exercise:' names none; there are"),
        ("wrong/scale-missing/a.py", "# exercise: lesson-03", "'# parts:' names none; there are"),
        (
            "wrong/scale-mising/a.py",
            "# exercise: lesson-03\n# parts: attend",
            "lesson-03 knows no mistake scale-mising: rename the folder, or call it unnamed",
        ),
        ("wrong/scale-missing/a.py", "# exercise: lesson-03\n# parts: attend", None),
        ("wrong/unnamed/a.py", "# exercise: lesson-03\n# parts: attend", None),
        ("wrong/rounded/a.py", "# exercise: lesson-03\n# parts: attend", None),
    ],
)
def test_an_answer_that_is_never_read_is_told(
    path: str, header: str, why: str | None, tmp_path: Path
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(f"{header}\n")
    told = list(strays([e for e in onehead_solutions.load() if e.id == "lesson-03"], tmp_path))
    if why is None:
        assert told == []
    else:
        (line,) = told
        assert line.startswith(f"{path}: ")
        assert why in line


def test_the_bank_has_no_answer_that_is_never_read() -> None:
    assert list(strays(onehead_solutions.load())) == []


def test_what_is_not_seen_is_told() -> None:
    exercise = next(e for e in onehead_solutions.load() if e.id == "lesson-05")
    verdict = Verdict(WRONG, frozenset({"fold"}), frozenset())
    part = exercise.parts[0]
    assert part.small and part.misconceptions
    wrong = {part.stages[0].name: part.stages[0].want}
    right = Misconception("right", {**wrong}, "Nothing is wrong.")  # type: ignore[dict-item]
    odd = replace(exercise, parts=(replace(part, misconceptions=(right,)),))
    lines = list(selftest._unseen([odd], Found((verdict,), (), (), ())))
    assert lines[:2] == [
        "not named: wrong/scale/x",
        f"lesson-05: no small case of {part.name} shows right",
    ]
    assert not any(
        "no small case" in line for line in selftest._unseen([exercise], Found((), (), (), ()))
    )


@pytest.mark.parametrize(
    ("count", "total"),
    [(0, 300), (3, 421), (150, 150), (9, 10), (0, 8472), (1696, 1717), (4000, 8472)],
)
def test_the_bounds_are_those_of_the_binomial(count: int, total: int) -> None:
    due = binomtest(count, total).proportion_ci(method="exact")
    assert interval(count, total) == pytest.approx((due.low, due.high), abs=1e-9)


def test_an_unknown_exercise_is_refused_in_a_line() -> None:
    with pytest.raises(OneheadError, match="no exercise 'lesson-9': there are lesson-01"):
        selftest.run(["lesson-9"], 1, lambda done, total: None)
