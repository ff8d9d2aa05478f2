"""The site: `make docs`. Pages are Markdown that reads well where it stands, too."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Pages whose text stands at the repository's root; below it stays what docs/ has under their name.
AT_ROOT = {
    "index": "README.md",
    "contributing": "CONTRIBUTING.md",
    "security": "SECURITY.md",
    "changelog": "CHANGELOG.md",
}

project = "onehead"
version = release = metadata.version("onehead")
copyright = "the onehead authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "onehead"
html_copy_source = html_show_sphinx = False
highlight_language = "none"
pygments_style, pygments_dark_style = "friendly", "monokai"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
suppress_warnings = ["config.cache"]


def moved(text: str) -> str:
    """A page's links as they are on the site, where all pages lie in one folder.

    >>> moved("[a](docs/a.md#b) [b](../SECURITY.md) [c](README.md) [d](https://x.org/docs/a.md)")
    '[a](a.md#b) [b](security.md) [c](index.md) [d](https://x.org/docs/a.md)'
    """
    text = re.sub(r"\]\((?:docs/|\.\./)(?=[\w/-]+\.(?:md|png))", "](", text)
    for page, name in AT_ROOT.items():
        text = text.replace(f"]({name}", f"]({page}.md")
    return text


def titled(text: str) -> str:
    """A file's name, which GitHub leaves out, above its block of code."""
    return re.sub(r'^```(\w+) title="([^"]+)"$', r"`\2`:\n\n```\1", text, flags=re.M)


def _read(app: Any, page: str, source: list[str]) -> None:
    below = source[0].split("<!-- site -->")[-1]
    above = (ROOT / AT_ROOT[page]).read_text(encoding="utf-8") if page in AT_ROOT else ""
    source[0] = titled(moved(f"{above}\n{below}" if above else source[0]))


def _short(*event: Any) -> tuple[str | None, ...]:
    """The types of a signature by their last names, where Sphinx can't read a default."""
    texts = event[-2:]  # the arguments, and what is returned
    return tuple(text and re.sub(r"~[\w.]*\.(\w+)", r"\1", text) for text in texts)


def setup(app: Any) -> None:
    app.connect("source-read", _read)
    app.connect("autodoc-process-signature", _short)
