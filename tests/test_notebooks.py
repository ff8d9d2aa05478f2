"""Notebooks in a learner's folder: written, updated and restored, and nothing of theirs lost."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from onehead import notebooks
from onehead.errors import OneheadError
from onehead_release.notebook import to_bytes
from onehead_release.solved import untouched_notebook

STEM = "04_matrix_form"
OTHER = "05_output_projection"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's package with two notebooks."""
    folder = tmp_path / "package"
    folder.mkdir()
    for stem in (STEM, OTHER):
        (folder / f"{stem}.ipynb").write_bytes(to_bytes(untouched_notebook(stem)))
    monkeypatch.setattr(notebooks, "PACKAGED", folder)
    return folder


@pytest.fixture
def mine(package: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    list(notebooks.init(folder))
    return folder


def read(folder: Path, stem: str = STEM) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / f"{stem}.ipynb").read_text(encoding="utf-8"))
    return document


def write(folder: Path, document: dict[str, Any], stem: str = STEM) -> None:
    (folder / f"{stem}.ipynb").write_text(json.dumps(document), encoding="utf-8")


def change(folder: Path, cell: str, source: str) -> None:
    document = read(folder)
    next(c for c in document["cells"] if c["id"] == cell)["source"] = source
    write(folder, document)


def sources(folder: Path) -> dict[str, str]:
    return {cell["id"]: notebooks.source(cell) for cell in read(folder)["cells"]}


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


# --- init --------------------------------------------------------------------------------


def test_init_writes_every_notebook_and_never_overwrites(package: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    folder.mkdir(parents=True)
    (folder / f"{STEM}.ipynb").write_text("mine")
    said = list(notebooks.init(folder))
    assert "is there already and stays as it is" in said[0]
    assert (folder / f"{STEM}.ipynb").read_text() == "mine"
    assert (folder / f"{OTHER}.ipynb").read_bytes() == (package / f"{OTHER}.ipynb").read_bytes()
    assert list(notebooks.init(folder))[1].endswith("stays as it is")


def test_without_notebooks_it_is_said_where_they_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebooks, "PACKAGED", tmp_path)
    with pytest.raises(OneheadError, match="this package holds no notebooks"):
        list(notebooks.init(tmp_path / "new"))


def test_a_folder_that_can_not_be_written_to_is_one_line(package: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OneheadError, match="can't write"):
        list(notebooks.init(tmp_path / "file"))


# --- update ------------------------------------------------------------------------------


def test_an_update_brings_prose_and_checks_and_leaves_answers(package: Path, mine: Path) -> None:
    change(mine, "causal_mask-stub", "def causal_mask(T): return my_own")
    change(package, "why", "# A better lesson")
    change(package, "causal_mask-check", "check('causal_mask')  # better")
    change(package, "stable_softmax-stub", "def stable_softmax(scores, axis=-1): ...  # better")
    before = (mine / f"{STEM}.ipynb").read_bytes()
    said = list(notebooks.update(mine))
    found = sources(mine)
    assert found["causal_mask-stub"] == "def causal_mask(T): return my_own"
    assert found["why"] == "# A better lesson"
    assert found["causal_mask-check"].endswith("better")
    assert found["stable_softmax-stub"].endswith("better")  # not started, so nothing to lose
    assert "(why, causal_mask-check, stable_softmax-stub)" in said[0]
    assert (mine / "kept" / f"{STEM}-1.ipynb").read_bytes() == before
    assert said[1] == f"{mine / OTHER}.ipynb is up to date"
    nbformat.validate(nbformat.read(mine / f"{STEM}.ipynb", as_version=4))


def test_where_both_have_changed_a_cell_the_learners_stays_and_it_is_said(
    package: Path, mine: Path
) -> None:
    change(mine, "causal_mask-stub", "my own")
    change(package, "causal_mask-stub", "another stub")
    said = list(notebooks.update(mine))
    assert sources(mine)["causal_mask-stub"] == "my own"
    assert "  causal_mask-stub is new in the release, and yours stays" in said


def test_cells_of_the_learners_own_stay_where_they_were(package: Path, mine: Path) -> None:
    document = read(mine)
    place = next(k for k, c in enumerate(document["cells"]) if c["id"] == "causal_mask-stub")
    own = {**document["cells"][place], "id": "scratch", "metadata": {}, "source": "T = 3"}
    document["cells"].insert(place + 1, own)
    write(mine, document)
    change(package, "why", "# A better lesson")
    list(notebooks.update(mine))
    ids = [cell["id"] for cell in read(mine)["cells"]]
    assert ids.index("scratch") == ids.index("causal_mask-stub") + 1


def test_a_cell_that_the_learner_has_taken_out_stays_out(package: Path, mine: Path) -> None:
    document = read(mine)
    document["cells"] = [cell for cell in document["cells"] if cell["id"] != "symbols"]
    write(mine, document)
    change(package, "why", "# A better lesson")
    list(notebooks.update(mine))
    assert "symbols" not in sources(mine)


def test_outputs_of_cells_that_stay_are_kept(package: Path, mine: Path) -> None:
    document = read(mine)
    shown = [{"output_type": "stream", "name": "stdout", "text": "seen"}]
    next(c for c in document["cells"] if c["id"] == "causal_mask-stub")["outputs"] = shown
    write(mine, document)
    change(package, "why", "# A better lesson")
    list(notebooks.update(mine))
    cell = next(c for c in read(mine)["cells"] if c["id"] == "causal_mask-stub")
    assert cell["outputs"] == shown


def test_a_second_update_changes_nothing(package: Path, mine: Path) -> None:
    change(package, "why", "# A better lesson")
    list(notebooks.update(mine))
    before = files(mine)
    assert all(line.endswith("is up to date") for line in notebooks.update(mine))
    assert files(mine) == before


@pytest.mark.parametrize("ids_lost", [False, True])
def test_a_copy_of_unknown_origin_keeps_its_code(package: Path, mine: Path, ids_lost: bool) -> None:
    """From a zip, perhaps by way of an editor that gives out ids of its own."""
    (mine / notebooks.GIVEN).unlink()
    change(mine, "causal_mask-stub", "def causal_mask(T): return my_own")
    document = read(mine)
    if ids_lost:
        for number, cell in enumerate(document["cells"]):
            cell["id"] = f"other-{number}"
            if cell["source"] == "def causal_mask(T): return my_own":
                cell["metadata"] = {"nbgrader": {"grade_id": "causal_mask-stub"}}
        write(mine, document)
    change(package, "next", "## Better")
    list(notebooks.update(mine))
    found = list(sources(mine).values())
    assert found.count("def causal_mask(T): return my_own") == 1
    assert found.count("## Better") == 1
    assert len(found) == len(document["cells"]) + ids_lost  # a changed text can't be told then


@pytest.mark.parametrize("damaged", ["{", "[]", '{"cells": 1}', '{"cells": [{}]}'])
def test_what_is_no_notebook_stays_as_it_is(package: Path, mine: Path, damaged: str) -> None:
    (mine / f"{STEM}.ipynb").write_text(damaged)
    said = list(notebooks.update(mine))
    assert "stays" in said[0]
    assert (mine / f"{STEM}.ipynb").read_text() == damaged


def test_a_missing_notebook_is_written_and_a_folder_without_any_is_refused(
    package: Path, mine: Path, tmp_path: Path
) -> None:
    (mine / f"{STEM}.ipynb").unlink()
    said = list(notebooks.update(mine))
    assert said[0] == f"{mine / STEM}.ipynb written"
    with pytest.raises(OneheadError, match="onehead init"):
        list(notebooks.update(tmp_path))


# --- reset -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [STEM, f"{STEM}.ipynb", f"mine/{STEM}.ipynb"])
def test_reset_restores_one_and_keeps_the_old_copies(package: Path, mine: Path, name: str) -> None:
    for k in (1, 2):
        change(mine, "causal_mask-stub", f"try {k}")
        said = list(notebooks.reset(name, mine))
        assert said[0] == f"the old copy is {mine / 'kept' / STEM}-{k}.ipynb"
    assert read(mine) == read(package)
    for k in (1, 2):
        kept = json.loads((mine / "kept" / f"{STEM}-{k}.ipynb").read_text())
        assert f"try {k}" in [cell["source"] for cell in kept["cells"]]


def test_reset_of_an_unknown_name_says_which_there_are(package: Path, mine: Path) -> None:
    with pytest.raises(OneheadError, match=f"there are {STEM}, {OTHER}"):
        list(notebooks.reset("lesson-99", mine))


def test_nothing_is_changed_where_the_old_copy_can_not_be_kept(package: Path, mine: Path) -> None:
    change(mine, "causal_mask-stub", "my own")
    (mine / "kept").write_text("a file in the way")
    before = copy.deepcopy(read(mine))
    with pytest.raises(OneheadError, match="nothing was changed"):
        list(notebooks.reset(STEM, mine))
    assert read(mine) == before
