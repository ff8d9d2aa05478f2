"""Sources to notebooks and back, and the hand-written lessons 1 to 8 as notebooks."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest

from onehead.errors import OneheadError
from onehead_release.notebook import cell_ids, read_source, replace, to_bytes, to_script
from onehead_solutions.claims import ATTENTION_CLAIMS, PROJECTION_CLAIMS
from onehead_solutions.costs import observed_and_causal
from onehead_solutions.fixtures import FOUR_TOKENS, FOUR_TOKENS_W_O

EXERCISES = Path(__file__).resolve().parents[1] / "exercises"

# The contract's parts, in its order.
PARTS = {
    "01_one_reading": ["attention_reading", "layer_shapes", "BOUNDARY"],
    "02_sources": ["project_sources", "visibility", "attention_kind"],
    "03_projections": ["attend", "ablate", "changed_stages", "ABLATIONS", "CLAIMS"],
    "04_matrix_form": ["causal_mask", "stable_softmax", "self_attention", "TRACE"],
    "05_output_projection": [
        "output_projection",
        "parameter_count",
        "fold_output_projection",
        "OUTPUT_ABLATIONS",
    ],
    "06_batch_axis": [
        "padding_visible",
        "broadcast_visible",
        "batched_self_attention",
        "items_interact",
    ],
    "07_costs": [
        "attention_cost",
        "path_length",
        "sequential_passes",
        "observed_and_causal",
        "misleading_example",
        "CLAIMS",
    ],
    "08_audit": ["SelfAttention", "audit"],
}

SIGNATURES = {
    "attention_reading": "query, keys, values, visible=None",
    "layer_shapes": "batch, tokens, d_model, d_k, d_v",
    "project_sources": "X, W_Q, W_K, W_V, context=None",
    "visibility": "T_q, T_k, causal",
    "attention_kind": "query_source, key_source, value_source",
    "attend": "X, W_Q, W_K, W_V",
    "ablate": "X, W_Q, W_K, W_V, which, replacement",
    "changed_stages": "before, after, atol=1e-09",
    "causal_mask": "T",
    "stable_softmax": "scores, axis=-1",
    "self_attention": "X, W_Q, W_K, W_V, causal=True",
    "output_projection": "context, W_O, b_O=None",
    "parameter_count": "d_model, d_k, d_v, bias=False",
    "fold_output_projection": "W_V, W_O",
    "padding_visible": "lengths, T",
    "broadcast_visible": "visible, B, T_q, T_k",
    "batched_self_attention": "X, W_Q, W_K, W_V, W_O, visible=None",
    "items_interact": "layer, X",
    "attention_cost": "T, d_model, d_k, d_v, batch=1",
    "path_length": "architecture, distance, kernel=3",
    "sequential_passes": "tokens, mode",
    "observed_and_causal": "X, W_Q, W_K, W_V, W_O, target",
    "misleading_example": "",
    "audit": "layer",
}

KEYS = {
    ("01_one_reading", "BOUNDARY"): {
        "query projection",
        "key projection",
        "value projection",
        "mask",
        "softmax",
        "output projection",
        "residual connection",
        "layer normalization",
        "feed-forward network",
        "token embedding",
        "positional encoding",
    },
    ("03_projections", "ABLATIONS"): {"W_Q", "W_K", "W_V"},
    ("03_projections", "CLAIMS"): set(PROJECTION_CLAIMS),
    ("04_matrix_form", "TRACE"): {"scores[3]", "weights[1]", "weights[3]", "context[2]"},
    ("05_output_projection", "OUTPUT_ABLATIONS"): {
        "zero",
        "identity, d_v == d_model",
        "transposed, d_v != d_model",
        "orthogonal, d_v == d_model",
    },
    ("07_costs", "CLAIMS"): set(ATTENTION_CLAIMS),
}

SOURCE = '''# %% [markdown] id="why"
# # A title
#
# Text with a `word`, a | table | and ± signs.

# %% id="setup"
import numpy as np


# %% id="twice-stub"
def twice(x):
    """x (T,), an array."""
    raise NotImplementedError("twice is not started")


# %% id="twice-check"
check("twice")
'''

lessons = pytest.mark.parametrize("stem", PARTS)


def source(stem: str) -> Path:
    return EXERCISES / f"{stem}.py"


def sources(notebook: nbformat.NotebookNode) -> list[tuple[str, str, str]]:
    return [(cell.id, cell.cell_type, cell.source) for cell in notebook.cells]


def cell(notebook: nbformat.NotebookNode, name: str) -> str:
    (found,) = [cell.source for cell in notebook.cells if cell.id == name]
    assert isinstance(found, str)
    return found


def run(notebook: nbformat.NotebookNode) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for each in notebook.cells:
        if each.cell_type == "code":
            exec(compile(each.source, each.id, "exec"), names)
    return names


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An inert `onehead` in place of the real one; the parts that `check` was asked for."""
    names: list[str] = []
    inert = ModuleType("onehead")
    vars(inert).update(check=names.append, heat_map=lambda *_, **__: None, show=lambda make: None)
    vars(inert)["progress"] = lambda: None
    monkeypatch.setitem(sys.modules, "onehead", inert)
    return names


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "00_small.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


# --- the tools ---------------------------------------------------------------------------


def test_ids_move_from_the_metadata_to_the_cells(small: Path) -> None:
    notebook = read_source(small)
    assert cell_ids(notebook) == ["why", "setup", "twice-stub", "twice-check"]
    assert [cell.metadata for cell in notebook.cells] == [{}, {}, {}, {}]
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_a_cell_without_an_id_is_refused(small: Path) -> None:
    small.write_text(SOURCE.replace(' id="setup"', ""), encoding="utf-8")
    with pytest.raises(OneheadError) as error:
        read_source(small)
    assert str(error.value) == (
        '00_small.py: cell 2 ("import numpy as np") has no id; expected one of 1 to 64 letters, '
        'digits, "-" and "_": write it as # %% id="scores-stub"'
    )


@pytest.mark.parametrize("bad", ["two words", "dot.ted", "", "x" * 65, "ümlaut", "line\\n"])
def test_a_malformed_id_is_refused(small: Path, bad: str) -> None:
    small.write_text(SOURCE.replace('id="setup"', f'id="{bad}"'), encoding="utf-8")
    with pytest.raises(OneheadError, match=r"00_small\.py: cell 2 .* has the id"):
        read_source(small)


def test_a_duplicate_id_is_refused_with_both_cells(small: Path) -> None:
    small.write_text(SOURCE.replace("twice-check", "setup"), encoding="utf-8")
    with pytest.raises(OneheadError) as error:
        read_source(small)
    assert str(error.value) == (
        '00_small.py: cells 2 and 4 both have the id "setup"; rename one of them'
    )


def test_replace_changes_the_named_cell_of_a_copy_only(small: Path) -> None:
    notebook = read_source(small)
    before = to_bytes(notebook)
    solved = replace(notebook, {"twice-stub": "def twice(x):\n    return 2 * x"})
    assert cell(solved, "twice-stub") == "def twice(x):\n    return 2 * x"
    assert cell(solved, "setup") == "import numpy as np"
    assert cell_ids(solved) == cell_ids(notebook)
    assert to_bytes(notebook) == before


def test_replace_refuses_an_unknown_cell(small: Path) -> None:
    with pytest.raises(OneheadError, match="no cell 'thrice-stub'; its cells are: why, setup"):
        replace(read_source(small), {"twice-stub": "", "thrice-stub": ""})


def test_bytes_hold_sorted_keys_and_one_final_newline(small: Path) -> None:
    data = to_bytes(read_source(small))
    assert data.endswith(b"}\n") and not data.endswith(b"\n\n")
    assert "±".encode() in data
    assert data.index(b'"cells"') < data.index(b'"metadata": {\n  "kernelspec"')
    notebook = nbformat.reads(data.decode(), as_version=4)
    assert to_bytes(notebook) == data


def test_a_script_is_the_source_again(small: Path) -> None:
    assert to_script(read_source(small)) == SOURCE


def test_a_script_has_two_blank_lines_around_definitions_only(small: Path) -> None:
    solved = replace(read_source(small), {"twice-stub": "twice = np.add"})
    expected = SOURCE[: SOURCE.index("\n\n\n# %% id=")] + (
        '\n\n# %% id="twice-stub"\ntwice = np.add\n\n# %% id="twice-check"\ncheck("twice")\n'
    )
    assert to_script(solved) == expected


# --- the lessons -------------------------------------------------------------------------


@lessons
def test_the_notebook_is_valid_with_unique_ids_and_nothing_left_of_a_run(stem: str) -> None:
    notebook = read_source(source(stem))
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert len(set(cell_ids(notebook))) == len(notebook.cells)
    for each in notebook.cells:
        if each.cell_type == "code":
            assert each.outputs == [] and each.execution_count is None
            ast.parse(each.source)


@lessons
def test_two_builds_give_the_same_bytes(stem: str) -> None:
    assert to_bytes(read_source(source(stem))) == to_bytes(read_source(source(stem)))


@lessons
def test_the_source_is_its_own_canonical_script(stem: str, tmp_path: Path) -> None:
    notebook = read_source(source(stem))
    script = to_script(notebook)
    assert script == source(stem).read_text(encoding="utf-8")
    again = tmp_path / "again.py"
    again.write_text(script, encoding="utf-8")
    assert sources(read_source(again)) == sources(notebook)


@lessons
def test_the_first_code_cell_is_the_setup(stem: str) -> None:
    code = [each for each in read_source(source(stem)).cells if each.cell_type == "code"]
    assert code[0].id == "setup"
    assert (
        code[0].source == "import numpy as np\nfrom onehead import check, heat_map, progress, show"
    )


@lessons
def test_each_part_has_a_text_a_stub_and_a_check_in_this_order(stem: str) -> None:
    notebook = read_source(source(stem))
    ids = cell_ids(notebook)
    stubs = [name.removesuffix("-stub") for name in ids if name.endswith("-stub")]
    checks = [name.removesuffix("-check") for name in ids if name.endswith("-check")]
    assert stubs == PARTS[stem]
    assert checks == PARTS[stem]
    for part in PARTS[stem]:
        assert ids.index(part) < ids.index(f"{part}-stub") == ids.index(f"{part}-check") - 1
        assert cell(notebook, f"{part}-check") == f'check("{part}")'
        assert cell(notebook, part).startswith("## Part ")


@lessons
def test_an_untouched_notebook_runs_to_the_end(stem: str, asked: list[str]) -> None:
    run(read_source(source(stem)))
    assert asked == PARTS[stem]


@lessons
def test_untouched_stubs_are_unfinished(stem: str, asked: list[str]) -> None:
    names = run(read_source(source(stem)))
    for part in PARTS[stem]:
        stub = names[part]
        if part in SIGNATURES:
            arguments = stub.__code__.co_argcount
            with pytest.raises(NotImplementedError, match=f"^{part} is not started$"):
                stub(*[None] * arguments)
            assert stub.__doc__
        elif isinstance(stub, dict):
            assert stub.keys() == KEYS[stem, part]
            assert all(leaf is ... for leaf in leaves(stub))
        else:
            assert part == "SelfAttention"


@lessons
def test_signatures_are_the_contracts(stem: str) -> None:
    notebook = read_source(source(stem))
    for part in set(PARTS[stem]) & SIGNATURES.keys():
        (stub,) = ast.parse(cell(notebook, f"{part}-stub")).body
        assert isinstance(stub, ast.FunctionDef)
        assert ast.unparse(stub.args) == SIGNATURES[part]


def test_the_trace_stub_has_room_for_each_number(asked: list[str]) -> None:
    trace = run(read_source(source("04_matrix_form")))["TRACE"]
    assert {name: len(numbers) for name, numbers in trace.items()} == {
        "scores[3]": 4,
        "weights[1]": 4,
        "weights[3]": 4,
        "context[2]": 2,
    }


def test_every_method_of_the_class_stub_is_unfinished(asked: list[str]) -> None:
    layer_class = run(read_source(source("08_audit")))["SelfAttention"]
    layer = layer_class.__new__(layer_class)
    questions = [
        lambda: layer_class(1, 2, 3, 4),
        lambda: layer.num_parameters,
        lambda: layer.trace(1, visible=None, causal=True),
        lambda: layer(1, visible=None, causal=True),
    ]
    for question in questions:
        with pytest.raises(NotImplementedError, match=r"^SelfAttention is not started$"):
            question()
    assert isinstance(layer_class.num_parameters, property)


@pytest.mark.parametrize(
    ("stem", "claims", "words"),
    [
        ("03_projections", PROJECTION_CLAIMS, {"mathematical", "interpretation"}),
        ("07_costs", ATTENTION_CLAIMS, {"supported", "not supported"}),
    ],
)
def test_claims_are_stated_with_their_words_and_answered_elsewhere(
    stem: str, claims: dict[str, str], words: set[str]
) -> None:
    text = cell(read_source(source(stem)), "CLAIMS")
    assert all(f"- `{name}`: " in text for name in claims)
    assert all(f'`"{word}"`' in text for word in words)
    assert len(claims) == 8
    assert sorted(claims.values()) == sorted([*words] * 4)


def test_the_lessons_numbers_are_the_contracts_four_tokens(asked: list[str]) -> None:
    X, W_Q, W_K, W_V = (FOUR_TOKENS[name] for name in ("X", "W_Q", "W_K", "W_V"))
    reading = run(read_source(source("01_one_reading")))["example"]
    assert (reading["query"] == (X @ W_Q)[2]).all()
    assert (reading["keys"] == X @ W_K).all()
    assert (reading["values"] == X @ W_V).all()
    matrix_form = run(read_source(source("04_matrix_form")))["four_tokens"]
    assert all((matrix_form[name] == FOUR_TOKENS[name]).all() for name in matrix_form)
    audit = run(read_source(source("08_audit")))
    assert (audit["four_tokens"] == X).all()
    due = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": FOUR_TOKENS_W_O}
    assert all((audit["four_token_matrices"][name] == due[name]).all() for name in due)


def test_at_one_target_the_four_tokens_mislead() -> None:
    largest = []
    for target in range(4):
        weights, effects = observed_and_causal(**FOUR_TOKENS, W_O=FOUR_TOKENS_W_O, target=target)
        largest.append((int(weights.argmax()), int(effects.argmax())))
    assert [target for target, (weight, effect) in enumerate(largest) if weight != effect] == [1]
