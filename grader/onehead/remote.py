"""What runs on a cluster's worker, and what travels there and back: JSON, compressed.

Contents travel and never paths, which mean nothing on another machine. A worker has onehead and the
course installed, as the machine that sends the work: no reference and no case is sent.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import socket
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from onehead import course, isolation
from onehead.errors import OneheadError
from onehead.installed import Installed
from onehead.isolation import Proof
from onehead.overrides import Decision
from onehead.pool import Answer, How, grade_one
from onehead.sandbox import Box, Limits
from onehead.source import Cell, Source
from onehead.submission import Submission

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Refused(OneheadError):
    """This worker must not grade: the message says why and what to do."""


@dataclass(frozen=True)
class Worker:
    """What a worker has, and the isolation that its own probe proved, or why there is none."""

    host: str
    installed: Installed
    proof: Proof | None
    refused: str = ""


async def examine(asked: str, limits: Limits) -> Worker:
    """What the worker that runs this has; its loop goes on meanwhile."""
    return await asyncio.to_thread(_examine, asked, limits)


def _examine(asked: str, limits: Limits) -> Worker:
    installed, host = Installed.here(limits), socket.gethostname()
    if threads := [name for name in _THREADS if os.environ.get(name) != "1"]:
        told = " ".join(f"{name}=1" for name in threads)
        return Worker(
            host, installed, None, f"it may compute with several threads: start it with {told}"
        )
    try:
        return Worker(host, installed, _proved(asked))
    except OneheadError as error:
        return Worker(host, installed, None, str(error))


@functools.cache
def _proved(asked: str) -> Proof:
    return isolation.choose(asked)


def grade_group(expected: Installed, group: bytes) -> bytes:
    """Grade the submissions that ``packed`` packed, in a box of their own; ``unpacked`` reads what
    comes back.

    Raises:
        Refused: this worker, which may be a later one, grades otherwise than those examined first.
    """
    how, submissions = _opened(group)
    _admit(expected, how.limits, how.level)
    exercises = course.load()
    with Box(how.limits, how.level) as box:
        answers = [
            grade_one(exercises, submission, box, how.warning, how.decisions)
            for submission in submissions
        ]
    return _compressed([asdict(answer) for answer in answers])


@functools.cache
def _admit(expected: Installed, limits: Limits, level: str) -> None:
    worker = _examine(level, limits)
    if why := objection(worker, expected):
        raise Refused(refusal(worker.host, why))


def objection(worker: Worker, expected: Installed) -> str:
    """Why a worker must not grade, and what to do; nothing where it may."""
    if differs := expected.differs(worker.installed):
        return f"it has {differs}: install the same there"
    return worker.refused


def refusal(host: str, why: str) -> str:
    return f"the worker on {host} can't grade: {why}"


# --- what travels ------------------------------------------------------------------------


def packed(how: How, submissions: Sequence[Submission]) -> bytes:
    """A group of submissions, and how to grade them."""
    names = {submission.name for submission in submissions}
    return _compressed(
        {
            "limits": asdict(how.limits),
            "level": how.level,
            "warning": how.warning,
            "decisions": [asdict(d) for d in how.decisions if d.submission in names],
            "submissions": [asdict(submission) for submission in submissions],
        }
    )


def _opened(group: bytes) -> tuple[How, list[Submission]]:
    told = json.loads(zlib.decompress(group))
    decisions = tuple(Decision(**decision) for decision in told["decisions"])
    how = How(Limits(**told["limits"]), told["level"], told["warning"], decisions)
    return how, [_submission(each) for each in told["submissions"]]


def _submission(told: Mapping[str, Any]) -> Submission:
    sources = {
        stem: Source(**{**source, "cells": tuple(Cell(**cell) for cell in source["cells"])})
        for stem, source in told["sources"].items()
    }
    return Submission(**{**told, "sources": sources})


def unpacked(returned: bytes) -> list[Answer]:
    """What ``grade_group`` returned, in the order of its submissions."""
    return [Answer(**answer) for answer in json.loads(zlib.decompress(returned))]


def _compressed(told: Any) -> bytes:
    return zlib.compress(json.dumps(told).encode("ascii"), 1)  # a quarter; more takes long
