"""A learner's repository on GitHub: its workflow, and what a run of it tells."""

from __future__ import annotations

import io
import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import yaml
from tests.classes import NASTY
from tests.test_cli import onehead
from tests.test_reports import commands, shown

import onehead_solutions
from onehead import actions
from onehead_release.github import WORKFLOW_NAME
from onehead_release.solved import stems, write_submission
from onehead_release.wheel import wheel_name

FOUR = "04_matrix_form"


def told(output: str) -> str:
    """What GitHub's runner takes commands from: not what stands where they are stopped."""
    kept = re.sub(r"^::stop-commands::(\w+)$.*?^::\1::$\n", "", output, flags=re.M | re.S)
    assert "stop-commands" not in kept
    return kept


def check(folder: Path) -> tuple[bool, str, str]:
    stream, summary = io.StringIO(), folder / "summary.md"
    right = actions.check(onehead_solutions.load(), [folder], stream, str(summary))
    return right, stream.getvalue(), summary.read_text()


def test_the_workflow_fits_githubs_schema_and_installs_what_is_there(release: Path) -> None:
    schema = json.loads(
        (files("check_jsonschema") / "builtin_schemas/vendor/github-workflows.json").read_text()
    )
    text = (release / "github" / WORKFLOW_NAME).read_text()
    workflow = yaml.safe_load(text)
    workflow["on"] = workflow.pop(True)  # YAML 1.1 takes "on" for a truth
    jsonschema.validate(workflow, schema)
    assert f"./{wheel_name()}[cli]" in text
    assert workflow["permissions"] == {"contents": "read"}


def test_the_repository_is_the_learners_bundle_with_a_workflow(release: Path) -> None:
    names = {p.relative_to(release / "github").as_posix() for p in (release / "github").rglob("*")}
    due = {*(f"{stem}.ipynb" for stem in stems()), wheel_name(), "README.md"}
    assert {name for name in names if not name.startswith(".")} == due
    for name in due - {"README.md"}:
        learner = (release / "learner" / name).read_bytes()
        assert (release / "github" / name).read_bytes() == learner


def test_what_is_right_has_no_annotation(tmp_path: Path) -> None:
    write_submission(tmp_path, "solved", "py", [FOUR])
    right, output, summary = check(tmp_path)
    assert (right, told(output)) == (True, "")
    cells = shown(summary).rows
    assert [row[0] for row in cells[1:]] == ["✓"] * 4
    assert "grading asks more" in summary


def test_the_first_cause_is_an_annotation_at_the_file(tmp_path: Path) -> None:
    write_submission(tmp_path, "solved", "py", [FOUR])
    script = tmp_path / f"{FOUR}.py"
    script.write_text(
        script.read_text().replace("scores = scaled_scores(Q, K)", "scores = Q @ K.T")
    )
    right, output, summary = check(tmp_path)
    ((name, fields, message),) = commands(told(output))
    assert (right, name, fields["file"]) == (False, "error", str(script))
    assert fields["title"] == "lesson 4 self_attention"
    assert message.startswith("scores[query 0, key 0] is ")
    assert "✗" in summary and "First thing to look at" in summary


def test_what_is_not_started_is_no_error(tmp_path: Path) -> None:
    write_submission(tmp_path, "untouched", "ipynb", [FOUR, "10_practice"])
    right, output, summary = check(tmp_path)
    assert (right, told(output)) == (False, "")
    rows = shown(summary).rows[1:]
    assert {(row[0], row[4]) for row in rows} == {("–", "not started")}


@pytest.mark.parametrize("text", NASTY)
def test_what_a_learner_wrote_commands_nothing(tmp_path: Path, text: str) -> None:
    code = f"def causal_mask(T):\n    raise ValueError({text!r})\n"
    (tmp_path / f"{FOUR}.py").write_text(code)
    _, output, summary = check(tmp_path)
    assert {fields["title"] for _, fields, _ in commands(told(output))} <= {"lesson 4 causal_mask"}
    assert shown(summary).tags <= {"h2", "table", "thead", "tbody", "tr", "th", "td", "p"}


def test_the_command_writes_where_github_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_submission(tmp_path, "solved", "py", [FOUR])
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    done = onehead("check", ".", "--github", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("::stop-commands::")
    assert "Public checks" in (tmp_path / "summary.md").read_text()
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert onehead("check", ".", "--github", cwd=tmp_path).returncode == 0
