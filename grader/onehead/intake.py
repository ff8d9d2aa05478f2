"""What was handed in, as an LMS hands it out, becomes submissions, and no file is lost on the way.

Folders, flat files, zip archives, several attempts, late ones, renamed files: each file is read as
an exercise, by its name or by what it defines, or is told together with what to do about it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from onehead import archives
from onehead.errors import OneheadError
from onehead.folder_names import well_formed
from onehead.handed_in import Entry, walk
from onehead.lms import Label, label
from onehead.matching import by_name
from onehead.model import Exercise
from onehead.sorting import Candidate, Late, Match, sort
from onehead.submission import TIMESTAMP, SubmissionFolder, plain_files

_CLASS = 3  # folders with exercises in them make a class, whatever lies loose beside them


@dataclass(frozen=True)
class Intake:
    """The learners, sorted by name, and what became of every file."""

    learners: tuple[SubmissionFolder, ...]
    matches: tuple[Match, ...]

    @property
    def asking(self) -> tuple[Match, ...]:
        """The files that somebody has to look at."""
        return tuple(match for match in self.matches if match.asks)


@contextlib.contextmanager
def opened(
    folder: Path, exercises: Sequence[Exercise], late: Late = "read", alone: bool = False
) -> Iterator[Intake]:
    """The submissions in a folder or a zip archive. What is unpacked is there until the end.

    With ``alone``, all of it is one learner's, whatever it looks like.

    Raises:
        OneheadError: it can't be read, or nobody's submission is in it.
    """
    with tempfile.TemporaryDirectory(prefix="onehead-") as scratch:
        yield _take(folder, exercises, late, Path(scratch), alone)


def _take(
    folder: Path, exercises: Sequence[Exercise], late: Late, scratch: Path, alone: bool
) -> Intake:
    root, entries = walk(folder, scratch)
    stems = [exercise.stem for exercise in exercises]
    given = Path(os.path.abspath(folder))
    if alone or _is_one_learners(entries, stems):
        groups, strays = _whole(given, entries), list[Match]()
    else:
        groups, strays = _grouped(entries)
    if not groups:
        raise OneheadError(
            f"no submission in {str(folder)!r}; give a folder that holds one folder per learner, "
            f"or one learner's folder with files such as {stems[0]}.ipynb"
        )
    learners, matches = [], strays
    for who, group in groups.items():
        done = sort(who, group.candidates(stems), group.others, exercises, late)
        matches += done.matches
        plain = SubmissionFolder(who, root, group.place)
        chosen = {stem: list(done.chosen[stem]) for stem in stems}
        if not group.is_link and chosen != plain_files(plain, stems):
            plain = replace(plain, found=done.chosen)
        learners.append(plain)
    return Intake(
        tuple(sorted(learners, key=lambda learner: learner.name)),
        tuple(sorted(matches, key=lambda match: (match.submission, match.file, match.stem))),
    )


# --- whose -------------------------------------------------------------------------------


@dataclass
class _Group:
    """The entries of one learner, each with what an LMS says of it and its way in their folder."""

    entries: list[tuple[Entry, Label | None, tuple[str, ...]]] = field(default_factory=list)

    @property
    def others(self) -> list[Entry]:
        return [
            e
            for e, _, _ in self.entries
            if e.file is None and (e.problem or not e.is_folder) and e.way[-1:] != (TIMESTAMP,)
        ]

    @property
    def is_link(self) -> bool:
        return len(self.entries) == 1 and self.entries[0][0].is_link

    @property
    def place(self) -> tuple[str, ...]:
        """The learner's folder, where there is one: nbgrader's timestamp is looked for in it."""
        own = [entry.way for entry, _, way in self.entries if entry.is_folder and not way]
        return own[0] if len(own) == 1 else ("no folder",)

    def candidates(self, stems: Sequence[str]) -> list[Candidate]:
        found = []
        for entry, told, way in self.entries:
            if entry.file is not None:
                attempt, late = (told.attempt, told.late) if told else ("", False)
                named = by_name(way[-1], stems)
                found.append(Candidate(entry.file, entry.shown, way, named, attempt, late))
        return found


def _whole(given: Path, entries: Sequence[Entry]) -> dict[str, _Group]:
    """All entries as those of one learner, who is called as the folder is."""
    name = given.stem if archives.is_zip(given.name) else given.name
    own = (Entry((), is_folder=True), None, ())
    return {well_formed(name): _Group([own, *((entry, None, entry.way) for entry in entries)])}


def _grouped(entries: Sequence[Entry]) -> tuple[dict[str, _Group], list[Match]]:
    """The entries of each learner, and what is nobody's."""
    groups: dict[str, _Group] = {}
    strays = []
    folders = {entry.way[0] for entry in entries if entry.is_folder or len(entry.way) > 1}
    for entry in entries:
        top, inner = entry.way[0], entry.way[1:]
        told = label(top)
        if told is not None:
            who = told.learner
            way = inner if top in folders else (told.file,)
        elif top in folders or archives.is_zip(top):
            who = top[: -len(".zip")] if archives.is_zip(top) else top
            way = inner
        else:
            strays.append(_stray(entry))
            continue
        if entry.file is not None and not way:  # beside a folder of its name, in an archive
            way = (top,)
        groups.setdefault(well_formed(who), _Group()).entries.append((entry, told, way))
    return groups, strays


def _stray(entry: Entry) -> Match:
    if entry.file is None:
        return Match("", entry.shown, told=entry.problem or "is no submission")
    told = "whose is it? Put it into a folder named after its learner"
    return Match("", entry.shown, told=told, asks=True)


def _is_one_learners(entries: Sequence[Entry], stems: Sequence[str]) -> bool:
    """Whether a folder is a learner's own, and not a class."""
    if any(label(entry.way[0]) is not None for entry in entries):
        return False
    loose = [entry for entry in entries if len(entry.way) == 1 and entry.file is not None]
    named = [by_name(entry.way[0], stems) for entry in loose]
    folders = {entry.way[0] for entry in entries if entry.is_folder or len(entry.way) > 1}
    if any(found is not None and found.distance == 0 for found in named):
        inner = {e.way[0] for e in entries if len(e.way) > 1 and by_name(e.way[-1], stems)}
        return len(inner) < _CLASS
    return bool(loose) and not folders
