"""What a learner waits for: ``python benchmarks/learner.py RELEASE``, on what `release build` made.

Prints the size of each bundle, and how long a check takes in a notebook with every answer right:
processor time of the first one, which loads the engine, and of all others.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np


def main(release: Path) -> None:
    for name in ("onehead-learner.zip", "site"):
        path = release / name
        files = [f for f in (path.rglob("*") if path.is_dir() else [path]) if f.is_file()]
        size = sum(file.stat().st_size for file in files)
        print(f"{name}: {size / 1e6:.2f} MB in {len(files)} files")
    with tempfile.TemporaryDirectory() as folder:
        (wheel,) = (release / "learner").glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        for entry in Path(np.__file__).parents[1].glob("numpy*"):
            (Path(folder) / entry.name).symlink_to(entry)
        notebooks = (release / "solved" / "notebooks").resolve()
        command = [sys.executable, "-S", Path(__file__).resolve(), "--checks", notebooks]
        environment = {"PYTHONPATH": folder, "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run(command, env=environment, cwd=folder, check=True)


def checks(notebooks: Path) -> None:
    """In an interpreter that has the learner's package and numpy alone."""
    first, *others = [seconds for path in sorted(notebooks.iterdir()) for seconds in run(path)]
    print(f"first check: {first:.2f} s")
    print(
        f"{len(others)} more: median {1000 * median(others):.1f} ms, nine in ten within "
        f"{1000 * quantiles(others, n=10)[-1]:.0f} ms, slowest {1000 * max(others):.0f} ms"
    )


def run(path: Path) -> list[float]:
    """Run a notebook's cells; the seconds of each check."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    taken = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            start = time.process_time()
            with contextlib.redirect_stdout(io.StringIO()):
                exec(source, namespace)
            if source.startswith("check("):
                taken.append(time.process_time() - start)
    return taken


if __name__ == "__main__":
    if sys.argv[1] == "--checks":
        checks(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
