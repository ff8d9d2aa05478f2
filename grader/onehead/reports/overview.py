"""The class at a glance: what is right, which mistakes how many make, what to teach again.

Two pages: one for the instructor, with names, and one to show around. The second holds nothing
that a learner has written or is called; what it counts, it counts over the whole class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean, median

from onehead.model import ExerciseResult, Graded, PartResult, Result, lesson
from onehead.render import html
from onehead.render.document import Block, Heading, Items, Name, Paragraph, Strong, Table, Words
from onehead.reports import Report, Wishes

NAME = "overview"

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/150% system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; }
main { padding: 0 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 8px 0 24px; }
caption { text-align: left; font-weight: bold; }
th, td { text-align: left; padding: 2px 10px 2px 0; vertical-align: middle; }
th code { white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
"""
# Told apart by everyone, and each of them by its place and the numbers beside it.
_COLOURS = {"right": html.BLUE, "partly": "#56b4e9", "wrong": html.VERMILLION, "open": "#999999"}
_WORDS = {
    "right": "all points",
    "partly": "some points",
    "wrong": "tried, no points",
    "open": "not started",
}
_WIDTH, _HEIGHT = 240, 14
_TO_TEACH = 5  # mistakes and parts that are named first
_HARD = 0.8  # a part that no more than this share of those who tried have right


def report(graded: Graded, wishes: Wishes) -> Report:
    return Report(
        {
            "overview.html": page(graded, names=True),
            "overview-shareable.html": page(graded, names=False),
        }
    )


# --- counting ----------------------------------------------------------------------------


@dataclass
class PartCount:
    """How a part stands in the class, and who fails which check or makes which mistake."""

    exercise: str
    name: str
    stands: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COLOURS, 0))
    checks: dict[str, int] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        return sum(self.stands.values()) - self.stands["open"]

    @property
    def not_right(self) -> int:
        return self.stands["partly"] + self.stands["wrong"]

    @property
    def share_right(self) -> float:
        """Of those who tried."""
        return self.stands["right"] / self.tried if self.tried else 0.0


@dataclass
class Mistake:
    """A known mistake over the class."""

    name: str
    says: str
    reread: str
    who: set[str] = field(default_factory=set)
    where: dict[str, set[str]] = field(default_factory=dict)


def stands(exercise: ExerciseResult, part: PartResult) -> str:
    """``right``, ``partly``, ``wrong`` or ``open``: nothing has been tried."""
    if part.score >= part.max_score:
        return "right"
    if part.score > 0:
        return "partly"
    if exercise.status == "missing" or part.status in ("unfinished", "missing"):
        return "open"
    return "wrong"


def count_parts(results: Iterable[Result]) -> list[PartCount]:
    """Every part of the course, in order."""
    counts: dict[tuple[str, str], PartCount] = {}
    for result in results:
        for exercise in result.exercises:
            for part in exercise.parts:
                key = exercise.id, part.name
                count = counts.setdefault(key, PartCount(*key))
                state = stands(exercise, part)
                count.stands[state] += 1
                if state in ("partly", "wrong"):
                    for check in {finding.check for finding in part.findings}:
                        count.checks[check] = count.checks.get(check, 0) + 1
    return list(counts.values())


def count_mistakes(results: Iterable[Result]) -> list[Mistake]:
    """The known mistakes, those that most learners make first."""
    found: dict[str, Mistake] = {}
    for result in results:
        for exercise in result.exercises:
            for part in exercise.parts:
                for finding in part.findings:
                    if finding.misconception is None:
                        continue
                    name = finding.misconception
                    mistake = found.setdefault(
                        name, Mistake(name, finding.says or "", finding.reread or "")
                    )
                    mistake.who.add(result.submission)
                    place = f"{exercise.id} {part.name}"
                    mistake.where.setdefault(place, set()).add(result.submission)
    return sorted(found.values(), key=lambda mistake: (-len(mistake.who), mistake.name))


# --- the page ----------------------------------------------------------------------------


def page(graded: Graded, names: bool) -> str:
    """The page; without ``names`` nothing of it is of one learner."""
    parts, mistakes = count_parts(graded.results), count_mistakes(graded.results)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><title>The class at a glance</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}</style></head><body><main>",
            html.render(tuple(_head(graded, names))),
            _histogram(graded.results) if graded.results else "",
            html.render(tuple(_teach_again(graded, parts, mistakes))),
            *_chart(parts, graded.titles),
            html.render(tuple(_mistakes(graded, mistakes, names))),
            "</main></body></html>\n",
        ]
    )


def _head(graded: Graded, names: bool) -> Iterator[Block]:
    yield Heading("The class at a glance", 1)
    if graded.warning:
        yield Paragraph((Strong(graded.warning),))
    count = len(graded.results)
    if count:
        totals = [result.score for result in graded.results]
        most = max(result.max_score for result in graded.results)
        yield Paragraph(
            f"{_people(count)} graded. Of {most:g} points: mean {mean(totals):.1f}, median "
            f"{median(totals):.1f}, from {min(totals):g} to {max(totals):g}."
        )
    else:
        yield Paragraph("No submission has marks.")
    if graded.failed:
        who = f" ({', '.join(sorted(graded.failed))})" if names else ""
        yield Paragraph(
            f"{_people(len(graded.failed))} could not be graded and counted nowhere here{who}."
        )


def _people(count: int) -> str:
    return f"{count} submission{'' if count == 1 else 's'}"


def _teach_again(
    graded: Graded, parts: list[PartCount], mistakes: list[Mistake]
) -> Iterator[Block]:
    """The mistakes of more than one, and the parts that many tried and do not have right."""
    yield Heading("What to teach again", 2)
    count = len(graded.results)
    many = [mistake for mistake in mistakes if len(mistake.who) > 1][:_TO_TEACH]
    hard = sorted(
        (part for part in parts if part.not_right > 1 and part.share_right <= _HARD),
        key=lambda part: (part.share_right, -part.tried),
    )[:_TO_TEACH]
    if not many and not hard:
        yield Paragraph("No mistake is made by more than one, and no part is wrong for many.")
    if many:
        yield Items(tuple(_lesson(mistake, count, graded.titles) for mistake in many))
    if hard:
        yield Paragraph("The parts that fewest of those who tried have right:")
        yield Items(tuple(_hard(part) for part in hard))


def _lesson(mistake: Mistake, count: int, titles: Mapping[str, str]) -> Words:
    share = f": {len(mistake.who)} of {count}. "
    title = titles.get(mistake.reread, "")
    reread = (
        f" Reread {lesson(mistake.reread)}{f' ({title})' if title else ''}."
        if mistake.reread
        else ""
    )
    return (Strong(mistake.name), share, mistake.says, reread)


def _hard(part: PartCount) -> Words:
    most = sorted(part.checks, key=lambda check: (-part.checks[check], check))[:2]
    missed = ", ".join(f"{check} ({part.checks[check]})" for check in most)
    told = f": {part.stands['right']} of {part.tried} right"
    return (f"{part.exercise} ", Name(part.name), told, f"; most miss {missed}" if missed else "")


def _mistakes(graded: Graded, mistakes: list[Mistake], names: bool) -> Iterator[Block]:
    yield Heading("Known mistakes", 2)
    if not mistakes:
        yield Paragraph("None was recognised.")
        return
    rows: list[tuple[Words, ...]] = []
    for mistake in mistakes:
        where = ", ".join(f"{place} ({len(who)})" for place, who in mistake.where.items())
        row: tuple[Words, ...] = (
            mistake.name,
            str(len(mistake.who)),
            f"{100 * len(mistake.who) / len(graded.results):.0f} %",
            where,
        )
        rows.append((*row, ", ".join(sorted(mistake.who))) if names else row)
    head = ("Mistake", "Learners", "Share", "Where")
    yield Table(
        "How many make each", (*head, "Who") if names else head, tuple(rows), numbers=(1, 2)
    )


# --- charts ------------------------------------------------------------------------------


def _histogram(results: Iterable[Result]) -> str:
    """How many have how many tenths of all points: a table whose bars are cells."""
    tenths = [0] * 10
    for result in results:
        tenths[min(9, int(10 * result.score / result.max_score)) if result.max_score else 0] += 1
    most = max(tenths)
    rows = [
        f'<tr><th scope="row">{10 * k} to {10 * k + 10} %</th><td class="n">{count}</td>'
        f"<td>{_bar([('right', count)], most)}</td></tr>"
        for k, count in enumerate(tenths)
    ]
    head = (
        '<thead><tr><th scope="col">Of all points</th><th scope="col" class="n">Learners</th>'
        '<th scope="col">Bar</th></tr></thead>'
    )
    return f"<table><caption>Totals</caption>{head}<tbody>{''.join(rows)}</tbody></table>"


def _chart(parts: list[PartCount], titles: Mapping[str, str]) -> Iterator[str]:
    """A row a part: numbers, and the same as a bar."""
    yield "<h2>Part by part</h2><table><caption>How many learners have which part</caption>"
    heads = "".join(
        f'<th scope="col" class="n">{_bar([(state, 1)], 1, 12)} {word}</th>'
        for state, word in _WORDS.items()
    )
    yield f'<thead><tr><th scope="col">Part</th>{heads}<th scope="col">Bar</th></tr></thead>'
    exercise = ""
    for part in parts:
        if part.exercise != exercise:
            yield f"{'</tbody>' if exercise else ''}<tbody>"
            exercise = part.exercise
            title = html.shown(titles.get(exercise, ""))
            yield (f'<tr><th colspan="6" scope="rowgroup">{html.shown(exercise)} {title}</th></tr>')
        numbers = "".join(f'<td class="n">{part.stands[state]}</td>' for state in _WORDS)
        bar = _bar(list(part.stands.items()), sum(part.stands.values()))
        yield (
            f'<tr><th scope="row"><code>{html.shown(part.name)}</code></th>{numbers}'
            f"<td>{bar}</td></tr>"
        )
    yield f"{'</tbody>' if exercise else ''}</table>"


def _bar(pieces: list[tuple[str, int]], whole: int, width: int = _WIDTH) -> str:
    """A bar of pieces, in SVG; the numbers beside it say the same."""
    at, drawn = 0.0, []
    for state, count in pieces:
        size = width * count / whole if whole else 0.0
        if count:
            drawn.append(
                f'<rect x="{at:.1f}" y="0" width="{size:.1f}" height="{_HEIGHT}" '
                f'fill="{_COLOURS[state]}"/>'
            )
        at += size
    return (
        f'<svg width="{width}" height="{_HEIGHT}" aria-hidden="true" focusable="false">'
        f"{''.join(drawn)}</svg>"
    )
