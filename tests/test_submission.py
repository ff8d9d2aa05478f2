"""A folder becomes sources, whatever stands in it."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onehead.source
from onehead.errors import OneheadError
from onehead.folder_names import safe_name, safe_names
from onehead.source import Source
from onehead.submission import find, read

STEM = "04_matrix_form"
STEMS = (STEM, "05_output_projection")


def code(source: Any, **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
        **more,
    }


def prose(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": [text]}


def notebook(*cells: Any) -> str:
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def source_of(tmp_path: Path, content: str | bytes, suffix: str = ".ipynb") -> Source:
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / f"{STEM}{suffix}").write_bytes(data)
    return only(tmp_path)


def only(folder: Path) -> Source:
    (learner,) = find(folder, STEMS)
    return read(learner, STEMS).sources[STEM]


def texts(source: Source) -> list[str]:
    return [cell.source for cell in source.cells]


def put(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


# --- folders -----------------------------------------------------------------------------


def test_a_class_is_one_submission_per_folder_sorted_by_name(tmp_path: Path) -> None:
    put(tmp_path / "zoe" / f"{STEM}.py", "a = 1")
    put(tmp_path / "amara" / f"{STEM}.ipynb", notebook(code("b = 2")))
    (tmp_path / "empty").mkdir()
    put(tmp_path / "readme.txt", "no learner")
    for ignored in (".git", ".ipynb_checkpoints", "__pycache__", "__MACOSX"):
        put(tmp_path / ignored / f"{STEM}.py", "a = 1")
    learners = find(tmp_path, STEMS)
    assert [learner.name for learner in learners] == ["amara", "empty", "zoe"]
    read_in = [read(learner, STEMS) for learner in learners]
    assert [each.sources[STEM].status for each in read_in] == ["ok", "missing", "ok"]
    assert all(each.sources[STEMS[1]] == Source("missing") for each in read_in)
    assert [tuple(each.sources) for each in read_in] == [STEMS] * 3


def test_a_folder_with_an_exercise_in_it_is_one_learners(tmp_path: Path) -> None:
    put(tmp_path / "amara" / f"{STEM}.py", "a = 1")
    put(tmp_path / "amara" / "old" / f"{STEMS[1]}.py", "b = 1")
    (learner,) = find(tmp_path / "amara", STEMS)
    sources = read(learner, STEMS).sources
    assert learner.name == "amara"
    assert texts(sources[STEM]) == ["a = 1"]
    assert sources[STEMS[1]].status == "missing"


def test_a_learner_whose_name_is_an_exercises_hides_nobody(tmp_path: Path) -> None:
    for name in ("ada", f"{STEMS[0]}.py"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{STEMS[0]}.py").write_text("x = 1")
    assert [learner.name for learner in find(tmp_path, STEMS)] == [f"{STEMS[0]}.py", "ada"]


def test_the_working_directory_is_named_after_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "amara" / f"{STEM}.py", "a = 1")
    monkeypatch.chdir(tmp_path / "amara")
    assert [learner.name for learner in find(Path("."), STEMS)] == ["amara"]


def test_nbgraders_submitted_folder_is_read_through_its_assignments(tmp_path: Path) -> None:
    put(tmp_path / "amara" / "self-attention" / f"{STEM}.ipynb", notebook(code("a = 1")))
    put(tmp_path / "amara" / "another" / "unrelated.ipynb", notebook(code("b = 1")))
    put(tmp_path / "amara" / ".ipynb_checkpoints" / f"{STEMS[1]}.ipynb", notebook(code("c = 1")))
    sources = read(find(tmp_path, STEMS)[0], STEMS).sources
    assert texts(sources[STEM]) == ["a = 1"]
    assert sources[STEMS[1]].status == "missing"


@pytest.mark.parametrize("kind", ["absent", "file", "empty", "only hidden"])
def test_a_folder_without_a_learner_is_refused_in_one_line(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "given\nname"
    if kind == "file":
        folder.write_text("x")
    elif kind != "absent":
        folder.mkdir()
        if kind == "only hidden":
            (folder / ".git").mkdir()
    with pytest.raises(OneheadError) as refusal:
        find(folder, STEMS)
    message = str(refusal.value)
    assert "given\\nname" in message
    assert "one folder per learner" in message
    assert "\n" not in message


# --- which file --------------------------------------------------------------------------


def test_the_notebook_wins(tmp_path: Path) -> None:
    put(tmp_path / f"{STEM}.py", "a = 'script'")
    source = source_of(tmp_path, notebook(code("a = 'notebook'")))
    assert texts(source) == ["a = 'notebook'"]
    assert source.notebook
    assert source.message == ""


def test_a_readable_script_stands_in_for_an_unreadable_notebook(tmp_path: Path) -> None:
    put(tmp_path / f"{STEM}.py", "a = 'script'")
    source = source_of(tmp_path, "{}")
    assert (source.status, source.notebook, texts(source)) == ("ok", False, ["a = 'script'"])
    assert source.message == f"{STEM}.ipynb has no Python in it; {STEM}.py is read instead"


def test_of_two_unreadable_files_the_notebook_is_reported(tmp_path: Path) -> None:
    put(tmp_path / f"{STEM}.py", "")
    source = source_of(tmp_path, "scribble")
    assert source.status == "unreadable"
    assert source.message.startswith(f"{STEM}.ipynb is no notebook")


def test_an_unreadable_file_is_reported_before_one_that_is_none(tmp_path: Path) -> None:
    (tmp_path / f"{STEM}.ipynb").mkdir()
    source = source_of(tmp_path, "", ".py")
    assert (source.status, source.message) == ("unreadable", f"{STEM}.py has no Python in it")


def test_the_digest_is_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    data = b"a = 1\r\n"
    assert source_of(tmp_path, data, ".py").digest == hashlib.sha256(data).hexdigest()
    assert read(find(tmp_path, STEMS)[0], STEMS).sources[STEMS[1]].digest == ""


# --- notebooks ---------------------------------------------------------------------------


def test_code_cells_are_numbered_as_jupyter_numbers_them(tmp_path: Path) -> None:
    cells = [prose("# Title"), code(["a = 1\n", "b = 2"]), code(" \n"), prose("x"), code("c = 3")]
    source = source_of(tmp_path, notebook(*cells))
    assert [(cell.name, cell.source) for cell in source.cells] == [
        ("cell 1", "a = 1\nb = 2"),
        ("cell 2", "c = 3"),
    ]


def test_a_notebook_of_format_3_is_read(tmp_path: Path) -> None:
    first = {"cell_type": "code", "input": ["a = 1\n", "b = 2"], "language": "python"}
    sheets = [{"cells": [first, prose("text")]}, 7, {"cells": [code("c = 3")]}]
    source = source_of(tmp_path, json.dumps({"nbformat": 3, "worksheets": sheets}))
    assert texts(source) == ["a = 1\nb = 2", "c = 3"]


@pytest.mark.parametrize(
    "odd",
    [None, 3, "text", [], {}, {"cell_type": "code"}, code(None), code(7), code({"a": 1}),
     {"cell_type": ["code"], "source": "x"}, {"source": "x = 1"}],
)  # fmt: skip
def test_a_cell_of_the_wrong_type_costs_itself_only(tmp_path: Path, odd: Any) -> None:
    source = source_of(tmp_path, notebook(code("a = 1"), odd, code("b = 2")))
    assert texts(source) == ["a = 1", "b = 2"]


def test_a_line_of_the_wrong_type_costs_itself_only(tmp_path: Path) -> None:
    assert texts(source_of(tmp_path, notebook(code(["a = 1\n", None, 5, "b = 2"])))) == [
        "a = 1\nb = 2"
    ]


def test_numbers_that_json_does_not_have_are_no_damage(tmp_path: Path) -> None:
    outputs = json.loads(f"[NaN, Infinity, {'9' * 5000}]", parse_int=str)
    text = notebook(code("a = 1", outputs=outputs)).replace(f'"{"9" * 5000}"', "9" * 5000)
    source = source_of(tmp_path, text)
    assert (texts(source), source.message) == (["a = 1"], "")


@pytest.mark.parametrize("content", ["{}", "[]", "null", '{"cells": 3}', '{"cells": {"a": 1}}'])
def test_json_without_code_cells_is_unreadable(tmp_path: Path, content: str) -> None:
    source = source_of(tmp_path, content)
    assert (source.status, source.cells) == ("unreadable", ())
    assert source.message


@pytest.mark.parametrize("cells", [[], [prose("x")], [code(""), code("\n\n")], [code("# only")]])
def test_a_notebook_without_python_is_unreadable(tmp_path: Path, cells: list[Any]) -> None:
    source = source_of(tmp_path, notebook(*cells))
    assert source.status == "unreadable"
    assert source.message == f"{STEM}.ipynb has no Python in it"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
def test_text_is_read_in_the_encoding_it_has(tmp_path: Path, suffix: str, encoding: str) -> None:
    text = "name = 'Zoë'"
    content = json.dumps({"cells": [code(text)]}, ensure_ascii=False) if suffix != ".py" else text
    source = source_of(tmp_path, content.encode(encoding), suffix)
    assert texts(source) == [text]
    assert ("Latin-1" in source.message) == (encoding == "latin-1")


def test_one_bad_byte_in_utf8_does_not_garble_the_rest(tmp_path: Path) -> None:
    source = source_of(tmp_path, "name = 'Zoë'\n# a comment: ".encode() + b"\xff\n", ".py")
    assert source.cells[0].source.startswith("name = 'Zoë'\n")
    assert "damaged UTF-8" in source.message


def test_what_can_not_be_encoded_is_replaced(tmp_path: Path) -> None:
    source = source_of(tmp_path, notebook(code("a = '\ud800'")))
    assert texts(source) == ["a = '\ufffd'"]


# --- damaged notebooks -------------------------------------------------------------------

CELLS = (
    code("a = 1\n"),
    prose("text"),
    code(["b = {'cell_type': 'code', 'source': 'no'}\n", "s = '{\"cell_type\": 1}'"]),
    code("c = 3", outputs=[{"output_type": "stream", "text": ["{", "3"]}]),
)
CODE = ["a = 1\n", "b = {'cell_type': 'code', 'source': 'no'}\ns = '{\"cell_type\": 1}'", "c = 3"]


def damaged(source: Source, count: int) -> bool:
    s = "" if count == 1 else "s"
    return source.message == f"{STEM}.ipynb is damaged; {count} code cell{s} could be read"


def test_a_truncated_notebook_keeps_every_cell_that_is_complete(tmp_path: Path) -> None:
    text = notebook(*CELLS)
    ends = [text.index(json.dumps(part)[:-1]) + len(json.dumps(part)) for part in CODE[::2]]
    for length in range(ends[0], len(text) - 1, 7):
        source = source_of(tmp_path, text[:length])
        kept = texts(source)
        assert kept == CODE[: len(kept)]
        assert len(kept) >= 1 + (length > text.index('"c = 3"')) + (length >= ends[1])
        assert damaged(source, len(kept))


@pytest.mark.parametrize("tail", ["}", "\0\0\0", "garbage", "{", ', {"cell_type": "code"}]}'])
def test_garbage_behind_a_notebook_costs_nothing(tmp_path: Path, tail: str) -> None:
    source = source_of(tmp_path, notebook(*CELLS) + tail)
    assert texts(source) == CODE
    assert damaged(source, 3)


def test_cells_behind_the_end_of_the_document_are_kept(tmp_path: Path) -> None:
    stray = ", " + json.dumps(code("d = 4")) + "]}"
    assert texts(source_of(tmp_path, notebook(*CELLS) + stray)) == [*CODE, "d = 4"]


def test_metadata_in_front_of_the_cells_does_not_hide_them(tmp_path: Path) -> None:
    text = json.dumps({"metadata": {"id": {}}, "cells": CELLS})
    assert texts(source_of(tmp_path, text + "}")) == CODE
    assert texts(source_of(tmp_path, text[:-1])) == CODE


def test_a_cell_may_have_its_keys_in_any_order(tmp_path: Path) -> None:
    cells = [{"source": "a = 1", "cell_type": "code"}, {"metadata": {}, **code("b = 2")}]
    text = json.dumps({"metadata": {}, "cells": cells})
    assert texts(source_of(tmp_path, text + "}")) == ["a = 1", "b = 2"]


def test_control_characters_in_strings_are_read_and_reported(tmp_path: Path) -> None:
    source = source_of(tmp_path, notebook(*CELLS).replace("a = 1\\n", "a = 1\n\x01"))
    assert texts(source) == ["a = 1\n\x01", *CODE[1:]]
    assert damaged(source, 3)


def test_a_broken_cell_costs_only_itself(tmp_path: Path) -> None:
    source = source_of(tmp_path, notebook(*CELLS).replace('"a = 1\\n"', '"a = 1\\n'))
    assert texts(source) == CODE[1:]


def test_a_cell_whose_outputs_are_damaged_keeps_its_source(tmp_path: Path) -> None:
    source = source_of(tmp_path, notebook(*CELLS).replace('"stream"', '"str'))
    assert texts(source) == CODE
    assert damaged(source, 3)


def test_the_prose_of_a_broken_text_cell_is_not_run(tmp_path: Path) -> None:
    text = notebook(code("a = 1"), {**prose("text"), "id": 5}, code("b = 2"))
    assert texts(source_of(tmp_path, text.replace('"id": 5', '"id": ?'))) == ["a = 1", "b = 2"]


@pytest.mark.parametrize("base", ["", "||||||| base\n   execution_count: 0\n"])
def test_a_merge_conflict_keeps_one_side_of_the_notebook(tmp_path: Path, base: str) -> None:
    ours, theirs = notebook(code("a = 1"), code("b = 2")), notebook(code("a = 9"), code("b = 2"))
    mine, other = '   "source": "a = 1"\n', '   "source": "a = 9"\n'
    conflict = f"<<<<<<< HEAD\n{mine}{base}=======\n{other}>>>>>>> branch\n"
    text = ours.replace(mine, conflict, 1)
    assert theirs.replace(other, conflict, 1) == text
    source = source_of(tmp_path, text)
    assert texts(source) == ["a = 1", "b = 2"]
    assert damaged(source, 2)


def test_a_merge_conflict_that_lost_its_end_costs_no_other_cell(tmp_path: Path) -> None:
    text = notebook(*CELLS).replace('  "outputs": [],', '<<<<<<< HEAD\n  "outputs": [],', 1)
    assert texts(source_of(tmp_path, text)) == CODE


@pytest.mark.parametrize(
    "content", [b"", b"scribble", b"\x00" * 99, b"PK\x03\x04" + bytes(range(256))]
)
def test_a_file_that_is_no_notebook_is_unreadable(tmp_path: Path, content: bytes) -> None:
    source = source_of(tmp_path, content)
    assert source.status == "unreadable"
    assert source.message.startswith(f"{STEM}.ipynb is no notebook")


@settings(max_examples=200, deadline=None)
@given(st.integers(2, len(notebook(*CELLS)) - 1), st.binary(min_size=1, max_size=3))
def test_any_damage_in_one_place_costs_one_cell_at_most(
    tmp_path_factory: pytest.TempPathFactory, at: int, noise: bytes
) -> None:
    folder = tmp_path_factory.mktemp("noise")
    data = notebook(*CELLS).encode()
    source = source_of(folder, data[:at] + noise + data[at + len(noise) :])
    assert source.status == "ok"
    assert len(set(CODE) & set(texts(source))) >= 2


# --- scripts -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "marker", ["# %%", "#%%", "# %% a title", "# In[3]:", "# In[ ]:", "# %%%%"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_percent_format_is_split_at_its_markers(tmp_path: Path, marker: str, newline: str) -> None:
    lines = ["# a header", "", marker, "a = 1", "", marker, "b = 2"]
    source = source_of(tmp_path, newline.join(lines), ".py")
    assert not source.notebook
    assert [(cell.name, cell.source.strip()) for cell in source.cells] == [
        ("cell 1", "a = 1"),
        ("cell 2", "b = 2"),
    ]


@pytest.mark.parametrize(
    "line", ["# %%time", "x = '# %%'", "    # %%", "# 5 %% 3", "# In[3] is it"]
)
def test_a_line_that_only_resembles_a_marker_splits_nothing(tmp_path: Path, line: str) -> None:
    text = f"if True:\n    a = 1\n{line}\n"
    assert texts(source_of(tmp_path, text, ".py")) == [text]


@pytest.mark.parametrize("kind", ["[markdown]", "[md]", "[raw]", 'Title [markdown] {"id": 1}'])
@pytest.mark.parametrize("body", ["# prose", '"""\nprose\n"""', "'''prose'''", ""])
def test_text_cells_are_skipped(tmp_path: Path, kind: str, body: str) -> None:
    text = f"import numpy\n\n# %% {kind}\n{body}\n# %%\na = 1\n"
    assert texts(source_of(tmp_path, text, ".py")) == ["import numpy\n\n", "a = 1\n"]


def test_code_under_a_text_cells_marker_is_still_code(tmp_path: Path) -> None:
    text = "# %% [markdown]\n# prose\ndef f():\n    return 1\n"
    assert "def f()" in texts(source_of(tmp_path, text, ".py"))[0]


@pytest.mark.parametrize("content", ["", "\n \n", "# a comment\n  # another", "# %%\n# %%\n"])
def test_a_script_without_code_is_unreadable(tmp_path: Path, content: str) -> None:
    source = source_of(tmp_path, content, ".py")
    assert source.status == "unreadable"
    assert source.message == f"{STEM}.py has no Python in it"


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 4, b"\xa7\r\r\n\0\0\0\0abc", "a = 1\n".encode("utf-16-le")]
)
def test_a_binary_script_is_unreadable(tmp_path: Path, content: bytes) -> None:
    source = source_of(tmp_path, content, ".py")
    assert source.status == "unreadable"
    assert source.message == f"{STEM}.py is binary, no Python source"


def test_broken_code_is_a_source_like_any_other(tmp_path: Path) -> None:
    assert texts(source_of(tmp_path, "def f(:\n", ".py")) == ["def f(:\n"]


# --- a hostile folder --------------------------------------------------------------------


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    put(folder / f"{STEM}.py", "secret = 1")
    put(folder / f"{STEM}.ipynb", notebook(code("secret = 1")))
    return folder


def test_a_link_to_a_file_is_not_followed(tmp_path: Path, secret: Path) -> None:
    folder = tmp_path / "class" / "amara"
    folder.mkdir(parents=True)
    (folder / f"{STEM}.ipynb").symlink_to(secret / f"{STEM}.ipynb")
    source = only(folder.parent)
    assert (source.status, source.cells, source.digest) == ("missing", (), "")
    assert source.message == (
        f"{STEM}.ipynb is a link, which is not followed; hand in the file itself"
    )
    put(folder / f"{STEM}.py", "own = 1")
    source = only(folder.parent)
    assert texts(source) == ["own = 1"]
    assert source.message.endswith(f"{STEM}.py is read instead")


@pytest.mark.parametrize("depth", ["learner", "assignment"])
@pytest.mark.parametrize("target", ["folder", "nothing"])
@pytest.mark.parametrize("dir_fd", [True, False])
def test_a_link_to_a_folder_is_a_submission_without_files(
    tmp_path: Path,
    secret: Path,
    monkeypatch: pytest.MonkeyPatch,
    depth: str,
    target: str,
    dir_fd: bool,
) -> None:
    if not dir_fd:
        monkeypatch.setattr(os, "supports_dir_fd", set())
    link = tmp_path / "class" / "amara"
    link = link / "self-attention" if depth == "assignment" else link
    link.parent.mkdir(parents=True)
    link.symlink_to(secret if target == "folder" else tmp_path / "gone")
    (learner,) = find(tmp_path / "class", STEMS)
    sources = read(learner, STEMS).sources
    assert learner.name == "amara"
    assert {source.status for source in sources.values()} == {"missing"}
    assert all("is a link" in source.message for source in sources.values())


def test_a_folder_swapped_for_a_link_after_it_was_found_is_not_followed(
    tmp_path: Path, secret: Path
) -> None:
    folder = tmp_path / "class" / "amara"
    put(folder / f"{STEM}.py", "own = 1")
    (learner,) = find(tmp_path / "class", STEMS)
    folder.rename(tmp_path / "moved")
    folder.symlink_to(secret)
    assert read(learner, STEMS).sources[STEM].cells == ()


def test_a_file_swapped_for_a_link_while_it_is_opened_is_not_followed(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "class" / "amara"
    put(folder / f"{STEM}.py", "own = 1")
    (learner,) = find(tmp_path / "class", STEMS)

    def swap(status: os.stat_result, name: str, is_last: bool) -> None:
        if is_last and not (folder / name).is_symlink():
            (folder / name).unlink()
            (folder / name).symlink_to(secret / name)

    monkeypatch.setattr(onehead.source, "_check_kind", swap)
    source = read(learner, STEMS).sources[STEM]
    assert (source.status, source.cells) == ("unreadable", ())


def test_a_file_swapped_for_a_pipe_while_it_is_opened_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / f"{STEM}.py", "own = 1")
    check = onehead.source._check_kind

    def swap(status: os.stat_result, name: str, is_last: bool) -> None:
        check(status, name, is_last)
        if is_last:
            (tmp_path / name).unlink()
            os.mkfifo(tmp_path / name)

    monkeypatch.setattr(onehead.source, "_check_kind", swap)
    source = only(tmp_path)
    assert source.status == "missing"
    assert source.message.startswith(f"{STEM}.py is no regular file")


def test_the_instructors_own_folder_may_be_a_link(tmp_path: Path) -> None:
    put(tmp_path / "real" / "amara" / f"{STEM}.py", "a = 1")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert only(tmp_path / "link").status == "ok"


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder"])
def test_what_is_no_regular_file_is_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path has to be short
    odd = f"{STEM}.ipynb"
    if kind == "fifo":
        os.mkfifo(odd)
    elif kind == "folder":
        os.mkdir(odd)
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(odd)
    opened = []
    real = os.open

    def spy(path: str, flags: int, *, dir_fd: int | None = None) -> int:
        opened.append(path)
        return real(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", spy)
    monkeypatch.setattr(os, "supports_dir_fd", {spy})
    source = only(tmp_path)
    assert source.status == "missing"
    assert source.message == f"{odd} is no regular file; hand in a file of that name"
    assert odd not in opened
    assert opened


def test_a_file_over_the_cap_is_unreadable_and_not_read_in_full(tmp_path: Path) -> None:
    with open(tmp_path / f"{STEM}.ipynb", "wb") as file:
        file.truncate(8 * 2**40)  # all holes; more than any memory
    source = only(tmp_path)
    assert source.status == "unreadable"
    assert source.message == f"{STEM}.ipynb is larger than 16 MiB; clear its outputs, save it again"


def test_the_size_that_a_file_claims_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onehead.source, "MAX_BYTES", 2**20)
    data = b"a = 1\n" + b"#" * 2**20
    assert "larger than 1 MiB" in source_of(tmp_path, data, ".py").message
    assert source_of(tmp_path, data[: 2**20], ".py").status == "ok"


def test_a_file_that_may_not_be_read_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> bytes:
        raise PermissionError(13, "Permission denied")

    put(tmp_path / f"{STEM}.py", "a = 1")
    monkeypatch.setattr(onehead.source, "_open", refuse)
    source = only(tmp_path)
    assert source.status == "unreadable"
    assert source.message == f"{STEM}.ipynb can't be read: Permission denied"


BOMBS = {
    "deep list": "[" * 400_000,
    "deep cells": '{"cell_type": ' * 400_000,
    "wide": '{"cells": [' + "{}," * 600_000 + "{}]}",
    "never closed": '{"cell_type":"code","source":["' * 50_000,
    "nested, then flat": '{"id":[' * 900 + '{"id":1},' * 400_000,
    "many sources": '{"cell_type":"code",' + '"source":["x",' * 400_000,
    "blank": '{"cell_type"' + " " * 10**7,
    "conflicts": "<<<<<<< HEAD\n" * 10**6 + "\n" * 10**6,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_json_bomb_is_unreadable(tmp_path: Path, bomb: str) -> None:
    source = source_of(tmp_path, BOMBS[bomb])
    assert source.status == "unreadable"
    assert "\n" not in source.message


def test_lists_and_objects_are_capped(tmp_path: Path) -> None:
    source = source_of(tmp_path, notebook(code("a = 1", outputs=[[]] * 500_000)))
    assert source.status == "unreadable"
    assert (
        source.message == f"{STEM}.ipynb is too large a structure; clear its outputs, save it again"
    )


def test_deep_nesting_costs_only_the_cell_that_it_stands_in(tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    text = notebook(code("a = 1"), code("b = 2", metadata="HERE"), code("c = 3"))
    source = source_of(tmp_path, text.replace('"HERE"', deep))
    assert texts(source) == ["a = 1", "b = 2", "c = 3"]


@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
def test_cells_and_code_are_capped(tmp_path: Path, suffix: str) -> None:
    def content(sources: list[str]) -> str:
        if suffix == ".py":
            return "".join(f"# %%\n{source}\n" for source in sources)
        return notebook(*map(code, sources))

    assert len(source_of(tmp_path, content(["a = 1"] * 5000), suffix).cells) == 5000
    for sources in (["a = 1"] * 5001, ["a = 1"] * 20_000):
        assert "cells" in source_of(tmp_path, content(sources), suffix).message
        assert only(tmp_path).status == "unreadable"
    source = source_of(tmp_path, content(["a = '" + "é" * 2**21 + "'"]), suffix)
    assert source.status == "unreadable"
    assert source.message == f"{STEM}{suffix} has more than 4 MiB of code"


# --- names -------------------------------------------------------------------------------


def test_names_that_are_not_utf8_are_printable_and_unique(tmp_path: Path) -> None:
    raw = [b"caf\xe9", b"caf\xe8", rb"caf\udce9", rb"caf\\udce9", b"caf\\", "café".encode()]
    for number, name in enumerate(raw):
        folder = os.path.join(os.fsencode(tmp_path), name)
        os.mkdir(folder)
        Path(os.fsdecode(folder), f"{STEM}.py").write_text(f"a = {number}")
    learners = find(tmp_path, STEMS)
    names = {read(each, STEMS).sources[STEM].cells[0].source: each.name for each in learners}
    assert [names[f"a = {number}"] for number in range(len(raw))] == [
        r"caf\udce9",
        r"caf\udce8",
        r"caf\\udce9",
        r"caf\\\\udce9",
        "caf\\",
        "café",
    ]
    assert all(name.encode() for name in names.values())


NASTY = [
    "two\nlines",
    "a..",
    "=cmd|calc!A0",
    "\x1b[31m",
    "<b>",
    "-rf",
    "con",
    "a ",
    "~",
    "名前",
]


@pytest.mark.parametrize("name", NASTY)
def test_odd_names_are_kept_as_they_are(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert [learner.name for learner in find(tmp_path, STEMS)] == [name]


def test_a_safe_name_is_plain_and_unlike_every_other() -> None:
    names = [
        *NASTY,
        "",
        "..",
        ".",
        "/etc/passwd",
        "Amara",
        "amara",
        "AMARA",
        "Zo\u00eb",
        "Zoe\u0308",
    ]
    names += ["x" * 255, "x" * 254]
    safe = [safe_name(name) for name in names]
    assert len({name.casefold() for name in safe}) == len(names)
    assert all(name.isascii() and len(name) <= 57 for name in safe)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-~") for name in safe)
    assert all(name[0].isalnum() for name in safe)


def test_a_class_keeps_its_names_where_they_are_safe() -> None:
    usual = ["amara", "Ben O.Neil", "s1234567", "Zoë", "名前", "a@b.org", "x_y-z"]
    assert safe_names(usual) == {name: name for name in usual}
    assert safe_names(NASTY[:-1]) == {name: safe_name(name) for name in NASTY[:-1]}
    alike = ["amara", "Amara", "Straße", "strasse", "Zo\u00eb", "Zoe\u0308", "ben"]
    assert safe_names(alike) == {name: safe_name(name) for name in alike[:-1]} | {"ben": "ben"}


def test_a_name_can_not_take_the_folder_of_another() -> None:
    theirs = safe_name("Amara")
    folders = safe_names(["Amara", "amara", theirs])
    assert len(set(folders.values())) == 3
