"""JupyterLab and Notebook 7 on a learner's bundle."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.browser.front_ends import PATHS, OpenNotebook
from tests.test_cli import onehead

STEM = "01_one_reading"
PART = "attention_reading"
DARK, LIGHT = "JupyterLab Dark", "JupyterLab Light"
both = pytest.mark.parametrize("front_end", PATHS)


@pytest.fixture
def answers(release: Path) -> dict[str, str]:
    """Right answers by stub."""
    solved = json.loads((release / "solved" / "notebooks" / f"{STEM}.ipynb").read_text())
    return {c["id"]: "".join(c["source"]) for c in solved["cells"] if c["id"].endswith("-stub")}


@pytest.fixture
def opened(
    page: Any, server: Any, release: Path, request: pytest.FixtureRequest
) -> Callable[..., OpenNotebook]:
    """Opens a notebook of the bundle, or ``source``, in a folder of the test's own."""
    folder = server.root / request.node.name.replace("[", "-").rstrip("]")
    folder.mkdir(exist_ok=True)

    def open_(front_end: str, source: Path | None = None) -> OpenNotebook:
        file = folder / f"{STEM}.ipynb"
        if source != file:
            shutil.copy(source or release / "learner" / file.name, file)
        return OpenNotebook(page, server.url, server.root, file, front_end)

    return open_


def wrong(answers: dict[str, str]) -> str:
    """The answer without its scaling by the square root of d_k."""
    right = answers[f"{PART}-stub"]
    assert " / math.sqrt(len(query))" in right
    return right.replace(" / math.sqrt(len(query))", "")


def solve(notebook: OpenNotebook, answers: dict[str, str], first: str | None = None) -> None:
    for stub, source in answers.items():
        notebook.write(stub, first if first and stub == f"{PART}-stub" else source)


@both
def test_a_wrong_answer_is_explained_mended_graded(
    opened: Callable[..., OpenNotebook],
    answers: dict[str, str],
    picture: Callable[[Any, str], None],
    front_end: str,
    tmp_path: Path,
) -> None:
    notebook = opened(front_end)
    for cell in ("setup", f"{PART}-stub", f"{PART}-check"):
        notebook.run(cell)
    assert "not started" in notebook.report(f"{PART}-check").inner_text()

    notebook.write(f"{PART}-stub", wrong(answers))
    notebook.run(f"{PART}-stub")
    notebook.run(f"{PART}-check")
    said = notebook.report(f"{PART}-check").inner_text()
    assert "scale-missing" in said
    assert said.startswith(f"✗ {PART}: 1 of 3 checks are right")
    picture(notebook.page, f"{front_end}-wrong")

    solve(notebook, answers)
    notebook.restart_and_run_all()
    for stub in answers:
        said = notebook.report(stub.replace("-stub", "-check")).inner_text()
        assert "✓" in said and "✗" not in said
    picture(notebook.page, f"{front_end}-right")

    saved = notebook.save()
    outputs = next(c["outputs"] for c in saved["cells"] if c["id"] == f"{PART}-check")
    assert {"text/html", "text/plain"} <= set(outputs[0]["data"])
    done = onehead("grade", notebook.file.parent, "--out", tmp_path / "results")
    assert done.returncode == 0, done.stderr
    (result,) = map(json.loads, (tmp_path / "results" / "results.jsonl").read_text().splitlines())
    marks = {part["name"]: part["score"] for part in result["exercises"][0]["parts"]}
    assert marks == {"attention_reading": 5, "layer_shapes": 2, "BOUNDARY": 3}


@both
def test_nbgraders_button_says_what_is_wrong_and_that_all_is_right(
    opened: Callable[..., OpenNotebook], answers: dict[str, str], front_end: str
) -> None:
    notebook = opened(front_end)
    solve(notebook, answers, first=wrong(answers))
    notebook.save()
    said = notebook.validate()
    assert f"{PART}: weights[key 0] is " in said and "Success" not in said
    solve(notebook, answers)
    notebook.save()
    assert "Success! Your notebook passes all the tests." in notebook.validate()


@both
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_somebody_elses_notebook_keeps_its_report(
    opened: Callable[..., OpenNotebook],
    answers: dict[str, str],
    picture: Callable[[Any, str], None],
    axe: Callable[..., list[str]],
    server: Any,
    front_end: str,
    theme: str,
) -> None:
    """What Jupyter takes out of a notebook that it does not trust is nothing that a report has."""
    server.theme(theme)
    try:
        notebook = opened(front_end)
        is_light = notebook.page.evaluate("document.body.dataset.jpThemeLight")
        assert is_light == str(theme == LIGHT).lower()
        notebook.write(f"{PART}-stub", wrong(answers))
        for cell in ("setup", f"{PART}-stub", f"{PART}-check"):
            notebook.run(cell)
        fresh = looks(notebook)
        document = notebook.save()
        (output,) = next(c for c in document["cells"] if c["id"] == f"{PART}-check")["outputs"]
        output["data"]["text/html"] = [
            _PROBE,
            *output["data"]["text/html"],
        ]  # its signature is void
        theirs = notebook.file.with_name("theirs.ipynb")
        theirs.write_text(json.dumps(document), encoding="utf-8")
        notebook.page.goto("about:blank")
        shutil.move(theirs, notebook.file)
        untrusted = opened(front_end, notebook.file)
        assert looks(untrusted) == fresh
        probe = untrusted.cell(f"{PART}-check").locator(".probe")
        assert probe.get_attribute("role") is None
        name = f"{front_end}-untrusted-{'light' if theme == LIGHT else 'dark'}"
        picture(untrusted.report(f"{PART}-check"), name)
        assert axe(untrusted.page, ".onehead-report") == []
    finally:
        server.theme(LIGHT)


_PROBE = '<i class="probe" role="note">from somebody else</i>'  # loses its role if not trusted

# Of every element of the report: its text, and how it is drawn.
_LOOKS = """report => [...report.querySelectorAll("*")].map(e => {
    const s = getComputedStyle(e)
    return [e.tagName, e.textContent, s.color, s.backgroundColor, s.borderLeftColor, s.textAlign,
            e.title, e.scope || ""].join("|")
})"""


def looks(notebook: OpenNotebook) -> list[str]:
    found: list[str] = notebook.report(f"{PART}-check").evaluate(_LOOKS)
    return found
