"""A template repository for learners on GitHub: the notebooks, the wheel, and a workflow.

The workflow runs the public checks alone. Hidden ones are nowhere in it: they run where the
instructor grades clones of the learners' repositories.
"""

from __future__ import annotations

from collections.abc import Mapping

from onehead_release.chapter import chapter
from onehead_release.wheel import wheel_name

WORKFLOW_NAME = ".github/workflows/check.yml"

WORKFLOW = """\
name: Check

on: [push, pull_request, workflow_dispatch]

permissions:
  contents: read

jobs:
  public-checks:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install the checks
        run: python -m pip install "./{wheel}[cli]"
      - name: Run the public checks
        run: onehead check . --github
"""

README = """\
# {title}

Notebooks to work through in order. Each push runs their public checks: the Actions tab shows what
is right, and the first thing to look at in each exercise. Grading asks more of the same code.

On your own computer, with Python 3.11 or newer:

    python3 -m venv .venv
    . .venv/bin/activate
    pip install "./{wheel}[cli]" jupyterlab
    jupyter lab

Keep the notebooks' names, and leave `.github/` and the wheel as they are.
"""

IGNORE = """\
.venv/
.ipynb_checkpoints/
__pycache__/
kept/
"""


def template(notebooks: Mapping[str, bytes], wheel: bytes) -> dict[str, bytes]:
    """The repository's files by their names in it."""
    return {
        **notebooks,
        wheel_name(): wheel,
        "README.md": README.format(title=chapter().title, wheel=wheel_name()).encode(),
        ".gitignore": IGNORE.encode(),
        WORKFLOW_NAME: WORKFLOW.format(wheel=wheel_name()).encode(),
    }
