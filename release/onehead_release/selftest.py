"""The grader against itself: what it accepts, refuses and names, and what it can't see.

Three sources of answers: the bank, by hand; known mistakes, alone and two at a time; mutants of the
references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, get_args

from onehead.errors import OneheadError
from onehead.model import Exercise, Part
from onehead.pool import context
from onehead.shrink import shows
from onehead_release import composed, mutants
from onehead_release.bank import Entry, Verdict, course, entries, grade_entry, strays
from onehead_release.composed import Composed, Composition, grade_composition
from onehead_release.mutants import Asked, Fate, Graded, grade_mutant
from onehead_release.shares import share

Question = Entry | Asked | Composition


@dataclass(frozen=True)
class Found:
    """What the grader said: of the bank, of known mistakes alone and by two, of mutants."""

    bank: tuple[Verdict, ...]
    singles: tuple[Composed, ...]
    pairs: tuple[Composed, ...]
    mutants: tuple[Graded, ...]


def run(
    only: Sequence[str],
    jobs: int,
    tell: Callable[[int, int], None],
    with_pairs: bool = False,
    with_mutants: bool = False,
) -> tuple[str, bool]:
    """What was found in the exercises with these ids, or in all; and whether all is well.

    Raises:
        OneheadError: no exercise has such an id.
    """
    unknown = [name for name in only if name not in course()]
    if unknown:
        raise OneheadError(f"no exercise {unknown[0]!r}: there are {', '.join(course())}")
    exercises = [e for e in course().values() if not only or e.id in only]
    questions: list[Question] = [*entries(exercises), *composed.singles(exercises)]
    questions += composed.pairs(exercises) if with_pairs else []
    questions += mutants.asked(exercises) if with_mutants else []
    found = _sorted(answers(questions, jobs, tell))
    return report(exercises, found)


def answers(
    questions: Sequence[Question], jobs: int, tell: Callable[[int, int], None]
) -> Iterator[Verdict | Composed | Graded]:
    """What the grader says of each, from several processes."""
    tell(0, len(questions))
    with ProcessPoolExecutor(jobs, mp_context=context("spawn")) as pool:
        for done, answer in enumerate(pool.map(_answer, questions, chunksize=4), 1):
            tell(done, len(questions))
            yield answer


def _answer(question: Question) -> Verdict | Composed | Graded:
    if isinstance(question, Entry):
        return grade_entry(question)
    return grade_mutant(question) if isinstance(question, Asked) else grade_composition(question)


def _sorted(answers: Iterable[Any]) -> Found:
    found = list(answers)
    composed = [answer for answer in found if isinstance(answer, Composed)]
    return Found(
        tuple(answer for answer in found if isinstance(answer, Verdict)),
        tuple(answer for answer in composed if len(answer.made) == 1),
        tuple(answer for answer in composed if len(answer.made) == 2),
        tuple(answer for answer in found if isinstance(answer, Graded)),
    )


# --- the report --------------------------------------------------------------------------


def report(exercises: Sequence[Exercise], found: Found) -> tuple[str, bool]:
    """All of it in words, and whether nothing is wrong."""
    faults = [*_faults(found.bank), *_mutant_faults(found.mutants)]
    faults += strays(tuple(course().values()))
    if found.mutants:
        faults += [f"listed, but no mutant any more: {one}" for one in mutants.stale(exercises)]
    blocks = (
        _table(found.bank),
        _bounds(found.bank),
        _composed(found),
        _mutant_table(found.mutants),
        _unseen(exercises, found),
        faults,
    )
    return "\n\n".join(filter(None, map("\n".join, blocks))), not faults


def _faults(found: Iterable[Verdict]) -> Iterator[str]:
    for verdict in found:
        label, names = verdict.entry.label, ", ".join(sorted(verdict.names))
        if verdict.is_refused:
            yield f"refused: {label} lost marks in {', '.join(sorted(verdict.losing))}"
        if verdict.is_accepted:
            missed = verdict.entry.parts - verdict.losing
            yield f"accepted: {label} lost no marks in {', '.join(sorted(missed))}"
        if verdict.is_misnamed:
            yield f"misnamed: {label} was called {names}"


def _mutant_faults(graded: Iterable[Graded]) -> Iterator[str]:
    for one in graded:
        if one.fate == "accepted":
            yield f"accepted: {one.asked.where}: {one.asked.mutant.change}"
        if one.fate == "refused":
            yield f"refused, though it is known to be right: {one.asked.mutant.change}"


_COLUMNS = ("right", "refused", "wrong", "accepted", "named", "misnamed", "unnamed")


def _counts(found: Sequence[Verdict]) -> tuple[int, ...]:
    wrong = [v for v in found if v.entry.kind == "wrong"]
    known = [v for v in wrong if v.entry.name is not None]
    return (
        len(found) - len(wrong),
        sum(v.is_refused for v in found),
        len(wrong),
        sum(v.is_accepted for v in found),
        sum(v.is_named for v in known),
        sum(v.is_misnamed for v in found),
        sum(not v.names for v in known),
    )


def _table(found: Sequence[Verdict]) -> Iterator[str]:
    yield f"{'exercise':10}" + "".join(f"{name:>10}" for name in _COLUMNS)
    for exercise in [*dict.fromkeys(v.entry.exercise for v in found), "all"]:
        own = [v for v in found if exercise in (v.entry.exercise, "all")]
        yield f"{exercise:10}" + "".join(f"{count:>10}" for count in _counts(own))


def _bounds(found: Sequence[Verdict]) -> Iterator[str]:
    right, refused, wrong, accepted, named, misnamed, unnamed = _counts(found)
    known = sum(v.entry.name is not None for v in found)
    yield share("wrong answers accepted", accepted, wrong)
    yield share("right answers refused", refused, right)
    yield share("known mistakes rightly named", named, known)
    yield share("known mistakes not named", unnamed, known)
    yield share("answers wrongly named", misnamed, right + wrong)


def _composed(found: Found) -> Iterator[str]:
    singles = [one for one in found.singles if one.visible]
    if singles:
        named = sum(one.has_all and not one.is_misnamed for one in singles)
        yield share("definitions of mistakes rightly named", named, len(singles))
    pairs = [pair for pair in found.pairs if pair.visible]
    if pairs:
        yield share(
            "pairs of mistakes: the first named", sum(p.has_first for p in pairs), len(pairs)
        )
        yield share("pairs of mistakes: both named", sum(p.has_all for p in pairs), len(pairs))
        misnamed = sum(p.is_misnamed for p in pairs)
        yield share("pairs of mistakes: another one named", misnamed, len(pairs))


_FATES = get_args(Fate)


def _mutant_table(graded: Sequence[Graded]) -> Iterator[str]:
    if not graded:
        return
    yield f"{'mutants':10}{'made':>10}" + "".join(f"{fate:>17}" for fate in _FATES)
    for exercise in [*dict.fromkeys(one.asked.exercise for one in graded), "all"]:
        own = [one.fate for one in graded if exercise in (one.asked.exercise, "all")]
        counts = "".join(f"{own.count(fate):>17}" for fate in _FATES)
        yield f"{exercise:10}{len(own):>10}{counts}"
    fates = [one.fate for one in graded]
    accepted, refused = fates.count("accepted"), fates.count("refused")
    wrong = fates.count("killed") + accepted
    yield share("mutants accepted", accepted, wrong)
    yield share("mutants refused that are right", refused, len(graded) - wrong)


def _too_large_to_show(part: Part) -> Iterator[str]:
    """Known mistakes that a learner is shown on no small case, where the part has any."""
    stages = {stage.name for stage in part.stages}
    shown = {
        mistake.name
        for mistake in part.misconceptions
        for stage in stages & mistake.wrong.keys()
        if any(shows(part, mistake, stage, case) for case in part.small)
    }
    computed = {mistake.name for mistake in part.misconceptions if stages & mistake.wrong.keys()}
    yield from computed - shown if part.small else ()


def _unseen(exercises: Sequence[Exercise], found: Found) -> Iterator[str]:
    """Known mistakes that are not named, that nothing shows, or that no answer makes."""
    for verdict in found.bank:
        if verdict.entry.name is not None and not verdict.names:
            yield f"not named: {verdict.entry.label}"
    for exercise in exercises:
        for part in exercise.parts:
            if hidden := sorted(_too_large_to_show(part)):
                yield f"{exercise.id}: no small case of {part.name} shows {', '.join(hidden)}"
        made = {v.entry.name for v in found.bank if v.entry.exercise == exercise.id}
        known = {m.name for part in exercise.parts for m in part.misconceptions}
        singles = [one for one in found.singles if one.asked.exercise == exercise.id]
        seen = {(one.asked.part, one.made[0]) for one in singles if one.visible}
        unseen = {(one.asked.part, one.made[0]) for one in singles} - seen
        for where, name in sorted(unseen):  # some ways to make a mistake may change nothing
            yield f"{exercise.id}: the checks of {where} cannot see {name}"
        if missing := sorted(known - made):
            yield f"{exercise.id}: no answer of the bank makes {', '.join(missing)}"
