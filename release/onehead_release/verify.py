"""Whether a release may be handed out: nothing secret in it, nothing unexpected, nothing changed.

Everything but ``solved/`` is for learners, or comes near them, and is opened as far as it can be:
archives within archives, notebooks with their outputs and metadata, long runs of base64.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import gzip
import hashlib
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from onehead.errors import OneheadError
from onehead_release import github, secrets, site
from onehead_release.bundle import ARCHIVE, MANIFEST, SITE
from onehead_release.chapter import chapter
from onehead_release.secrets import Secrets
from onehead_release.solved import stems
from onehead_release.wheel import DATA, NOTEBOOKS, engine_files, version, wheel_name

DEPTH = 6  # archives within archives
MOST = 64 * 2**20  # bytes of one unpacked file
BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4}\s*){16,}[A-Za-z0-9+/_-]*={0,2}")
NUMBER = re.compile(r"(?<![\w.])\d*\.\d+(?:[eE][+-]?\d+)?")
CELL_METADATA = {"nbgrader", "deletable", "editable"}
NOTEBOOK_METADATA = {"kernelspec", "language_info"}


def verify(folder: Path) -> list[str]:
    """What is wrong with a release, one line each; an empty list for one that may go out.

    Raises OneheadError when the folder holds no release.
    """
    if not (folder / MANIFEST).is_file():
        raise OneheadError(
            f"{str(folder)!r} has no {MANIFEST}, so it is no release: make one with "
            f"onehead release build --out {folder}"
        )
    problems = layout_problems(folder)
    search = Search(secrets.load())
    for path in _files(folder):
        name, data = path.relative_to(folder).as_posix(), path.read_bytes()
        if not name.startswith("solved/") and not _is_jupyterlites(name, data):
            problems += search.file(name, data)
    return list(dict.fromkeys(problems))


def layout_problems(folder: Path) -> list[str]:
    """What differs from the manifest, is not expected in a release, or is missing."""
    return [*_manifest_problems(folder), *_unexpected(folder)]


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink()]


# --- what is there -----------------------------------------------------------------------


def _manifest_problems(folder: Path) -> Iterator[str]:
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        due = dict(document["files"])
        built_from = document["version"]
    except (ValueError, KeyError, TypeError):
        yield f"{MANIFEST}: it can't be read"
        return
    if built_from != version():
        yield f"{MANIFEST}: built from version {built_from}, and this is {version()}"
    there = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    del there[MANIFEST]
    for name in sorted({*due, *there}):
        if name not in there:
            yield f"{name}: in the manifest, and not there"
        elif name not in due:
            yield f"{name}: not in the manifest"
        elif hashlib.sha256(there[name].read_bytes()).hexdigest() != due[name]:
            yield f"{name}: not the file of the manifest"


def _unexpected(folder: Path) -> Iterator[str]:
    expected = _expected()
    if (folder / SITE).exists():
        expected |= {f"{SITE}/{name}" for name in site.own_files(stems())}
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            yield f"{name}: a link"
        elif name not in expected and not _is_jupyterlites(name, path.read_bytes()):
            yield f"{name}: an unexpected file"
    for name in sorted(expected):
        if not (folder / name).is_file():
            yield f"{name}: missing"


def _expected() -> set[str]:
    notebooks = [f"{stem}.ipynb" for stem in stems()]
    course = [f"course/{step}/{chapter().name}" for step in ("source", "release")]
    folders = [*course, "learner", "github", "solved/notebooks", "untouched"]
    return {
        MANIFEST,
        ARCHIVE,
        "course/nbgrader_config.py",
        *(f"{folder}/{notebook}" for folder in folders for notebook in notebooks),
        *(f"solved/scripts/{stem}.py" for stem in stems()),
        *(f"learner/{name}" for name in _beside_notebooks()),
        *(f"github/{name}" for name in github.template({}, b"")),
    }


def _is_jupyterlites(name: str, data: bytes) -> bool:
    """Whether a file of the site is one that JupyterLite brings, as it is installed here."""
    return name.startswith(f"{SITE}/") and hashlib.sha256(data).hexdigest() in site.upstream()


def _beside_notebooks() -> list[str]:
    return [wheel_name(), "README.md"]


def _members_due(name: str) -> set[str] | None:
    """What an archive of a release holds; None where any file is as good as another."""
    if name.endswith(wheel_name()):
        info = f"onehead-{version()}.dist-info"
        written = (f"{info}/{file}" for file in ("METADATA", "RECORD", "WHEEL", "entry_points.txt"))
        notebooks = (f"{NOTEBOOKS}/{stem}.ipynb" for stem in stems())
        return {*engine_files(), DATA, *notebooks, *written}
    if name == ARCHIVE:
        learner = [*(f"{stem}.ipynb" for stem in stems()), *_beside_notebooks()]
        return {f"onehead-learner/{file}" for file in learner}
    return None


# --- what is in it -----------------------------------------------------------------------


class Search:
    """Looks for secrets in files, once for each content."""

    def __init__(self, secret: Secrets) -> None:
        self._secret = secret
        self._seen: dict[bytes, list[str]] = {}
        self._read: set[str] = set()

    def file(self, name: str, data: bytes, depth: int = 0) -> list[str]:
        """What is wrong with one file and all that is packed into it."""
        digest = hashlib.sha256(data).digest()
        if digest not in self._seen:
            self._seen[digest] = []  # an archive in itself
            self._seen[digest] = list(self._problems(name, data, depth))
        return [f"{name}: {problem}" for problem in self._seen[digest]]

    def _problems(self, name: str, data: bytes, depth: int) -> Iterator[str]:
        if depth > DEPTH:
            yield "packed too deep to be looked into"
            return
        if _is_byte_code(name, data):
            yield "byte code, which can't be looked into"
        try:
            members = dict(_unpacked(data))
        except Exception as error:
            yield f"an archive that can't be read: {error}"
            return
        due = _members_due(name)
        if due is not None:
            yield from (f"{member}: an unexpected file" for member in sorted({*members} - due))
            yield from (f"{member}: missing" for member in sorted(due - {*members}))
        for member, content in members.items():
            yield from self.file(member, content, depth + 1)
        if not members:
            yield from self._plain(name, data, depth)

    def _plain(self, name: str, data: bytes, depth: int) -> Iterator[str]:
        yield from self._numbers_in(data)
        text = data.decode("utf-8", "replace")
        texts, numbers, document = [text], list(NUMBER.findall(text)), _json(text)
        if document is not None:
            texts = list(_strings(document))
            if name.endswith(".ipynb"):
                yield from _notebook_problems(document)
        whole = "\n".join(texts)
        yield from self._lines_in(whole)
        yield from self._choices_in(text)
        yield from self._digits_in([*numbers, *NUMBER.findall(whole)])
        for piece in {*texts, whole} - self._read:
            self._read.add(piece)
            yield from self._trees_in(piece)
        for packed in BASE64.findall(whole):
            if (inner := _decoded(packed)) is not None:
                problems = self.file("a run of base64", inner, depth + 1)
                yield from problems

    def _lines_in(self, text: str) -> Iterator[str]:
        bare = secrets.squeezed(text.replace("#", " "))
        for package in self._secret.packages:
            if package in bare:
                yield f"names the package {package}"
        for line, place in self._secret.lines.items():
            if line.replace("#", "") in bare:
                yield f"source of {place}"

    def _trees_in(self, text: str) -> Iterator[str]:
        for code in _code_of(text):
            try:
                found = {shape for shape, _ in secrets.shapes(code)}
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            for shape in found & self._secret.trees.keys():
                yield f"code of the form of {self._secret.trees[shape]}"

    def _choices_in(self, text: str) -> Iterator[str]:
        bare = secrets.bare_words(text)
        for part, pairs in self._secret.choices:
            told = sum(pair in bare or pair.replace(":", ",", 1) in bare for pair in pairs)
            if told >= min(2, len(pairs)):
                yield f"answers of {part}"

    def _numbers_in(self, data: bytes) -> Iterator[str]:
        for numbers in self._secret.arrays:
            if any(entries in data for entries in numbers.as_bytes):
                yield numbers.what

    def _digits_in(self, numbers: list[str]) -> Iterator[str]:
        found = {secrets.in_digits(abs(float(number))) for number in numbers}
        for secret in self._secret.arrays:
            if len(secret.digits) >= 2 and secret.digits <= found:
                yield f"{secret.what}, in digits"


def _is_byte_code(name: str, data: bytes) -> bool:
    """A compiled module by its name or its head: a magic number, and a marshalled code object."""
    headed = len(data) > 16 and data[2:4] == b"\r\n" and data[16] & 0x7F == ord("c")
    return name.endswith((".pyc", ".pyo")) or "__pycache__" in name or headed


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files in an archive or a compressed file; none for what is neither."""
    if zipfile.is_zipfile(io.BytesIO(data)) or data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if not archive.infolist() and data.startswith(b"PK\x03\x04"):
                raise ValueError("its list of files is empty, and it is not")
            if archive.comment:
                yield "the archive's comment", archive.comment
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield entry.filename, _at_most(archive.open(entry))
        return
    for opens in (gzip.open, bz2.open, lzma.open):
        try:
            inner = _at_most(opens(io.BytesIO(data)))
        except (OSError, EOFError, lzma.LZMAError, zlib.error):
            continue
        yield "what is compressed", inner
        return
    if data[:1] == b"\x78":
        try:
            yield "what is compressed", zlib.decompressobj().decompress(data, MOST)
        except zlib.error:
            return
        return
    if len(data) > 512 and data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive.getmembers():
                if (stream := archive.extractfile(member)) is not None:
                    yield member.name, _at_most(stream)


def _at_most(stream: Any) -> bytes:
    with stream:
        data: bytes = stream.read(MOST + 1)
    if len(data) > MOST:
        raise ValueError("a file that is too large once it is unpacked")
    return data


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _strings(value: Any) -> Iterator[str]:
    """The texts of a JSON document; a list of lines, as notebooks have them, is one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        if value and all(isinstance(entry, str) for entry in value):
            yield "".join(value)
        else:
            for entry in value:
                yield from _strings(entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield str(key)
            yield from _strings(entry)


def _notebook_problems(document: Any) -> Iterator[str]:
    if not isinstance(document, dict):
        yield "no notebook"
        return
    yield from _strange(document.get("metadata", {}), NOTEBOOK_METADATA)
    for cell in document.get("cells", []):
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield f"cell {cell.get('id')} has outputs of a run"
        if cell.get("attachments"):
            yield f"cell {cell.get('id')} has attachments"
        yield from _strange(cell.get("metadata", {}), CELL_METADATA)


def _strange(metadata: dict[str, Any], known: set[str]) -> Iterator[str]:
    for name in sorted({*metadata} - known):
        yield f"unexpected metadata {name!r}"


def _code_of(text: str) -> Iterator[str]:
    """The text as Python, and the fenced or commented pieces of a text that is none."""
    yield text
    yield from re.findall(r"```[^\n]*\n(.*?)```", text, flags=re.DOTALL)
    lines = text.splitlines()
    if any(line.lstrip().startswith("#") for line in lines):
        yield "\n".join(re.sub(r"^(\s*)# ?", r"\1", line) for line in lines)


def _decoded(packed: str) -> bytes | None:
    bare = re.sub(r"\s", "", packed).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return None
