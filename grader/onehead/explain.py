"""A result as a document: what is right, the first cause of what is not, where, and hints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from onehead import hints
from onehead.model import (
    Evidence,
    ExerciseResult,
    Finding,
    PartResult,
    PartStatus,
    Verdict,
    lesson,
)
from onehead.render import heat_map
from onehead.render.document import (
    Beside,
    Block,
    Chain,
    Code,
    Document,
    Fold,
    Grid,
    Heading,
    Name,
    Panel,
    Paragraph,
    Stage,
    State,
    Strong,
    Table,
    Tone,
)
from onehead.wording import NOT_REACHED

# What is computed from what, as the chapter's equations have it.
CHAIN = (("Q", "K", "V"), ("scores",), ("visible",), ("weights",), ("context",), ("output",))
PUBLIC = "These are the public checks: grading asks more of the same code."

STATUS_WORDS: dict[PartStatus, str] = {
    "graded": "",
    "missing": "not defined",
    "unfinished": "not started",
    "raised": "raises an error",
    "timed-out": "takes too long",
    "crashed": "ends the process",
    "out-of-memory": "takes too much memory",
}
_VERDICTS: dict[Verdict, str] = {
    "wrong": "",
    "near-miss": " The formula is right, precision is lost on the way.",
    "unstable": " It is right on paper and breaks on some valid numbers.",
}


def is_right(part: PartResult) -> bool:
    return part.status == "graded" and not part.findings


# --- a part ------------------------------------------------------------------------------


def part_document(
    part: PartResult, *, opened: int | None = 0, how: str = "", points: bool = False
) -> Document:
    """The report on one part.

    ``opened`` hints are shown and the others folded; with None there are no hints. Where folds
    can't be opened, ``how`` says how to get the next one.
    """
    return (part_line(part, points), *decision(part), *part_details(part, opened, how))


def decision(part: PartResult) -> Document:
    """What an instructor has decided on a part, where one has."""
    if part.override is None:
        return ()
    given, most, graded = part.score, part.max_score, part.override.graded
    said = f" {given:g} of {most:g}. {part.override.reason}".rstrip()
    return (Paragraph((Strong("Your instructor's mark:"), f"{said} (The grader's: {graded:g}.)")),)


def part_line(part: PartResult, points: bool = False) -> Paragraph:
    """What a part is called and how it stands, in one line."""
    said = STATUS_WORDS[part.status] or _checks_right(part)
    if points:
        said += f"; {part.score:g} of {part.max_score:g} points"
    glyph, tone = _mark(part)
    return Paragraph((f"{glyph} ", Strong(part.name), f": {said}"), tone)


def _mark(part: PartResult) -> tuple[str, Tone]:
    if is_right(part):
        return ("○", "open") if part.form_only else ("✓", "right")
    return ("–", "open") if part.status in ("unfinished", "missing") else ("✗", "wrong")


def _checks_right(part: PartResult) -> str:
    if is_right(part) and part.form_only:
        return "answered; only the form was looked at here, grading looks at the numbers"
    if len(part.checks) <= 1 and not part.findings:
        return "right"
    return f"{part.checks_passed} of {len(part.checks)} checks are right"


def part_details(part: PartResult, opened: int | None = 0, how: str = "") -> Iterator[Block]:
    """What stands below a part's line: the chain, the first cause, the rest, what is right."""
    if part.status != "graded":
        for finding in part.findings:
            if finding.message != f"{part.name} is {STATUS_WORDS[part.status]}":
                how_on = tuple(_hints(finding, opened, how)) if part.status == "raised" else ()
                yield Panel((Paragraph(finding.message), *how_on), _mark(part)[1])
        return
    if (drawn := chain(part)) is not None:
        yield drawn
        if any(stage.state == "open" for step in drawn.steps for stage in step):
            yield Paragraph("What has a – was not reached: mend what comes before it.", "quiet")
    if not part.findings:
        return
    first, *rest = part.findings
    title = f"First cause: {first.check}." if rest else f"Not right yet: {first.check}."
    flat = opened is None or bool(how)
    yield Panel((*_cause(first, title, flat), *_hints(first, opened, how)), "wrong")
    if rest:
        panels = tuple(Panel(tuple(_also(f, first)), "wrong") for f in rest)
        yield Fold(_rest_title(first, rest), panels)
    failed = {finding.check for finding in part.findings}
    right = [check for check in part.checks if check not in failed]
    if right:
        yield Paragraph(f"Right already: {', '.join(right)}.", "right")


def chain(part: PartResult) -> Chain | None:
    """The dependency chain with each stage's state, for parts that show their stages."""
    steps = [[name for name in step if name in part.checks] for step in CHAIN]
    if sum(map(bool, steps)) < 3:
        return None
    states: dict[str, State] = {f.check: "open" if _is_later(f) else "wrong" for f in part.findings}
    stages = (tuple(Stage(name, states.get(name, "right")) for name in step) for step in steps)
    return Chain(((Stage("X", "given"),), *filter(None, stages)))


def _rest_title(first: Finding, rest: Sequence[Finding]) -> str:
    others = [finding for finding in rest if finding.check != first.check]
    later = dict.fromkeys(finding.check for finding in others if _is_later(finding))
    wrong = dict.fromkeys(finding.check for finding in others if not _is_later(finding))
    more = "more check is" if len(wrong) == 1 else "more checks are"
    said = [f"{len(wrong)} {more} not right yet: {', '.join(wrong)}"] if wrong else []
    said += [f"not reached: {', '.join(later)}"] if later else []
    return "; ".join(said) or f"More that is not right yet: {first.check}"


def _is_later(finding: Finding) -> bool:
    """Whether a check was not reached, and so is neither right nor wrong."""
    return finding.message.endswith(NOT_REACHED)


def summary(part: PartResult) -> str:
    """What is not right with a part, in one line."""
    said = part.findings[0].message if part.findings else STATUS_WORDS[part.status]
    return f"{part.name}: {said}"


# --- a finding ---------------------------------------------------------------------------


def _also(finding: Finding, first: Finding) -> Iterator[Block]:
    """What is wrong further on; of the same mistake, only where."""
    if finding.misconception is None or finding.misconception != first.misconception:
        yield from _cause(finding, f"{finding.check}.")
    else:
        yield Paragraph((Strong(f"{finding.check}. "), finding.message))


def _cause(finding: Finding, title: str, flat: bool = False) -> Iterator[Block]:
    """What is wrong, which known mistake it is, where, and how it looks."""
    yield Paragraph((Strong(title), _VERDICTS[finding.verdict]), "wrong")
    if finding.misconception:
        said = f": {finding.says}" if finding.says else "."
        yield Paragraph(("It looks like ", Strong(finding.misconception), said))
    seen = finding.evidence
    probe = seen.probe if seen is not None else ""
    yield Paragraph(finding.message.removesuffix(f"; {probe}") if probe else finding.message)
    if probe:
        where = "Probe in a larger case: " if finding.counterexample else "Probe: "
        yield Paragraph((Strong(where), probe.split(" [")[0]))
    if seen is not None and seen.call and "\n" not in seen.call and not finding.counterexample:
        yield Paragraph(("Asked: ", Name(seen.call)))
    if finding.counterexample:
        yield Paragraph("The smallest case that shows it:")
        yield Code(finding.counterexample)
    if seen is not None:
        yield from _pictures(seen, "Its values" if finding.counterexample else _public_case(seen))
    if finding.reread:
        yield Paragraph(f"To reread: {lesson(finding.reread)}.")
    if seen is not None and "\n" in seen.call and not finding.counterexample and not flat:
        yield Fold("This case as code", (Code(seen.call),))


def _hints(finding: Finding, opened: int | None, how: str) -> Iterator[Block]:
    """The hints, each behind the one before it."""
    if opened is None:
        return
    ladder = hints.hints(finding)
    titles = [f"Hint {k} of {len(ladder)}: {step}" for k, step in enumerate(hints.STEPS, 1)]
    for title, hint in list(zip(titles, ladder, strict=True))[:opened]:
        yield Paragraph((Strong(f"{title}. "), hint))
    if how:
        if opened < len(ladder):
            yield Paragraph(f"{titles[opened]} ▸ {how}", "quiet")
        return
    folded: tuple[Block, ...] = ()
    for title, hint in reversed(list(zip(titles, ladder, strict=True))[opened:]):
        folded = (Fold(title, (Paragraph(hint), *folded)),)
    yield from folded


def _public_case(seen: Evidence) -> str:
    return f"In the public case “{seen.case}”"


def _pictures(seen: Evidence, where: str) -> Iterator[Block]:
    """The learner's values beside those due, where they differ, and the mask that was kept."""
    if seen.got is None or seen.want is None or seen.wrong is None:
        if not seen.call:
            yield Paragraph(f"{_public_case(seen)}.")
        return
    axes = _axes(seen.axes, seen.got.ndim)
    of_item = "" if seen.item is None else f", {_leading(seen.axes)} {seen.item}"
    grids: list[Grid] = [
        _grid(seen.got, f"yours{of_item}", seen, axes, wrong=seen.wrong),
        _grid(seen.want, f"expected{of_item}", seen, axes),
    ]
    finite = bool(np.all(np.isfinite(seen.got)))
    if seen.want.dtype != bool and finite:
        title = f"yours minus expected{of_item}"
        grids.append(heat_map.difference(seen.got, seen.want, seen.wrong, title, **axes))
    yield Paragraph(f"{where}:")
    yield Beside(tuple(grids))
    read = seen.got != 0
    if seen.visible is not None and finite and np.any(read != seen.visible):
        mine = heat_map.grid(read, f"what yours reads{of_item}", wrong=read != seen.visible, **axes)
        yield Beside((mine, heat_map.grid(seen.visible, f"what is visible{of_item}", **axes)))


def _grid(values: Any, title: str, seen: Evidence, axes: dict[str, Any], **more: Any) -> Grid:
    scale = float(np.max(np.abs(np.asarray(seen.want, dtype=float)), initial=0.0))
    return heat_map.grid(values, title, visible=seen.visible, scale=scale, **axes, **more)


def _leading(axes: Sequence[str]) -> str:
    """What is counted along the first of three axes; an item of the batch where it has no name."""
    return axes[0] if len(axes) == 3 else "item"


def _axes(axes: Sequence[str], ndim: int) -> dict[str, Any]:
    names = ["row", "column", *axes][-2:]
    return {"rows": names[0] if ndim > 1 else "", "columns": names[1]}


# --- an exercise -------------------------------------------------------------------------


def heading(id_: str, title: str) -> str:
    """What an exercise's results stand under."""
    name = lesson(id_)
    return title if title.lower() == name else f"{name} · {title}" if title else name


def exercise_document(
    exercise: ExerciseResult, title: str = "", *, opened: int = 0, how: str = ""
) -> Document:
    """A line a part, and the report on the first part that was tried and is not right."""
    blocks: list[Block] = [Heading(heading(exercise.id, title), 2)]
    if exercise.message:
        blocks.append(Paragraph(exercise.message, "wrong"))
    open_ = first_tried(exercise)
    for part in exercise.parts:
        blocks.append(part_line(part))
        if part is open_:
            blocks.append(Panel(tuple(part_details(part, opened, how))))
        elif part.findings and _mark(part)[1] == "wrong":
            blocks.append(Panel((Paragraph(_in_short(part), "quiet"),)))
    return tuple(blocks)


def _in_short(part: PartResult) -> str:
    """The first cause of what is not right with a part, in a few words."""
    first = part.findings[0]
    if part.status != "graded":
        return first.message
    looks = f", which looks like {first.misconception}" if first.misconception else ""
    return f"first cause: {first.check}{looks}"


def first_tried(exercise: ExerciseResult) -> PartResult | None:
    """The first part that was tried and is not right."""
    return next((part for part in exercise.parts if _mark(part)[1] == "wrong"), None)


def first_cause(exercise: ExerciseResult) -> tuple[str, str | None] | None:
    """Which check is the first that is not right, and which mistake it looks like."""
    part = first_tried(exercise)
    if part is None or not part.findings:
        return None
    return f"{part.name} {part.findings[0].check}", part.findings[0].misconception


def hint_document(part: PartResult, opened: int, how: str) -> Document:
    """So many hints for the first cause of what is not right with a part."""
    if part.status != "graded" or not part.findings:
        return (part_line(part), *part_details(part, None))
    return (part_line(part), Panel(tuple(_hints(part.findings[0], opened, how))))


# --- a chapter ---------------------------------------------------------------------------

_BAR = 20


def progress_document(results: Sequence[ExerciseResult], titles: Mapping[str, str]) -> Document:
    """How many parts of each exercise are right; exercises without a result are not there."""
    by_id = {result.id: result for result in results}
    rows: list[tuple[str, ...]] = []
    for id_, title in titles.items():
        done, count = parts_done(by_id[id_]) if id_ in by_id else (0, 0)
        rows.append((lesson(id_), title, f"{done} of {count}" if count else "not here"))
    done, count = (sum(numbers) for numbers in zip(*map(parts_done, results), strict=True))
    table = Table("Parts that are right", ("Exercise", "Title", "Right"), tuple(rows), (2,))
    return (table, Paragraph(f"{bar(done, count)} {done} of {count} parts are right"))


def parts_done(result: ExerciseResult) -> tuple[int, int]:
    """How many parts of an exercise are right, and how many there are."""
    return sum(map(is_right, result.parts)), len(result.parts)


def bar(done: int, count: int) -> str:
    """A bar that fills up.

    >>> bar(1, 2)
    '[##########..........]'
    """
    full = _BAR * done // count if count else 0
    return f"[{'#' * full}{'.' * (_BAR - full)}]"
