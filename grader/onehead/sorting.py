"""A learner's files, each sorted to the exercise that it is read as, or told with what to do.

The order of trust: a later attempt before an earlier one, some part answered before none, a
notebook before a script, more parts answered, the exercise's own name before a changed one, a later
copy, a place higher up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from onehead.handed_in import Entry
from onehead.matching import ByName, Content, by_content, content
from onehead.model import Exercise
from onehead.submission import File, read_found, size_of

MAX_LOOKED_INTO = 200  # files of one learner
MAX_LOOKED_AT = 2**27  # bytes of them

_NOTHING = "has no file of any exercise: if there should be one, put it there"

Late = Literal["read", "leave"]


@dataclass(frozen=True)
class Match:
    """What became of one file. ``told`` is what its reader has to know, or do."""

    submission: str  # "" where it is nobody's
    file: str  # its way from the folder that was given
    stem: str = ""  # the exercise that it is read as
    told: str = ""
    asks: bool = False  # somebody has to look at it
    late: bool = False  # the LMS marks it so


@dataclass(frozen=True)
class Candidate:
    """A notebook or script of a learner."""

    file: File
    shown: str
    way: tuple[str, ...]  # from the learner's own folder; the last is what they called it
    named: ByName | None
    attempt: str = ""  # sorts as the attempts do
    late: bool = False


@dataclass(frozen=True)
class Sorted:
    """The files to read for each stem, the first first, and what became of all of them."""

    chosen: Mapping[str, tuple[File, ...]]
    matches: tuple[Match, ...]


def sort(
    who: str,
    candidates: Sequence[Candidate],
    others: Iterable[Entry],
    exercises: Sequence[Exercise],
    late: Late,
) -> Sorted:
    """Sort the files of one learner. ``others`` are those that are no notebook and no script."""
    desk = _Desk(who, {exercise.stem: exercise for exercise in exercises})
    for candidate in candidates:
        if candidate.late and late == "leave":
            desk.tell(candidate, "is marked late by the LMS and was left")
        else:
            desk.take(candidate)
    desk.look_into()
    chosen = {stem: desk.choose(stem) for stem in desk.exercises}
    for entry in others:
        nothing_else = not any(chosen.values())
        told = entry.problem or "is neither a notebook nor a script"
        asks = bool(entry.problem) or nothing_else
        desk.matches.append(Match(who, entry.shown, told=told, asks=asks))
    if not any(chosen.values()) and not any(match.asks for match in desk.matches):
        desk.matches.append(Match(who, who, told=_NOTHING, asks=True))
    return Sorted(chosen, tuple(desk.matches))


@dataclass(frozen=True)
class _Facts:
    """What was found in a file. Its code is not kept: there may be much of it."""

    digest: str
    is_read: bool
    message: str
    inside: Mapping[str, Content]
    stems: list[str]  # of which there is much in it, the surest first


@dataclass
class _Desk:
    """Where one learner's files are looked through."""

    who: str
    exercises: Mapping[str, Exercise]
    matches: list[Match] = field(default_factory=list)
    _named: dict[str, list[Candidate]] = field(default_factory=dict)
    _unnamed: list[Candidate] = field(default_factory=list)
    _inside: dict[str, list[Candidate]] = field(default_factory=dict)
    _seen: dict[File, _Facts] = field(default_factory=dict)
    _bytes: int = 0

    def tell(self, candidate: Candidate, told: str, stem: str = "", asks: bool = False) -> None:
        self.matches.append(Match(self.who, candidate.shown, stem, told, asks, candidate.late))

    def take(self, candidate: Candidate) -> None:
        if candidate.named is None:
            self._unnamed.append(candidate)
        else:
            self._named.setdefault(candidate.named.stem, []).append(candidate)

    def facts(self, candidate: Candidate) -> _Facts:
        if candidate.file not in self._seen:
            self._bytes += size_of(candidate.file)
            if len(self._seen) >= MAX_LOOKED_INTO or self._bytes > MAX_LOOKED_AT:
                return _Facts("", False, "more files than are looked into", {}, [])
            source = read_found(candidate.file)
            inside = {stem: content(source, e) for stem, e in self.exercises.items()}
            found = by_content(inside)
            self._seen[candidate.file] = _Facts(
                source.digest, source.status == "ok", source.message, inside, found
            )
        return self._seen[candidate.file]

    # --- what no name tells --------------------------------------------------------------

    def look_into(self) -> None:
        """Sort by content what has no exercise's name, or the name of another exercise."""
        if not self._unnamed and len(self._named) == len(self.exercises):
            return
        for stem in list(self._named):
            for candidate in list(self._named[stem]):
                if self._is_another(candidate, stem):
                    self._named[stem].remove(candidate)
                    self._unnamed.append(candidate)
            if not self._named[stem]:
                del self._named[stem]
        for candidate in self._unnamed:
            self._by_content(candidate)

    def _is_another(self, candidate: Candidate, stem: str) -> bool:
        """Whether a file defines nothing of the exercise it is named after, and much of another."""
        facts = self.facts(candidate)
        return facts.is_read and not facts.inside[stem].defined and bool(facts.stems)

    def _by_content(self, candidate: Candidate) -> None:
        found = self.facts(candidate).stems
        free = [stem for stem in found if stem not in self._named]
        for stem in free:
            self._inside.setdefault(stem, []).append(candidate)
        if found and not free:
            read = self._named[found[0]][0].shown
            told = f"holds {found[0]}, which is read from {read}: if this one counts, swap them"
            self.tell(candidate, told, asks=self._answers(candidate, found[0]) > 0)
        elif not found:
            why = self.facts(candidate).message or "no exercise is recognised in it"
            told = f"{why}: if it is one, rename it to one such as {next(iter(self.exercises))}"
            missing = len(self._named) < len(self.exercises)
            self.tell(candidate, told, asks=missing and self._is_beside_others(candidate))

    def _is_beside_others(self, candidate: Candidate) -> bool:
        """Where nbgrader's other assignments lie, other notebooks do, and nobody asks for them."""
        places = {named.way[:-1] for pool in self._named.values() for named in pool}
        return not places or candidate.way[:-1] in {*places, ()}

    def _answers(self, candidate: Candidate, stem: str) -> int:
        facts = self.facts(candidate)
        return facts.inside[stem].answered if facts.is_read else 0

    # --- which of several ----------------------------------------------------------------

    def choose(self, stem: str) -> tuple[File, ...]:
        pool = self._named.get(stem) or self._inside.get(stem) or []
        if not pool:
            return ()
        several = len(pool) > 1
        answers = {c.file: self._answers(c, stem) if several else 0 for c in pool}
        pool = sorted(pool, key=lambda c: (len(c.way), c.shown))
        pool.sort(key=lambda c: (c.named.distance, -c.named.copy) if c.named else (9, 0))
        pool.sort(key=lambda c: answers[c.file], reverse=True)
        pool.sort(key=lambda c: _is_script(c))
        pool.sort(key=lambda c: answers[c.file] == 0)
        pool.sort(key=lambda c: _attempt(c), reverse=True)
        first, *rest = pool
        damage = self._damage(first)
        told = "; ".join(filter(None, [damage, _note(first, stem)]))
        self.tell(first, told, stem, asks=bool(damage))
        for other in rest:
            self._tell_other(first, other, stem, answers)
        return tuple(replace(c.file, note=_note(c, stem)) for c in pool)

    def _damage(self, candidate: Candidate) -> str:
        """What is wrong with a file that is read all the same, or is tried and can't be."""
        if candidate.file in self._seen:
            message = self._seen[candidate.file].message
        else:
            self._bytes += size_of(candidate.file)
            few = len(self._seen) < MAX_LOOKED_INTO and self._bytes <= MAX_LOOKED_AT
            message = read_found(candidate.file).message if few else ""
        said = message.removeprefix(f"{candidate.file.parts[-1]} ")
        return f"{said}: ask for it again" if said else ""

    def _tell_other(
        self, first: Candidate, other: Candidate, stem: str, answers: Mapping[File, int]
    ) -> None:
        same = self.facts(first).digest == self.facts(other).digest != ""
        if same:
            self.tell(other, f"is the same as {first.shown}")
        elif _attempt(first) != _attempt(other):
            self.tell(other, f"is an earlier attempt than {first.shown}, which is read")
        elif _is_script(first) and not _is_script(other) and not answers[other.file]:
            self.tell(other, f"has no answers: the script {first.shown} is read")
        elif _is_script(first) != _is_script(other) and answers[first.file] >= answers[other.file]:
            self.tell(other, f"is not read: the notebook {first.shown} is")
        else:
            told = f"is not read: {first.shown} is, as {stem}; if this one counts, remove that one"
            self.tell(other, told, asks=True)


def _is_script(candidate: Candidate) -> bool:
    name = candidate.way[-1].casefold()
    return ".ipynb" not in name


def _attempt(candidate: Candidate) -> tuple[str, int]:
    """What the LMS says of the attempt, then what a folder is called."""
    numbers = [
        int(found[1])
        for name in candidate.way[:-1]
        if (found := re.search(r"attempt[ _-]*(\d{1,4})\b", name, re.IGNORECASE))
    ]
    return candidate.attempt, max(numbers, default=0)


def _note(candidate: Candidate, stem: str) -> str:
    """What a file is read as, where its name does not say so."""
    name = candidate.way[-1]
    if candidate.named is not None and candidate.named.stem == stem:
        return "" if candidate.named.distance == 0 else f"{name} is read as {stem}"
    return f"{name} is read as {stem}, by what it defines"
