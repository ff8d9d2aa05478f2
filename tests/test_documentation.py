"""The documentation: it builds without a warning, and what it says of commands is so."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from tests import consoles

from onehead.cli import onehead
from onehead.reports.jsonl import SCHEMA_FILE

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), *sorted(ROOT.glob("*.md"))]
SHELL = re.compile(r"^```(?:sh|bash|shell|console)?\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"`(onehead [^`\n]+)`")
BUILD = "onehead release build --out release"  # which the fixture has done


def build(docs: Path, out: Path) -> subprocess.CompletedProcess[str]:
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-b", "html"]
    return subprocess.run([*sphinx, str(docs), str(out)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = build(DOCS, out)
    assert (done.returncode, done.stderr) == (0, "")
    return out


def test_every_page_is_there_with_its_text(site: Path) -> None:
    for page in DOCS.glob("*.md"):
        assert (site / f"{page.stem}.html").is_file()
    assert "walls" in (site / "security.html").read_text()
    assert "Draw" in (site / "modules.html").read_text()
    assert "new-exercise" in (site / "commands.html").read_text()


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        fetched = re.findall(
            r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?://[^\"]+)", page.read_text()
        )
        assert fetched == [], page.name


# --- what it says of commands ------------------------------------------------------------


def said(page: Path) -> Iterator[str]:
    """Every command of ours that a page shows, in a block or in a line."""
    text = page.read_text()
    yield from INLINE.findall(text)
    for block in SHELL.findall(text):
        for line in block.splitlines():
            command = line.removeprefix("$ ").strip()
            if command.startswith("onehead "):
                yield re.split(r"\s{2,}|\s(?:\|\||&&|;|#|>)\s?", command)[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_shown_is_one(page: Path) -> None:
    for command in said(page):
        words = command.split()[1:]
        found: click.Command = onehead
        context = click.Context(found)
        while isinstance(found, click.Group) and words and not words[0].startswith("-"):
            inner = found.get_command(context, words[0])
            if words[0].isupper() or words[0] == "…":  # "onehead COMMAND --help"
                break
            assert inner is not None, f"{page.name}: there is no command {command!r}"
            found, words = inner, words[1:]
        options = {
            name for parameter in found.params for name in parameter.opts + parameter.secondary_opts
        }
        for word in words:
            name = word.split("=")[0].strip("[]")
            if name.startswith("--") and name not in ("--help", "--version"):
                assert name in options, f"{page.name}: {command!r} has no option {name}"


def test_a_shell_block_is_run_or_says_why_not() -> None:
    """``console`` blocks are run below, those of two pages by tests of their own."""
    run = {"tutorial.md", "your-own-chapter.md", "instructor.md"}
    for page in PAGES:
        text = page.read_text()
        for block in re.finditer(r"^```(console|sh|bash|shell)$", text, re.M):
            before = text[: block.start()].rstrip().split("\n\n")[-1]
            assert page.name in run or "not run by a test" in " ".join(before.split()), (
                f"{page.name}: a shell block that no test runs has to say so above it"
            )


def test_the_tutorial_does_what_it_says(release: Path, tmp_path: Path) -> None:
    page = (DOCS / "tutorial.md").read_text()
    shutil.copytree(release, tmp_path / "release")
    consoles.do(page, tmp_path, {"PATH": consoles.programs()}, done={BUILD})
    for learner in ("ada", "ben"):
        assert (tmp_path / "results/feedback" / learner / "index.html").is_file()


# --- what it says of files ---------------------------------------------------------------

FILES = (DOCS / "files.md").read_text()
SCHEMA = json.loads(SCHEMA_FILE.read_text())


def test_the_example_of_a_line_is_one() -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```$", FILES, re.M | re.S)
    validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
    assert [error.message for error in validator.iter_errors(json.loads(example))] == []


def test_every_word_of_a_status_is_explained() -> None:
    def words(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            yield from (word for word in node.get("enum", ()) if isinstance(word, str))
            yield from (word for inner in node.values() for word in words(inner))
        elif isinstance(node, list):
            yield from (word for inner in node for word in words(inner))

    assert [word for word in words(SCHEMA) if f"`{word}`" not in FILES] == []


def test_every_file_of_a_release_is_named(release: Path) -> None:
    assert [path.name for path in release.iterdir() if f"`{path.name}" not in FILES] == []
