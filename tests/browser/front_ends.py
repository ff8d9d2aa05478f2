"""A notebook in JupyterLab or Notebook 7, used as a learner does: by clicks and keys."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATHS = {"lab": "lab/tree/{}?reset", "notebook": "notebooks/{}"}
SECONDS = 90.0  # for whatever is waited for, on a machine with other things to do
RESTART_AND_RUN_ALL = '[data-command="notebook:restart-run-all"]'


class OpenNotebook:
    """A notebook file that is open in a page."""

    kernel = "Python 3"

    def __init__(self, page: Any, url: str, root: Path, file: Path, front_end: str) -> None:
        path = PATHS[front_end].format(file.relative_to(root).as_posix())
        self._open(page, f"{url}/{path}", file)

    def _open(self, page: Any, address: str, file: Path) -> None:
        self.page, self.file = page, file
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        self._places = {cell["id"]: place for place, cell in enumerate(cells)}
        page.goto(address)
        self._panel = page.locator(".jp-NotebookPanel")
        self.cell(cells[-1]["id"]).wait_for(state="attached")
        self.idle()

    def cell(self, name: str) -> Any:
        """The cell with that id."""
        return self._panel.locator(".jp-Notebook .jp-Cell").nth(self._places[name])

    def idle(self) -> None:
        """Wait for a kernel with nothing to do; a cell that is run before there is one is lost."""
        self._panel.locator(".jp-Toolbar-kernelName", has_text=self.kernel).wait_for()
        self._panel.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for(
            state="attached"
        )

    def write(self, name: str, source: str) -> None:
        """Replace what stands in a cell."""
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)

    def run(self, name: str) -> None:
        """Run a cell, and wait until it has run."""
        before = self._prompt(name)
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        self._until(lambda: self._prompt(name) not in (before, "[*]:"))

    def restart_and_run_all(self) -> None:
        """Press the button, confirm, and wait until the last cell has run in the new kernel."""
        self._panel.locator(RESTART_AND_RUN_ALL).click()
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        prompts = self._panel.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt")
        wanted = [f"[{place}]:" for place in range(1, prompts.count() + 1)]
        self._until(lambda: [said.strip() for said in prompts.all_inner_texts()] == wanted)
        self.idle()

    def _prompt(self, name: str) -> str:
        return str(self.cell(name).locator(".jp-InputPrompt").inner_text()).strip()

    def _until(self, holds: Callable[[], bool]) -> None:
        """Look ten times a second; an element is looked for anew, since Jupyter replaces them."""
        until = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < until, "Jupyter did not come to it"
            self.page.wait_for_timeout(100)

    def report(self, name: str) -> Any:
        """The report below a check's cell."""
        found = self.cell(name).locator(".jp-OutputArea-output .onehead-report")
        found.scroll_into_view_if_needed()
        return found

    def save(self) -> dict[str, Any]:
        """Save, wait for the file, and read it."""
        with self.page.expect_response(
            lambda answer: answer.request.method == "PUT" and "/api/contents/" in answer.url
        ):
            self.page.keyboard.press("Control+S")
        document: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return document

    def output(self, name: str) -> str:
        """What a cell has printed and shown."""
        return str(self.cell(name).locator(".jp-OutputArea").inner_text())

    def validate(self) -> str:
        """Press nbgrader's button, and read what it says."""
        self._panel.locator(".jp-Toolbar").get_by_text("Validate", exact=True).click()
        dialog = self.page.locator(".jp-Dialog", has_text="Validation Results")
        dialog.wait_for()
        said: str = dialog.inner_text()
        dialog.locator("button").last.click()
        return said


class SiteNotebook(OpenNotebook):
    """A notebook of the site, whose kernel runs in the page itself."""

    kernel = "Python (Pyodide)"

    def __init__(self, page: Any, url: str, file: Path) -> None:
        self._open(page, f"{url}/lab/index.html?path={file.name}", file)

    def save(self) -> dict[str, Any]:
        """Save, and wait until the tab no longer says that there is something to save."""
        self.page.keyboard.press("Control+S")
        self.page.locator(".lm-TabBar-tab.jp-mod-dirty").wait_for(state="detached")
        return {}
