"""The demo: release, hand out, answer, grade, feedback, in one go."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from onehead.errors import OneheadError
from onehead_release import bundle
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


@pytest.mark.parametrize("name", ["thesis.txt", "submitted/ada/04_matrix_form.ipynb"])
def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(OneheadError, match="holds no earlier demo"):
        run(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / name]


def test_a_demo_that_was_stopped_can_be_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(release: Path, **_: object) -> None:
        (release / "learner").mkdir(parents=True, exist_ok=True)
        raise OneheadError("stopped")

    monkeypatch.setattr(bundle, "build", stopped)
    for _ in range(2):
        with pytest.raises(OneheadError, match="stopped"):
            run(tmp_path / "demo")
