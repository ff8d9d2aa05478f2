"""The bundle for Gradescope: an ``autograder.zip`` with the grader and the course in it.

It holds references and hidden cases, so it is made apart from what is handed out. Gradescope keeps
it on its own machines and starts ``setup.sh`` once, ``run_autograder`` for each submission.
"""

from __future__ import annotations

import importlib
import zipfile
from importlib import metadata
from pathlib import Path

from onehead import course
from onehead.errors import OneheadError
from onehead.reports import gradescope
from onehead_release.chapter import ENGINE, chapter
from onehead_release.wheel import engine_files, zipped

SETUP = """\
#!/usr/bin/env bash
# Gradescope starts this once, when the image is built.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
root="${AUTOGRADER_ROOT:-/autograder}"

apt-get update -qq
apt-get install -y -qq --no-install-recommends python3 python3-venv bubblewrap

find_python() {
  for python in python3.14 python3.13 python3.12 python3.11 python3; do
    if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  return 1
}

find_python >/dev/null || apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv
"$(find_python)" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet -r "$root/source/requirements.txt"
chmod -R go-rwx "$root/source"
"""

RUN = """\
#!/usr/bin/env bash
# Gradescope starts this for each submission.
set -u

# How learners' code is kept from this machine: auto takes the strongest that a probe proves here,
# and where there is none nothing is graded. With "process" it could read the references.
isolation="${ONEHEAD_ISOLATION:-auto}"
# When learners see what the hidden checks found: after_published, after_due_date, visible, hidden.
visibility="${ONEHEAD_VISIBILITY:-after_published}"

root="${AUTOGRADER_ROOT:-/autograder}"
mkdir -p "$root/results"
# It has no score, and stands unless a better one comes: whatever ends the grader, nobody has a 0.
cp "$root/source/not_graded.json" "$root/results/results.json"
cd "$root" || exit 1
PYTHONPATH="$root/source/lib" "$root/venv/bin/python" -m onehead.autograder \\
  "$root/submission" "$root/results/results.json" \\
  --isolation "$isolation" --visibility "$visibility"
"""


def write(out: Path) -> None:
    """Write the archive to a file; one that is there already is replaced if it is such an archive.

    Raises:
        OneheadError: something else is there.
    """
    if out.exists() and not _is_autograder(out):
        raise OneheadError(f"{str(out)!r} is there and is no autograder: give another --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.with_name(f".{out.name}.new")
    beside.write_bytes(autograder())
    beside.replace(out)


def _is_autograder(path: Path) -> bool:
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return {"setup.sh", "run_autograder"} <= {*archive.namelist()}


def autograder() -> bytes:
    """The archive, the same bytes each time."""
    files = {f"lib/{name}": data for name, data in (engine_files() | _course()).items()}
    files |= {
        "setup.sh": SETUP.encode(),
        "run_autograder": RUN.encode(),
        "not_graded.json": gradescope.failure_json().encode(),
        "requirements.txt": f"numpy=={metadata.version('numpy')}\n".encode(),
    }
    return zipped(files, executable=("setup.sh", "run_autograder"))


def _course() -> dict[str, bytes]:
    """The references, without the bank, and what makes them an installed course."""
    own = chapter()
    found: dict[str, bytes] = {}
    for package in course.packages():  # another's helpers may be used
        (folder,) = map(Path, importlib.import_module(package).__path__)
        paths = (path for path in sorted(folder.rglob("*.py")) if "bank" not in path.parts)
        found |= {
            f"{package}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths
        }
    for name in dict.fromkeys((ENGINE, own.distribution)):
        number = metadata.version(name)
        info = f"{name.replace('-', '_')}-{number}.dist-info"
        told = f"Metadata-Version: 2.4\nName: {name}\nVersion: {number}\n"
        found[f"{info}/METADATA"] = told.encode()
        if name == own.distribution:
            entry = f"[{course.GROUP}]\n{own.name} = {own.entry}\n"
            found[f"{info}/entry_points.txt"] = entry.encode()
    return found
