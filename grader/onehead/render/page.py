"""A page of its own: one self-contained file, nothing fetched, nothing that runs."""

from __future__ import annotations

from onehead.render import html

_STYLE = """
:root { color-scheme: light dark; background: #ffffff; color: #1a1a1a; }
a { color: #0b5394; }
@media (prefers-color-scheme: dark) {
  :root { background: #141414; color: #ececec; }
  a { color: #9ecbff; }
}
body { font: 16px/1.6 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; }
main { padding: 0 1rem; }
h2 { margin-top: 3rem; border-top: 1px solid #767676; padding-top: 8px; }
h3 { font-size: 105%; margin: 24px 0 4px; }
a, code, p, li { overflow-wrap: anywhere; }
"""


def page(title: str, *bodies: str) -> str:
    """A page with these pieces of HTML, one below the other."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{html.shown(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}</style></head><body><main>",
            *bodies,
            "</main></body></html>\n",
        ]
    )
