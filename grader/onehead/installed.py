"""What is installed on a machine, as far as results depend on it."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from onehead import course
from onehead.sandbox import Limits

_NO_CODE = {"bank", "exercises"}  # lie in the course's package and are not run; in a wheel alone


def fingerprint(limits: Limits) -> str:
    """What a result depends on beside the submission.

    Exercises, references, grader, Python, numpy.
    """
    state = hashlib.sha256(f"{platform.python_version()} {np.__version__} {limits}".encode())
    for package in ("onehead", *course.packages()):
        spec = find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            for path in sorted(Path(folder).rglob("*.py")):
                if not _NO_CODE & set(path.relative_to(folder).parts):
                    state.update(path.read_bytes())
    return state.hexdigest()


@dataclass(frozen=True)
class Installed:
    """The versions that decide on results, and the fingerprint of all of it."""

    python: str
    numpy: str
    onehead: str
    course: str
    fingerprint: str

    @classmethod
    def here(cls, limits: Limits) -> Installed:
        packages = ", ".join(course.packages()) or "none"
        return cls(
            platform.python_version(),
            np.__version__,
            version("onehead"),
            packages,
            fingerprint(limits),
        )

    def differs(self, other: Installed) -> str:
        """What there grades otherwise than here, for a reader; nothing where all is the same."""
        for what in ("python", "numpy", "onehead", "course"):
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine != theirs:
                return f"{what} {theirs}, where this machine has {mine}"
        if self.fingerprint != other.fingerprint:
            return "other files of onehead or of the course, in the same versions"
        return ""
