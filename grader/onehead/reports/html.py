"""A learner's feedback page: one self-contained file, nothing fetched, nothing that runs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from onehead.model import ExerciseResult, Finding, Graded, PartResult, Result
from onehead.reports import Report, Wishes
from onehead.reports.text import STATUS_WORDS
from onehead.submission import safe_names

NAME = "html"

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem .8rem .2rem 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.finding { border-left: 4px solid #d55e00; padding-left: .8rem; margin: .6rem 0; }
.right { border-left-color: #0072b2; }
code { overflow-wrap: anywhere; }
"""
_EXERCISE_WORDS = {
    "missing": "No file of this exercise was handed in.",
    "unreadable": "The file could not be read.",
    "crashed": "The code ended the process before anything could be asked.",
    "timed-out": "The code did not come to an end.",
    "out-of-memory": "The code asked for more memory than it may have.",
}


def _shown(text: str) -> str:
    """A text as HTML: no tag of its own, no character that hides others or turns them round."""
    return escape("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text))


def report(graded: Graded, wishes: Wishes) -> Report:
    """A page each, in the folders that feedback has. Who could not be graded has none."""
    folders = safe_names(result.submission for result in graded.results)
    return Report(
        {
            f"html/{folders[result.submission]}/index.html": page(result, graded.warning)
            for result in graded.results
        }
    )


def page(result: Result, warning: str = "") -> str:
    """The page of one learner. ``warning`` stands at its head: how weakly the run was isolated."""
    return "\n".join(_page(result, warning)) + "\n"


def _page(result: Result, warning: str) -> Iterator[str]:
    name = _shown(result.submission)
    yield "<!DOCTYPE html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>Feedback for {name}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{_STYLE}</style></head><body><main>"
    yield f"<h1>Feedback for {name}</h1>"
    if warning:
        yield f"<p><strong>{_shown(warning)}</strong></p>"
    yield f"<p>{result.score:g} of {result.max_score:g} points.</p>"
    yield "<table><caption>Points by exercise</caption>"
    yield (
        '<thead><tr><th scope="col">Exercise</th><th scope="col" '
        'class="number">Points</th></tr></thead><tbody>'
    )
    for exercise in result.exercises:
        link = f'<a href="#{_shown(exercise.id)}">{_shown(exercise.id)}</a>'
        points = f"{exercise.score:g} of {exercise.max_score:g}"
        yield f'<tr><th scope="row">{link}</th><td class="number">{points}</td></tr>'
    yield "</tbody></table>"
    for exercise in result.exercises:
        yield from _exercise(exercise)
    yield "</main></body></html>"


def _exercise(exercise: ExerciseResult) -> Iterator[str]:
    yield (
        f'<section id="{_shown(exercise.id)}"><h2>{_shown(exercise.id)}: {exercise.score:g} of '
        f"{exercise.max_score:g}</h2>"
    )
    if exercise.status != "graded":
        yield f"<p>{_EXERCISE_WORDS[exercise.status]}</p>"
    if exercise.message:
        yield f"<p>{_shown(exercise.message)}</p>"
    if exercise.status == "graded":
        for part in exercise.parts:
            yield from _part(part)
    yield "</section>"


def _part(part: PartResult) -> Iterator[str]:
    yield f"<h3><code>{_shown(part.name)}</code>: {part.score:g} of {part.max_score:g}</h3>"
    if part.status != "graded":
        yield f"<p>{STATUS_WORDS[part.status].capitalize()}.</p>"
    failed = {finding.check for finding in part.findings}
    for finding in part.findings:
        yield from _finding(finding)
    right = [check for check in part.checks if check not in failed]
    if part.status == "graded" and right:
        yield f'<p class="finding right">✓ Right: {_shown(", ".join(right))}.</p>'


def _finding(finding: Finding) -> Iterator[str]:
    name = f" <strong>{_shown(finding.misconception)}</strong>." if finding.misconception else ""
    yield (
        f'<div class="finding"><p>✗ {_shown(finding.check)} ({finding.verdict}).{name} '
        f"{_shown(finding.message)}</p>"
    )
    if finding.counterexample:
        yield f"<pre><code>{_shown(finding.counterexample)}</code></pre>"
    yield "</div>"
