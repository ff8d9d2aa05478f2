"""A Pyodide without numpy, from npm and PyPI: ``python -m tests.browser.offline_pyodide DIR``.

npm's package is Pyodide itself. The pure wheels that its lock names, as far as the kernel needs
them, come from PyPI, where they are other archives of the same versions: the digests of those
that were fetched replace the lock's. numpy for Pyodide is on neither.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

VERSION = "314.0.7"  # of the line that the kernel was made for
FILES = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
)  # fmt: skip
WANTED = ("micropip", "ipython", "jedi")  # what the kernel asks the lock for


def fetch(out: Path) -> None:
    """Write it to ``out``, which is replaced when all of it is there."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        made = Path(scratch) / "pyodide"
        made.mkdir()
        run("npm", "pack", "--silent", f"pyodide@{VERSION}", "--pack-destination", scratch)
        (archive,) = Path(scratch).glob("*.tgz")
        with tarfile.open(archive) as packed:
            for name in FILES:
                stream = packed.extractfile(f"package/{name}")
                assert stream is not None
                (made / name).write_bytes(stream.read())
        lock = json.loads((made / "pyodide-lock.json").read_bytes())
        needed = closure({canonical(name): entry for name, entry in lock["packages"].items()})
        run(
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--only-binary=:all:", "--python-version=3.14", "--dest", str(made),
            *(f"{entry['name']}=={entry['version']}" for entry in needed),
        )  # fmt: skip
        for entry in needed:
            wheel = (made / entry["file_name"]).read_bytes()
            entry["sha256"] = hashlib.sha256(wheel).hexdigest()
        (made / "pyodide-lock.json").write_text(json.dumps(lock))
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)


def closure(packages: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries of what is wanted and of all that it depends on."""
    found: dict[str, dict[str, Any]] = {}
    waiting = [*WANTED]
    while waiting:
        name = canonical(waiting.pop())
        if name not in found:
            found[name] = packages[name]
            waiting += packages[name]["depends"]
    return list(found.values())


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    try:
        fetch(Path(sys.argv[1]))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"No Pyodide could be had ({error}); tests of the site's kernel will skip.")
