"""A new chapter, a new exercise: the few files of each, as working templates to write over.

Nothing is ever overwritten: where one of the files is there already, none is written.
"""

from __future__ import annotations

import json
import keyword
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from onehead.errors import OneheadError
from onehead_release.chapter import Chapter

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_WORD = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Written:
    """The files that were written, and what to do next."""

    paths: tuple[Path, ...]
    following: tuple[str, ...]


# --- a chapter ---------------------------------------------------------------------------


def chapter(folder: Path, title: str) -> Written:
    """Write the package of a new chapter; the folder's name is the chapter's.

    Raises:
        OneheadError: the name is none that a package can have, or a file is there already.
    """
    name = folder.resolve().name
    if not _NAME.fullmatch(name) or name == "onehead":
        raise OneheadError(
            f"{name!r} is no name for a chapter: give a folder's name of small letters, digits and "
            "single hyphens, such as multi-head"
        )
    package = f"{name.replace('-', '_')}_solutions"
    words = _words(title) | {"name": name, "package": package}
    paths = _write(
        {
            folder / "pyproject.toml": _text("chapter/pyproject", words),
            folder / package / "__init__.py": _text("chapter/package", words),
        }
    )
    following = (f"pip install -e {shlex.quote(str(folder))}", "onehead new-exercise --name NAME")
    return Written(paths, following)


# --- an exercise -------------------------------------------------------------------------


@dataclass(frozen=True)
class NewExercise:
    """What the templates need to know. ``name`` is the exercise's id and its module's name."""

    name: str
    title: str
    part: str
    points: float


def exercise(course: Chapter, new: NewExercise) -> Written:
    """Write an exercise into the chosen course's own folders: notebook, module, two bank answers.

    Raises:
        OneheadError: a name can't be used or is taken, the course is no checkout that could be
            written to, or a file is there already.
    """
    _refuse_names(course, new)
    stem = f"{_next_number(course):02}_{new.name}"
    words = _words(new.title) | {
        "id": new.name.replace("_", "-"),
        "stem": stem,
        "part": new.part,
        "constant": new.part.upper(),
        "points": f"{new.points:g}",
    }
    bank = course.bank
    paths = _write(
        {
            _sources(course) / f"{stem}.py": _text("exercise/notebook", words),
            course.folder / f"{new.name}.py": _text("exercise/module", words),
            bank / "right" / "plain" / f"{stem}.py": _text("exercise/right", words),
            bank / "wrong" / "scale-missing" / f"{new.name}.py": _text("exercise/wrong", words),
        }
    )
    return Written(paths, (f"onehead selftest --exercise {words['id']}",))


def _refuse_names(course: Chapter, new: NewExercise) -> None:
    if "site-packages" in course.folder.parts:
        raise OneheadError(
            f"the course {course.name!r} is installed as a copy in {course.folder}: install your "
            "checkout of it with pip install -e FOLDER, and run this again"
        )
    for what, word in (("exercise", new.name), ("part", new.part)):
        if not _WORD.fullmatch(word) or keyword.iskeyword(word) or word.upper() == word:
            raise OneheadError(
                f"{word!r} is no name for {'an' if what[0] in 'aeiou' else 'a'} {what}: give a "
                "Python name in small letters, such as split_heads"
            )
    if not 0 < new.points < 1000:
        raise OneheadError(f"{new.points:g} points can't be given: expected a number above 0")
    taken = {exercise.id for exercise in course.exercises}
    if new.name.replace("_", "-") in taken:
        raise OneheadError(
            f"the course {course.name!r} has an exercise {new.name.replace('_', '-')!r} already: "
            f"give another name than {', '.join(sorted(taken))}"
        )


def _next_number(course: Chapter) -> int:
    numbers = [int(found[0]) for e in course.exercises if (found := re.match(r"\d+", e.stem))]
    return max(numbers, default=0) + 1


def _sources(course: Chapter) -> Path:
    """The chapter's folder of notebooks; that of its first one is made in the package."""
    return course.sources if course.exercises else course.folder / "exercises"


# --- templates ---------------------------------------------------------------------------


def _words(title: str) -> dict[str, str]:
    title = " ".join(title.split())
    if not title:
        raise OneheadError("a title is needed: give a few words with --title")
    text = title.replace("\\", "").replace('"', "'").rstrip(".")
    return {"title": title, "title_literal": json.dumps(title), "title_text": f"{text}."}


def _text(template: str, words: Mapping[str, str]) -> str:
    path = files("onehead_release") / "templates" / f"{template}.txt"
    return Template(path.read_text(encoding="utf-8")).substitute(words)


def _write(contents: Mapping[Path, str]) -> tuple[Path, ...]:
    for path in contents:
        if path.exists() or path.is_symlink():
            raise OneheadError(
                f"{str(path)!r} is there already and nothing was written: give another name, or "
                "move that file"
            )
    for path, text in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(text)
    return tuple(contents)
