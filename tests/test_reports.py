"""Reports in every format: read by programs that are not ours, and all of one mind."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from junitparser import Error, Failure
from junitparser.xunit2 import JUnitXml
from markdown_it import MarkdownIt
from tests.classes import NASTY, finding, graded_classes, part, small

from onehead.errors import OneheadError
from onehead.folder_names import safe_names
from onehead.model import ExerciseResult, Graded, PartResult, Result
from onehead.render.document import printable
from onehead.reports import (
    Wishes,
    canvas,
    filling,
    formats,
    github,
    gradescope,
    html,
    junit,
    moodle,
)
from onehead.reports.csv import no_formula
from onehead.reports.jsonl import to_line

Totals = dict[str, float | None]  # None: no marks


def test_the_formats_are_found_by_walking_the_folder() -> None:
    assert sorted(formats()) == [
        "canvas", "csv", "github", "gradescope", "html", "junit", "moodle", "overview",
    ]  # fmt: skip


# --- all formats agree -------------------------------------------------------------------


def export_for(graded: Graded, earlier: str = "") -> str:
    """What Canvas would export of this class."""
    out = io.StringIO()
    writer = csv.writer(out)
    most = max((r.max_score for r in graded.results), default=1.0)
    writer.writerow(["Student", "ID", "SIS Login ID", "Section", "Attention (77)", "Final Score"])
    writer.writerow(["    Points Possible", "", "", "", most, "(read only)"])
    for name in graded.names:
        writer.writerow(["Some, One", filling.number(name), "", "A", earlier, ""])
    return "\ufeff" + out.getvalue()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def totals_csv(graded: Graded) -> Totals:
    text = formats()["csv"].report(graded, Wishes()).files["grades.csv"]
    names = {no_formula(name): name for name in graded.names}
    return {names[r["submission"]]: float(r["total"]) if r["total"] else None for r in rows(text)}


def totals_junit(graded: Graded) -> Totals:
    text = formats()["junit"].report(graded, Wishes()).files["junit.xml"]
    found: Totals = {}
    shown = {printable(name): name for name in graded.names}
    for suite in JUnitXml.fromstring(text.encode()):
        cases = list(suite)
        points = {p.name: float(p.value) for p in suite.properties()}
        if "score" in points:
            of_cases = [float(p.value) for c in cases for p in c.properties() if p.name == "score"]
            assert sum(of_cases) == pytest.approx(points["score"], abs=1e-6)
        assert suite.failures == sum(any(isinstance(r, Failure) for r in c.result) for c in cases)
        assert suite.errors == sum(any(isinstance(r, Error) for r in c.result) for c in cases)
        found[shown[suite.name]] = points.get("score")
    return found


def totals_gradescope(graded: Graded) -> Totals:
    files = formats()["gradescope"].report(graded, Wishes()).files
    found: Totals = {}
    for name, folder in safe_names(graded.names).items():
        document = json.loads(files[f"gradescope/{folder}/results.json"])
        jsonschema.validate(document, GRADESCOPE)
        found[name] = document.get("score")
        if "score" in document:
            due = sum(test["score"] for test in document["tests"])
            assert document["score"] == pytest.approx(due, abs=1e-6)
    return found


def totals_canvas(graded: Graded) -> Totals:
    report = formats()["canvas"].report(graded, Wishes(fill=export_for(graded)))
    by_number = {r["ID"]: r["Attention (77)"] for r in rows(report.files["canvas.csv"])}
    cells = {name: by_number[filling.number(name) or ""] for name in graded.names}
    return {name: float(cell) if cell else None for name, cell in cells.items()}


def totals_moodle(graded: Graded) -> Totals:
    text = formats()["moodle"].report(graded, Wishes()).files["moodle.csv"]
    names = {no_formula(name): name for name in graded.names}
    grades = {names[row["Submission"]]: row["Grade"] for row in rows(text)}
    return {name: None if grade == "-" else float(grade) for name, grade in grades.items()}


class _Cells(HTMLParser):
    """The texts of a document's table cells, row by row, and every tag in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data


def shown(markdown: str) -> _Cells:
    return _Cells(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


def totals_github(graded: Graded) -> Totals:
    cells = shown(formats()["github"].report(graded, Wishes()).files["github/summary.md"])
    assert cells.tags <= {"h2", "table", "thead", "tbody", "tr", "th", "td"}
    marks = [row[1] for row in cells.rows[1:]]
    assert len(marks) == len(graded.names)
    read = (None if mark.startswith("not graded") else float(mark) for mark in marks)
    return dict(zip(graded.names, read, strict=True))


def totals_html(graded: Graded) -> Totals:
    files = formats()["html"].report(graded, Wishes()).files
    folders = safe_names(result.submission for result in graded.results)
    found: Totals = dict.fromkeys(graded.failed)
    for name, folder in folders.items():
        told = re.search(r"([\d.]+) of [\d.]+ points", files[f"html/{folder}/index.html"])
        assert told is not None
        found[name] = float(told[1])
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graded_classes())
def test_totals_agree_in_all_formats(graded: Graded) -> None:
    due: Totals = {r.submission: json.loads(to_line(r))["score"] for r in graded.results}
    due |= dict.fromkeys(graded.failed)
    for read in (
        totals_csv, totals_junit, totals_gradescope, totals_canvas, totals_moodle, totals_github,
        totals_html,
    ):  # fmt: skip
        assert read(graded) == pytest.approx(due), read.__name__


# --- JUnit -------------------------------------------------------------------------------


def test_junit_says_what_is_wrong_and_calls_a_failure_of_the_grader_an_error() -> None:
    document = JUnitXml.fromstring(junit.render(small()).encode())
    ada, ben, cy = list(document)
    assert (ada.tests, ada.failures, ben.failures, cy.errors) == (3, 0, 2, 1)
    told = [(case.name, *((r.type, r.message) for r in case.result)) for case in ben]
    assert told == [
        ("causal_mask",),
        ("self_attention", ("mask-after-softmax", "row 0 of the weights sums to 0.5, not 1")),
        ("output_projection", ("missing", "the exercise's file is missing")),
    ]
    assert next(iter(cy)).result[0].message == "the grader failed on it: RuntimeError: a fault"


# --- Gradescope --------------------------------------------------------------------------

# From Gradescope's specification of results.json; it publishes no schema.
_WHEN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
_HOW = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE = {
    "type": "object",
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": _HOW,
        "test_output_format": _HOW,
        "test_name_format": _HOW,
        "visibility": _WHEN,
        "stdout_visibility": _WHEN,
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": _HOW,
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": _HOW,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": _WHEN,
                    "extra_data": {"type": "object"},
                },
                "additionalProperties": False,
            },
        },
        "leaderboard": {"type": "array"},
    },
    "additionalProperties": False,
}


def test_gradescope_shows_public_checks_at_once_and_holds_back_the_rest() -> None:
    result = small().results[1]
    document = json.loads(gradescope.results_json(result, public=result))
    jsonschema.validate(document, GRADESCOPE)
    at_once = [test for test in document["tests"] if test["visibility"] == "visible"]
    later = [test for test in document["tests"] if test["visibility"] == "after_published"]
    assert len(at_once) == len(later) == 3
    assert all("score" not in test for test in at_once)
    assert sum(test["score"] for test in later) == document["score"] == 3.5
    assert document["stdout_visibility"] == "hidden"
    assert later[1]["tags"] == ["mask-after-softmax"]
    assert "sums to 0.5" in later[1]["output"]


def test_gradescope_has_no_score_where_the_grader_failed() -> None:
    document = json.loads(gradescope.failure_json())
    jsonschema.validate(document, GRADESCOPE)
    assert not {"score", "tests"} & set(document)
    assert "no marks yet" in document["output"]


# --- GitHub ------------------------------------------------------------------------------

COMMAND = re.compile(r"^::(?P<name>[a-z-]+)(?: (?P<fields>[^:]*))?::(?P<data>.*)$")


def decoded(text: str) -> str:
    for code, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Workflow commands as GitHub's runner reads them; a line that is none fails."""
    found = []
    for line in text.splitlines():
        match = COMMAND.match(line)
        assert match is not None, line
        pairs = [pair.partition("=") for pair in (match["fields"] or "").split(",") if pair]
        fields = {key: decoded(value) for key, _, value in pairs}
        found.append((match["name"], fields, decoded(match["data"])))
    return found


@pytest.mark.parametrize("text", NASTY)
def test_a_learners_text_is_no_command_and_no_markdown(text: str) -> None:
    told = part("self_attention", 0.0, 4.0, finding(text))
    result = Result(text, (ExerciseResult("lesson-04", "graded", 4.0, (told,)),))
    legible = printable(text)
    one_line = "\n".join(legible.splitlines())
    (command,) = commands(github.annotate(result, {"lesson-04": "a,b:c.ipynb"}))
    assert command[:2] == (
        "error",
        {"file": "a,b:c.ipynb", "title": "lesson 4 self_attention"},
    )
    assert command[2] == legible or one_line in command[2]
    cells = shown(github.check_summary(result))
    assert cells.tags <= {"h2", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert [len(row) for row in cells.rows] == [5, 5]


def test_a_summary_that_is_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github, "MAX_SUMMARY", 40)
    assert "2 more rows do not fit here" in github.class_summary(small())


def test_only_a_failure_of_the_grader_is_an_error_to_ci() -> None:
    (command,) = commands(github.failures(small()))
    assert command == ("error", {"title": "not graded: Cy Young_103"}, "RuntimeError: a fault")


# --- Canvas and Moodle -------------------------------------------------------------------

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Attention (77),Essay (78),Final Score\r\n"
    "    Points Possible,,,,,8.0,10.0,(read only)\r\n"
    '"Lovelace, Ada",101,u1,ada@example.org,"Mo, 9:00",,9.5,\r\n'
    '"Ng, Ben",102,u2,ben@example.org,"Mo, 9:00",1.0,,\r\n'
    '"Young, Cy",103,u3,cy@example.org,"Mo, 9:00",,,\r\n'
    '"Student, Test",900,,,,,,\r\n'
)


def test_canvas_gets_its_own_export_back_with_one_column_filled() -> None:
    report = canvas.report(small(), Wishes(fill=CANVAS, column="attention"))
    due = CANVAS.replace(",,9.5", ",8.00,9.5").replace(",1.0,,", ",3.50,,")
    assert report.files["canvas.csv"] == due
    assert report.notes == (
        "the grader failed on Cy Young_103: its cell is left as it was",
        "2 rows have no submission here, and nothing is entered there",
    )


@pytest.mark.parametrize("name", ["ada@example.org", "lovelaceada", "U1", "Ada Lovelace"])
def test_canvas_finds_a_learner_by_login_or_name(name: str) -> None:
    ada = Graded((Result(name, small().results[0].exercises),))
    text = canvas.report(ada, Wishes(CANVAS, "Attention (77)")).files["canvas.csv"]
    assert rows(text)[1]["Attention (77)"] == "8.00"


def test_two_of_one_name_are_told_and_not_guessed() -> None:
    export = CANVAS.replace("Young, Cy", "Lovelace, Ada")
    ada = Graded((Result("lovelaceada", small().results[0].exercises),))
    report = canvas.report(ada, Wishes(export, "Attention"))
    assert report.files["canvas.csv"] == export
    assert report.notes[0] == "lovelaceada fits 2 rows of the file to fill: enter its marks by hand"
    both = Graded(tuple(Result(n, small().results[0].exercises) for n in ("U1", "x_101")))
    report = canvas.report(both, Wishes(CANVAS, "Attention"))
    assert report.files["canvas.csv"] == CANVAS
    assert "U1 shares its row with another submission" in report.notes[0]


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        (Wishes(), "Grades > Export"),
        (Wishes(CANVAS), r"--column; the file to fill has: 'Attention \(77\)', 'Essay \(78\)'"),
        (Wishes(CANVAS, "Quiz"), "which assignment"),
        (Wishes(CANVAS, "Essay"), "out of 10 and the marks are out of 8"),
        (Wishes("a,b\n1,2\n"), "no column 'Student'"),
        (Wishes("nothing"), "is no table"),
        (Wishes("a,b\n1,2,3\n"), "row 2 of the file to fill has 3 cells"),
    ],
)
def test_an_export_that_can_not_be_filled_is_refused(wishes: Wishes, says: str) -> None:
    with pytest.raises(OneheadError, match=says):
        canvas.report(small(), wishes)


MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Feedback comments\n"
    "Participant 101,Ada Lovelace,ada@example.org,Submitted for grading - ,,8.00,well done\n"
    "Participant 102,Ben Ng,ben@example.org,No submission - ,,8.00,\n"
    "Participant 103,Cy Young,cy@example.org,Submitted for grading - ,,8.00,\n"
)


def test_moodles_worksheet_is_filled() -> None:
    report = moodle.report(small(), Wishes(MOODLE))
    due = MOODLE.replace("grading - ,,8.00,well", "grading - ,8.00,8.00,well")
    assert report.files["moodle.csv"] == due.replace("submission - ,,", "submission - ,3.50,")


def test_moodles_worksheet_of_another_language_is_filled() -> None:
    export = MOODLE.replace(",", ";").replace("8.00", "8,00").replace("Grade", "Bewertung")
    report = moodle.report(small(), Wishes(export, "bewertung"))
    assert "grading - ;8,00;8,00;well" in report.files["moodle.csv"]
    with pytest.raises(OneheadError, match=r"no column 'Grade'.*'Bewertung'"):
        moodle.report(small(), Wishes(export))


def test_moodle_by_itself_has_a_dash_where_there_are_no_marks() -> None:
    assert moodle.report(small(), Wishes()).files["moodle.csv"] == (
        "Submission,Identifier,Grade,Maximum grade\n"
        "Ada Lovelace_101,Participant 101,8.0,8.0\n"
        "Ben Ng_102,Participant 102,3.5,8.0\n"
        "Cy Young_103,Participant 103,-,\n"
    )


@pytest.mark.parametrize(
    ("message", "stands"), [("", "– not started"), ("it is damaged", "see the note on its file")]
)
def test_a_page_does_not_call_a_damaged_file_untouched(message: str, stands: str) -> None:
    parts = (PartResult("one", "missing", 0.0, 2.0),)
    exercise = ExerciseResult("lesson-04", "graded", 2.0, parts, message)
    assert stands in html.page(Result("amara", (exercise,)))
