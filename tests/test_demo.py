"""The demo: release, hand out, answer, grade, feedback, in one go."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from onehead.errors import OneheadError
from onehead_release.demo import CLASS, run


def test_the_whole_loop(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    said = run(out)
    with open(out / "results" / "grades.csv") as stream:
        marks = {row["submission"]: float(row["total"]) for row in csv.DictReader(stream)}
    assert (marks["ada"], marks["ben"], marks["chloe"], marks["dana"]) == (114, 114, 0, 40)
    assert list(marks) == list(CLASS)
    assert all(80 < marks[name] < 114 for name in list(CLASS)[4:])
    for name in ("scale-missing", "mask-after-softmax", "cost-linear", "crashed", "timed-out"):
        assert name in said
    for learner in CLASS:
        assert (out / "results" / "feedback" / learner / "index.html").is_file()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OneheadError, match="holds no earlier demo"):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
