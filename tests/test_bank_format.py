"""The bank of right and wrong answers keeps its format and covers the contract's names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import onehead_solutions
from onehead.recognise import GENERAL
from onehead_solutions.wrong import SAYS

BANK = Path(onehead_solutions.__file__).parent / "bank"
RIGHT = sorted(BANK.glob("right/*/*.py"))
WRONG = sorted(BANK.glob("wrong/*/*.py"))

STEMS = {
    "lesson-01": "01_one_reading",
    "lesson-02": "02_sources",
    "lesson-03": "03_projections",
    "lesson-04": "04_matrix_form",
    "lesson-05": "05_output_projection",
    "lesson-06": "06_batch_axis",
    "lesson-07": "07_costs",
    "lesson-08": "08_audit",
}
PARTS = {
    "lesson-01": {"attention_reading", "layer_shapes", "BOUNDARY"},
    "lesson-02": {"project_sources", "visibility", "attention_kind"},
    "lesson-03": {"attend", "ablate", "changed_stages", "ABLATIONS", "CLAIMS"},
    "lesson-04": {"causal_mask", "stable_softmax", "self_attention", "TRACE"},
    "lesson-05": {
        "output_projection",
        "parameter_count",
        "fold_output_projection",
        "OUTPUT_ABLATIONS",
    },
    "lesson-06": {
        "padding_visible",
        "broadcast_visible",
        "batched_self_attention",
        "items_interact",
    },
    "lesson-07": {
        "attention_cost",
        "path_length",
        "sequential_passes",
        "observed_and_causal",
        "misleading_example",
        "CLAIMS",
    },
    "lesson-08": {"SelfAttention", "audit"},
}
# The contract's; each has to be made in two shapes at least.
NAMES = [
    "scale-missing",
    "scale-by-dk",
    "scale-by-dmodel",
    "softmax-over-queries",
    "softmax-global",
    "softmax-unstable",
    "softmax-global-max",
    "softmax-unnormalised",
    "mask-missing",
    "mask-inverted",
    "mask-transposed",
    "mask-excludes-self",
    "mask-off-by-one",
    "mask-after-softmax",
    "mask-renormalised",
    "mask-zero-fill",
    "mask-finite-fill",
    "mask-first-item",
    "qk-swapped",
    "keys-reshaped",
    "values-from-keys",
    "values-from-input",
    "context-ignored",
    "sources-swapped",
    "output-skipped",
    "output-transposed",
    "batch-flattened",
    "batch-softmax",
    "batch-first-item",
    "low-precision",
    "integer-truncation",
    "input-mutated",
    "memory-shared",
    "hidden-state",
    "count-output-missing",
    "count-bias-missing",
    "count-bias-always",
    "count-square",
    "cost-linear",
    "cost-flops",
    "cost-causal-discount",
]


def label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def defined(entry: Path) -> set[str]:
    """The names that an entry's top level binds."""
    names = set()
    for node in ast.parse(entry.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    return names


@pytest.mark.parametrize("entry", [*RIGHT, *WRONG], ids=label)
def test_an_entry_compiles(entry: Path) -> None:
    assert compile(entry.read_text(), str(entry), "exec").co_names


@pytest.mark.parametrize("entry", RIGHT, ids=label)
def test_a_right_entry_is_called_after_its_lesson_and_answers_some_part(entry: Path) -> None:
    exercises = {stem: exercise for exercise, stem in STEMS.items()}
    assert defined(entry) & PARTS[exercises[entry.stem]]


@pytest.mark.parametrize("entry", WRONG, ids=label)
def test_a_wrong_entry_has_a_header_and_defines_what_it_spoils(entry: Path) -> None:
    text = entry.read_text().splitlines()
    lines = [line for line in text if line != "# needs: numpy 2"]
    assert lines[0].startswith("# exercise: ")
    assert lines[1].startswith("# parts: ")
    says = lines[3] if lines[2].startswith("# stage: ") else lines[2]
    assert says.startswith("# ")
    assert says.endswith(".")
    exercise = lines[0].removeprefix("# exercise: ")
    parts = lines[1].removeprefix("# parts: ").split(", ")
    assert set(parts) <= PARTS[exercise]
    assert set(parts) <= defined(entry)


def test_every_name_has_wrong_answers_in_two_shapes() -> None:
    entries = {name: list(BANK.glob(f"wrong/{name}/*.py")) for name in NAMES}
    assert [name for name in NAMES if len(entries[name]) < 2] == []
    folders = {folder.name for folder in BANK.glob("wrong/*")}
    assert folders - {"unnamed"} <= SAYS.keys() | GENERAL.keys()
    assert len(folders) > 100
    assert len(list(BANK.glob("wrong/unnamed/*.py"))) >= 25


def test_the_right_answers_come_in_many_styles() -> None:
    styles = {folder.name: len(list(folder.glob("*.py"))) for folder in BANK.glob("right/*")}
    assert len([style for style, entries in styles.items() if entries >= 4]) >= 12
    assert len([style for style, entries in styles.items() if entries == len(STEMS)]) >= 5
    assert len(RIGHT) >= 100
