"""The durable lines of a run: what is finished stays finished, whenever a run is killed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

RESULTS, PART = "results.jsonl", "results.jsonl.part"
RECORD = "run.json"  # of how the run went
_DIGESTS, _DIGESTS_PART = ".digests.jsonl", ".digests.jsonl.part"


@dataclass(frozen=True)
class _Place:
    """Where a submission's line is, and its entry beside the lines."""

    entry: str  # as JSON
    digest: str
    path: Path
    offset: int


class Ledger:
    """The lines of the run in ``out``, each with the digest of the submission it was made from.

    While a run goes on they stand in ``results.jsonl.part``, and their digests beside it. A line
    counts once it and its digest are synced, and only with the digest that was written for it.
    ``state`` is what a result depends on beside the submission: lines of another state don't count.
    In memory is a line's place alone.

    Used as a context manager: entering starts the part files with what is known.
    """

    def __init__(self, out: Path, state: str, resume: bool) -> None:
        self._out, self._state, self._resume = out, state, resume
        self._places: dict[str, _Place] = {}
        self._lines: IO[bytes] | None = None
        self._digests: IO[bytes] | None = None

    def __enter__(self) -> Ledger:
        known = self._known() if self._resume else {}
        write_atomically(self._out / _DIGESTS_PART, (f"{p.entry}\n" for p in known.values()))
        write_atomically(self._out / PART, self._kept(known))
        self._digests = open(self._out / _DIGESTS_PART, "ab")
        self._lines = open(self._out / PART, "a+b")
        return self

    def __exit__(self, *exception: object) -> None:
        for stream in (self._lines, self._digests):
            if stream is not None:
                stream.close()

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def holds(self, name: str, digest: str) -> bool:
        """Whether the line of a submission is here that was made from such files."""
        return name in self._places and self._places[name].digest == digest

    def keep_only(self, names: Container[str]) -> None:
        """Forget the lines of other submissions: changed ones, and those that are gone."""
        self._places = {name: place for name, place in self._places.items() if name in names}

    def add(self, *results: tuple[str, str, str]) -> None:
        """Make lines durable, each given as (name, digest, line): all with one sync."""
        assert self._lines is not None and self._digests is not None
        offset = self._lines.seek(0, os.SEEK_END)
        places = {}
        for name, digest, line in results:
            entry = self._entry(name, digest, line)
            places[name] = _Place(entry, digest, self._out / PART, offset)
            offset += len(line) + 1
        lines, entries = (line for *_, line in results), (place.entry for place in places.values())
        for stream, texts in ((self._lines, lines), (self._digests, entries)):
            stream.write("".join(f"{text}\n" for text in texts).encode("ascii"))
            stream.flush()
            os.fsync(stream.fileno())
        self._places |= places

    def lines(self) -> Iterator[tuple[str, str]]:
        """Each submission's name and line, sorted by name."""
        assert self._lines is not None
        for name in sorted(self._places):
            self._lines.seek(self._places[name].offset)
            yield name, self._lines.readline().decode("ascii").rstrip("\n")

    def finish(self) -> None:
        """Put the sorted lines in their place and the part files away."""
        entries = (f"{self._places[name].entry}\n" for name in sorted(self._places))
        write_atomically(self._out / _DIGESTS, entries)
        write_atomically(self._out / RESULTS, (f"{line}\n" for _, line in self.lines()))
        for name in (PART, _DIGESTS_PART):
            (self._out / name).unlink(missing_ok=True)

    def _entry(self, name: str, digest: str, line: str) -> str:
        return json.dumps(
            {"submission": name, "digest": digest, "state": self._state, "line": _hash(line)}
        )

    def _known(self) -> dict[str, _Place]:
        """The places of what earlier runs have finished, by name."""
        known = {}
        for results, digests in ((RESULTS, _DIGESTS), (PART, _DIGESTS_PART)):
            lines = {}
            for offset, line in _whole_lines(self._out / results):
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    lines[json.loads(line)["submission"]] = offset, _hash(line)
            for _, text in _whole_lines(self._out / digests):
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    entry = json.loads(text)
                    offset, told = lines[entry["submission"]]
                    if (entry["state"], entry["line"]) == (self._state, told):
                        place = _Place(text, entry["digest"], self._out / results, offset)
                        known[entry["submission"]] = place
        return known

    def _kept(self, known: Mapping[str, _Place]) -> Iterator[str]:
        """The known lines, one after the other; their new places are noted on the way."""
        offset = 0
        for name, place in known.items():
            with open(place.path, "rb") as stream:
                stream.seek(place.offset)
                line = stream.readline().decode("ascii")
            self._places[name] = replace(place, path=self._out / PART, offset=offset)
            offset += len(line)
            yield line


def digests(out: Path) -> dict[str, str]:
    """By submission, the digest of what its result in ``out`` was made from."""
    found = {}
    for _, text in _whole_lines(out / _DIGESTS):
        with contextlib.suppress(ValueError, KeyError, TypeError):
            entry = json.loads(text)
            found[str(entry["submission"])] = str(entry["digest"])
    return found


def _hash(line: str) -> str:
    return hashlib.sha256(line.encode("ascii")).hexdigest()


def _whole_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Where each whole line of a file starts, and the line; what a kill tore off is none."""
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as stream:
        offset = 0
        for line in stream:
            if line.endswith(b"\n"):
                yield offset, line[:-1].decode("ascii", "replace")
            offset += len(line)


def write_atomically(path: Path, text: str | Iterable[str], durable: bool = True) -> None:
    """All of a file or nothing of it; with ``durable``, on the disk when this returns."""
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "w", encoding="utf-8", newline="") as stream:
        stream.writelines([text] if isinstance(text, str) else text)
        stream.flush()
        if durable:
            os.fsync(stream.fileno())
    os.replace(beside, path)
    if durable:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
