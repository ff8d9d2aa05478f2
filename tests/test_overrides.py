"""An instructor's own marks: kept over re-grades, shown, and refused where they can't be."""

from __future__ import annotations

import csv
import json
from html import unescape
from pathlib import Path

import pytest
from tests.classes import small
from tests.test_grading import order
from tests.test_intake import put
from tests.test_reporting import put as put_results

from onehead import grading, overrides, reporting
from onehead.errors import OneheadError
from onehead.gradebook import comment_text
from onehead.reports import Wishes, formats
from onehead_release.solved import write_submission

HEAD = "submission,exercise,part,score,reason\n"
ROW = 'Ben Ng_102,lesson-04,self_attention,3.5,"a typo, not a mistake"\n'
FIVE = "Ben Ng_102,lesson-05,output_projection,1,handed in by mail\n"


def marks(out: Path) -> dict[str, float]:
    with open(out / "grades.csv") as stream:
        return {row["submission"]: float(row["total"]) for row in csv.DictReader(stream)}


def test_a_decision_is_in_every_report_and_not_in_the_results(tmp_path: Path) -> None:
    put_results(tmp_path, small())
    before = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "overrides.csv").write_text(HEAD + ROW + FIVE)
    graded = reporting.load(tmp_path)
    assert {r.submission: r.score for r in graded.results} == {
        "Ada Lovelace_101": 8, "Ben Ng_102": 5.5,
    }  # fmt: skip
    for name in set(formats()) - {"canvas"}:
        reporting.write(tmp_path, name, Wishes())
    page = (tmp_path / "reports" / "html" / "Ben Ng_102" / "index.html").read_text()
    assert "5.5 of 8 points" in page
    said = "Your instructor's mark:</strong> 3.5 of 4. a typo, not a mistake (The grader's: 2.5.)"
    assert said in unescape(page) and "handed in by mail" in page
    folder = tmp_path / "reports" / "gradescope" / "Ben Ng_102"
    tests = json.loads((folder / "results.json").read_text())["tests"]
    assert sum(test["score"] for test in tests) == 5.5
    assert "a typo, not a mistake" in tests[1]["output"]
    assert (tmp_path / "results.jsonl").read_bytes() == before


def test_a_decision_is_in_nbgraders_comment(tmp_path: Path) -> None:
    put_results(tmp_path, small())
    (tmp_path / "overrides.csv").write_text(HEAD + ROW)
    part = reporting.load(tmp_path).results[1].exercises[0].parts[1]
    assert "* **Your instructor's mark.** `` a typo, not a mistake ``" in comment_text(part)


@pytest.mark.parametrize("change", [str, lambda t: "\ufeff" + t.replace("\n", "\r\n")])
def test_a_spreadsheets_file_is_read(tmp_path: Path, change: type[str]) -> None:
    (tmp_path / "overrides.csv").write_text(change(HEAD + ROW + ",,,,\n"))
    (decision,) = overrides.read(tmp_path)
    assert (decision.score, decision.reason) == (3.5, "a typo, not a mistake")
    text = "submission;exercise;part;score;reason\nx;y;z;1,5;w\n"
    (tmp_path / "overrides.csv").write_text(text)
    assert overrides.read(tmp_path)[0].score == 1.5


def test_no_file_is_no_decision(tmp_path: Path) -> None:
    assert overrides.read(tmp_path) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n", "first line of .* has to be: submission,exercise,part,score,reason"),
        ("", "first line"),
        (HEAD + "Ben Ng_102,lesson-04,self_attention,lots,x\n", "line 2: 'lots' is no score"),
        (HEAD + "Ben Ng_102,lesson-04,self_attention,nan,x\n", "line 2: 'nan' is no score"),
        (HEAD + ROW + "Ben,lesson-04,self_attention,1,x\n", "line 3: no submission 'Ben'"),
        (HEAD + ROW.replace("lesson-04", "four"), r"no exercise 'four' \(lesson-04, lesson-05\)"),
        (HEAD + ROW.replace("self_", ""), r"no part 'attention' .*\(causal_mask, self_attention"),
        (HEAD + ROW.replace("3.5", "4.5"), "4.5 is not between 0 and the 4 points"),
        (HEAD + ROW.replace("3.5", "-1"), "-1 is not between 0"),
        (HEAD + ROW + ROW, "line 3: line 2 decides the same part"),
        (HEAD + "x,y,z,1,\n" + "x,y,z,2,\n", "line 2: no submission 'x'; line 3: no submission"),
    ],
)
def test_what_can_not_be_decided_is_refused_with_its_line(
    tmp_path: Path, text: str, says: str
) -> None:
    put_results(tmp_path, small())
    (tmp_path / "overrides.csv").write_text(text)
    with pytest.raises(OneheadError, match=says) as refusal:
        reporting.load(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_decision_on_who_could_not_be_graded_waits(tmp_path: Path) -> None:
    put_results(tmp_path, small())
    (tmp_path / "overrides.csv").write_text(HEAD + ROW.replace("Ben Ng_102", "Cy Young_103"))
    assert reporting.load(tmp_path).results == small().results


def test_decisions_outlive_a_regrade_and_go_when_they_are_taken_back(tmp_path: Path) -> None:
    write_submission(tmp_path / "class" / "ada", "solved", "py", ["04_matrix_form"])
    put(tmp_path / "class" / "ben", {"04_matrix_form.py": "def causal_mask(T):\n    return T\n"})
    out = tmp_path / "out"
    grading.run(order(tmp_path / "class", out), print, print)
    page = out / "feedback" / "ben" / "index.html"
    (before, marked), line = (page.read_bytes(), marks(out)), (out / "results.jsonl").read_bytes()
    decided = HEAD + "ben,lesson-04,causal_mask,1,meant well\n"
    (out / "overrides.csv").write_text(decided)
    for resume in (True, False, True):
        grading.run(order(tmp_path / "class", out, resume=resume), print, print)
        assert marks(out) == marked | {"ben": 1.0}  # of a part alone
        assert b"meant well" in page.read_bytes()
        assert (out / "results.jsonl").read_bytes() == line
        assert (out / "overrides.csv").read_text() == decided
    (out / "overrides.csv").unlink()
    grading.run(order(tmp_path / "class", out), print, print)
    assert (page.read_bytes(), marks(out)) == (before, marked)


def test_a_bad_decision_stops_a_run_before_it_grades(tmp_path: Path) -> None:
    put(tmp_path / "class" / "ben", {"04_matrix_form.py": "x = 1\n"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "overrides.csv").write_text(HEAD + "bob,lesson-04,causal_mask,1,\n")
    with pytest.raises(OneheadError, match="no submission 'bob'"):
        grading.run(order(tmp_path / "class", tmp_path / "out"), print, print)
    assert not (tmp_path / "out" / "results.jsonl").exists()
