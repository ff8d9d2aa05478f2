"""What the names say that an LMS gives to the files it hands out: whose, which try, how late.

Moodle and Canvas name them in their sources (``mod/assign/classes/downloader.php``,
``lib/content_zipper.rb``); Blackboard and Brightspace as seen in their downloads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Label:
    """What stands in a name. ``file`` is the learner's own name of it, "" for a folder."""

    learner: str
    file: str = ""
    attempt: str = ""  # sorts as the attempts do
    late: bool = False


_MOODLE = re.compile(
    r"(?P<who>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL
)
_CANVAS = re.compile(
    r"(?:(?P<who>\w+?)_)??(?P<late>LATE_)?(?P<id>\d+|anon_[a-zA-Z0-9]+)"
    r"(?:_(?P<upload>\d{3,})_(?P<file>.+)|_(?P<entry>text|link)\.html)",
    re.DOTALL,
)
_BLACKBOARD = re.compile(
    r".+_(?P<who>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)?", re.DOTALL
)
_BRIGHTSPACE = re.compile(
    r"(?P<id>\d+)-\d+ - (?P<who>.+?) - (?P<when>[A-Z][a-z]{2} \d{1,2}, \d{4} \d{3,4} [AP]M)"
    r"(?: - (?P<file>.+))?",
    re.DOTALL,
)


def label(name: str) -> Label | None:
    """What the name of a file or a folder says; None for one that no LMS has given.

    >>> label("Jane Doe_1234_assignsubmission_file")
    Label(learner='Jane Doe_1234', file='', attempt='', late=False)
    >>> label("doejane_LATE_98_5678_04_matrix_form-1.ipynb")
    Label(learner='doejane_98', file='04_matrix_form-1.ipynb', attempt='000000005678', late=True)
    """
    for read in (_moodle, _brightspace, _blackboard, _canvas):
        if (found := read(name)) is not None:
            return found
    return None


def _moodle(name: str) -> Label | None:
    found = _MOODLE.fullmatch(name)
    if found is None:
        return None
    return Label(_numbered(found["who"], found["id"]), found["file"] or "")


def _canvas(name: str) -> Label | None:
    found = _CANVAS.fullmatch(name)
    if found is None or (found["who"] is None and found["id"].isdigit()):
        return None
    return Label(
        _numbered(found["who"], found["id"]) if found["who"] else found["id"],
        found["file"] or f"{found['entry']}.html",
        (found["upload"] or "").rjust(12, "0"),
        found["late"] is not None,
    )


def _blackboard(name: str) -> Label | None:
    found = _BLACKBOARD.fullmatch(name)
    if found is None:
        return None
    receipt = "" if found["file"] else "receipt.txt"
    return Label(found["who"], found["file"] or receipt, found["when"])


def _brightspace(name: str) -> Label | None:
    found = _BRIGHTSPACE.fullmatch(name)
    if found is None:
        return None
    try:
        when = datetime.strptime(found["when"], "%b %d, %Y %I%M %p").isoformat()
    except ValueError:
        return None
    return Label(_numbered(found["who"], found["id"]), found["file"] or "", when)


def _numbered(who: str, number: str | None) -> str:
    return f"{who}_{number}" if number else who
