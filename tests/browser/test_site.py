"""The site that needs no installation, on a static host, under a path of some depth.

Pyodide lies beside it, so that nothing is asked of another host; it has no numpy, which is to be
had on Pyodide's own host alone. What needs no numbers is tested here: the site, the kernel, the
wheel, the report's renderer, what is kept.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.browser.front_ends import SECONDS, SiteNotebook
from tests.browser.hosts import RefusingProxy, StaticHost
from tests.browser.test_pages import READERS, read_as

import onehead_solutions
from onehead.sealed import answers_hash
from onehead_release import site
from onehead_release.solved import stems
from onehead_release.wheel import wheel_name

PYODIDE = Path("build/pyodide")
PLACE = "some/where/site"
STEM = "01_one_reading"

# Everything that check() imports, with something in numpy's place, then a report by the renderer.
REPORT = """
import importlib.abc, importlib.machinery, sys
from unittest.mock import MagicMock

class Numpy(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] == "numpy":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        return MagicMock(__file__="/numpy/numpy/__init__.py")
    def exec_module(self, module):
        module.__path__ = []

sys.meta_path.insert(0, Numpy())
from onehead import explain, in_notebook, nbgrader_cell, record
from onehead.model import Finding, PartResult
from onehead.render import html, text

message = "row 1 of the weights sums to 0.41, not 1"
finding = Finding("weights", "masking", "weights", "wrong", message)
result = PartResult("self_attention", "graded", 0, 4, ("Q", "weights", "context"), (finding,))
document = explain.part_document(result)
nbgrader_cell.show(html.render(document), text.render(document))
"""
KEEP = """
from pathlib import Path
from onehead import standing
step = record.Step("lesson-01", "BOUNDARY", "right", "2026-01-01")
record._append(Path("progress.jsonl"), [step])
for said in ("old", "new"):
    standing._replace(Path("progress.html"), said)
print(Path("progress.html").read_text(), len(record.read(Path()).steps))
from onehead.sealed import answers_hash
print(answers_hash({"what": ["a", "b"]}, "salt"))
"""
REINSTALL = """
import micropip, piplite
from importlib import metadata
micropip.uninstall("onehead")
await piplite.install("onehead", deps=False)
print("installed", metadata.version("onehead"))
"""


@pytest.fixture(scope="module")
def host(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Where the site is served as built, and its folder."""
    root = tmp_path_factory.mktemp("host")
    shutil.copytree(release / "site", root / PLACE)
    with StaticHost(root) as static:
        yield f"{static.url}/{PLACE}", root / PLACE


@pytest.fixture(scope="module")
def offline(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticHost]:
    """A host of a site that was built to find Pyodide beside its own files."""
    if not PYODIDE.is_dir():
        pytest.skip("no Pyodide was fetched: `make browser` fetches it, with npm")
    root = tmp_path_factory.mktemp("offline")
    given = {path.name: path.read_bytes() for path in (release / "learner").iterdir()}
    notebooks = {name: data for name, data in given.items() if name.endswith(".ipynb")}
    site.build(root / PLACE, onehead_solutions.load(), notebooks, given[wheel_name()], "pyodide")
    shutil.copytree(PYODIDE, root / PLACE / "pyodide")
    with StaticHost(root) as static:
        yield static


def test_the_front_page_leads_to_each_notebook(
    page: Any,
    host: tuple[str, Path],
    axe: Callable[..., list[str]],
    picture: Callable[[Any, str], None],
) -> None:
    url, folder = host
    page.goto(f"{url}/")
    links = [link.get_attribute("href") for link in page.locator("ol a").all()]
    assert links == [f"lab/index.html?path={stem}.ipynb" for stem in stems()]
    assert all((folder / "files" / link.partition("=")[2]).is_file() for link in links)
    assert (folder / "lab" / "index.html").is_file()
    for reader in READERS:
        read_as(page, reader)
        picture(page, f"site-front-{reader}")
        assert axe(page) == [], reader


def test_only_pyodides_host_is_asked(browser: Any, host: tuple[str, Path]) -> None:
    """Whatever the page, its workers and its service worker ask of another host meets a proxy."""
    url, folder = host
    settings = json.loads((folder / "jupyter-lite.json").read_text())["jupyter-config-data"]
    (kernel,) = settings["litePluginSettings"].values()
    pyodide = urlsplit(kernel["pyodideUrl"])
    with RefusingProxy() as proxy:
        context = browser.new_context(proxy={"server": proxy.url, "bypass": "127.0.0.1"})
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        page.goto(f"{url}/lab/index.html?path={STEM}.ipynb")
        page.locator(".jp-NotebookPanel .jp-CodeCell").first.wait_for()
        until = time.monotonic() + SECONDS
        while not proxy.asked and time.monotonic() < until:
            page.wait_for_timeout(100)
        page.wait_for_timeout(2000)
        context.close()
    assert {*proxy.asked} == {f"{pyodide.hostname}:443"}
    assert (pyodide.scheme, pyodide.hostname) == ("https", "cdn.jsdelivr.net")


def test_a_lesson_runs_in_the_page_and_is_kept(
    page: Any,
    offline: StaticHost,
    release: Path,
    axe: Callable[..., list[str]],
    picture: Callable[[Any, str], None],
) -> None:
    url = f"{offline.url}/{PLACE}"
    file = release / "learner" / f"{STEM}.ipynb"
    notebook = SiteNotebook(page, url, file)
    for name, source in (("setup", REPORT), ("attention_reading-stub", KEEP)):
        notebook.write(name, source)
        notebook.run(name)
    said = notebook.report("setup").inner_text()
    assert "self_attention: 2 of 3 checks" in said
    assert "row 1 of the weights sums to 0.41, not 1" in said
    hashed = answers_hash({"what": ["a", "b"]}, "salt")
    assert notebook.output("attention_reading-stub").split() == ["new", "1", hashed]
    picture(page, "site-lesson")
    for ours in (".onehead-report", ".jp-MarkdownOutput"):  # around them is JupyterLab's own
        assert axe(page, ours) == []

    offline.asked.clear()
    notebook.write("layer_shapes-stub", REINSTALL)
    notebook.run("layer_shapes-stub")
    assert notebook.output("layer_shapes-stub").startswith("installed ")
    assert f"/{PLACE}/pypi/{wheel_name()}" in offline.asked

    notebook.save()
    page.goto("about:blank")
    again = SiteNotebook(page, url, file)
    assert "MagicMock" in again.cell("setup").inner_text()
    assert "row 1 of the weights" in again.report("setup").inner_text()
    files = page.locator(".jp-DirListing-content")
    files.get_by_text("progress.jsonl").wait_for()
    assert files.get_by_text("progress.html").count() == 1
