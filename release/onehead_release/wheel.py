"""The learner's package: a wheel with the engine and the public data, the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Collection, Mapping
from importlib import metadata
from pathlib import Path

import onehead
from onehead_release.chapter import chapter

STAMP = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
DATA, NOTEBOOKS = "onehead/data/public.json", "onehead/data/notebooks"


def version() -> str:
    """The version of what a release holds: the chapter's."""
    return chapter().version


def wheel_name() -> str:
    return f"onehead-{version()}-py3-none-any.whl"


def engine_files() -> dict[str, bytes]:
    """The engine's files by their names in the wheel; nothing that running it left behind."""
    folder = Path(onehead.__file__).parent
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        f"onehead/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in files
        if "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def wheel(public: str, notebooks: Mapping[str, bytes]) -> bytes:
    """The wheel with this text as its public data, and with notebooks by their file names."""
    written = {f"{NOTEBOOKS}/{name}": data for name, data in notebooks.items()}
    files = engine_files() | written | {DATA: public.encode("utf-8")} | _information()
    name = f"{_info()}/RECORD"
    files[name] = record(files, name)
    return zipped(files)


def zipped(files: Mapping[str, bytes], executable: Collection[str] = ()) -> bytes:
    """A zip archive of the files, sorted by name, with fixed times and permissions."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, STAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it was made
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def _info() -> str:
    return f"onehead-{version()}.dist-info"


def _information() -> dict[str, bytes]:
    """The wheel's own files. A learner's package needs numpy alone; the command, its extra."""
    lines = [
        "Metadata-Version: 2.4",
        "Name: onehead",
        f"Version: {version()}",
        f"Summary: Public checks of the workbook: {chapter().title}",
        "License-Expression: MIT",
        "Requires-Python: >=3.11",
        "Requires-Dist: numpy>=1.26",
        "Provides-Extra: cli",
        *(f'Requires-Dist: {need}; extra == "cli"' for need in command_needs()),
    ]
    wheel_lines = ["Wheel-Version: 1.0", "Generator: onehead", "Root-Is-Purelib: true"]
    wheel_lines.append("Tag: py3-none-any")
    commands = ["[console_scripts]", "onehead = onehead.cli:main"]
    return {
        f"{_info()}/METADATA": _text(lines),
        f"{_info()}/WHEEL": _text(wheel_lines),
        f"{_info()}/entry_points.txt": _text(commands),
    }


def command_needs() -> list[str]:
    """What the command line needs beyond numpy, with the versions that this package asks for."""
    wanted = ("click", "watchfiles")
    needs = [need.split(";")[0].strip() for need in metadata.requires("onehead") or []]
    return sorted({need for need in needs if need.lower().startswith(wanted)})


def _text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8")


def record(files: Mapping[str, bytes], name: str) -> bytes:
    """The wheel's list of its files, which is itself the file ``name``."""
    lines = [f"{file},sha256={_digest(data)},{len(data)}" for file, data in sorted(files.items())]
    return _text([*lines, f"{name},,"])


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
