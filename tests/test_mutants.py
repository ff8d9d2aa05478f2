"""Mutants of the references and compositions of known mistakes: made, told apart, and graded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onehead.errors import OneheadError
from onehead_release import composed, mutants
from onehead_release.bank import course
from onehead_release.composed import Composition, grade_composition
from onehead_release.equivalents import Equivalents, load, of_chapter
from onehead_release.mutants import grade_mutant
from onehead_release.mutate import Mutant
from onehead_release.mutate import mutants as made_of


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("def f(x, y):\n    return x @ y", "return y @ x"),
        ("def f(x):\n    return x.sum(axis=-1)", "return x.sum(axis=1)"),
        ("def f(x):\n    return x.sum(axis=-1)", "return x.sum()"),
        ("def f(x):\n    return x < 3", "return x <= 3"),
        ("def f(x):\n    return x.T", "return x"),
        ("def f(x):\n    return np.tril(x)", "return np.triu(x)"),
        ("def f(x, y):\n    return x + 1", "return y + 1"),
        ("def f(x):\n    x = x * 2\n    return x", "(dropped)"),
        ("def f(x):\n    raise ValueError('no')", "raise TypeError('no')"),
        ("A = {'a': 1, 'b': 2}", "A = {'a': 2, 'b': 1}"),
        ("A = ['a', 'b']", "A = ['b', 'a']"),
    ],
)
def test_an_operator_makes_a_slip(source: str, after: str) -> None:
    assert after in [mutant.after for mutant in made_of(source)]


def test_words_that_nobody_judges_are_left_alone() -> None:
    source = 'def f(x: int) -> int:\n    """Half."""\n    raise ValueError(f\'no {x}\')'
    texts = [mutant.source for mutant in made_of(source)]
    assert texts
    assert not any("no _" in text or "Half._" in text for text in texts)


def test_a_mutant_keeps_its_key_when_something_else_is_edited() -> None:
    before = made_of("def f(x):\n    return x + 1")
    after = made_of("def g(x):\n    return x\n\ndef f(x):\n    y = 3\n    return x + 1")
    assert {mutant.change for mutant in before} <= {mutant.change for mutant in after}


RULES = """
free = []
mutants = [{in = ["e/p"], because = "", changes = ["f: return 3 - x  ->  return x - 3"]}]

[[interchangeable]]
in = ["e/p"]
function = "f"
code = ["abs(x)", "x"]
because = "x is never below 0"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Equivalents:
    file = tmp_path / "equivalent.toml"
    file.write_text(RULES)
    return load(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[mutant]]", "there is no table 'mutant'; expected are [[interchangeable]] with in"),
        ('[[free]]\nin = ["e/p"]', "a table has no 'functions'; expected are"),
        ("[[free", "is no TOML"),
    ],
)
def test_a_file_that_can_not_be_read_is_told_in_a_line(
    text: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "equivalent.toml"
    file.write_text(text)
    with pytest.raises(OneheadError, match=re.escape(said)) as caught:
        load(file)
    assert str(file) in str(caught.value)


def test_a_file_needs_no_table_that_it_has_no_use_for(tmp_path: Path) -> None:
    file = tmp_path / "equivalent.toml"
    file.write_text('[[interchangeable]]\nin = ["*"]\ncode = ["-1", "1"]\nbecause = "two axes"\n')
    assert len(load(file).rules) == 1


def mutant(source: str, change: str = "f: a  ->  b") -> Mutant:
    function, statements = change.split(": ", 1)
    before, after = statements.split("  ->  ")
    return Mutant(function, before, after, 1, source)


@pytest.mark.parametrize(
    ("part", "answer", "other", "proof"),
    [
        ("e/p", "def f(x): return 2 * 3", "def f(x): return 6", "same code"),
        ("e/p", "def f(x): return abs(x)", "def f(x): return x", "interchangeable"),
        ("e/p", "def f(x): return abs(x) + x", "def f(x): return x + abs(x)", "interchangeable"),
        ("e/q", "def f(x): return abs(x)", "def f(x): return x", None),
        ("e/p", "def g(x): return abs(x)", "def g(x): return x", None),
        ("e/p", "def f(x): return abs(x)", "def f(x): return -x", None),
    ],
)
def test_expressions_are_exchanged_where_the_rule_says_so(
    part: str, answer: str, other: str, proof: str | None, rules: Equivalents
) -> None:
    assert rules.proof(part, answer, mutant(other)) == proof


def test_a_listed_change_is_right_in_its_part_alone(rules: Equivalents) -> None:
    change = mutant("def f(x): return x - 3", "f: return 3 - x  ->  return x - 3")
    assert rules.proof("e/p", "def f(x): return 3 - x", change) == "listed"
    assert rules.proof("e/q", "def f(x): return 3 - x", change) is None


def test_every_part_that_the_chapter_names_is_there() -> None:
    known = {
        f"{exercise.id}/{part.name}" for exercise in course().values() for part in exercise.parts
    }
    found = of_chapter()
    named = {part for entry in (*found.rules, *found.listed) for part in entry.parts}
    assert named | found.free.keys() <= known | {"*"}
    assert all(rule.because for rule in (*found.rules, *found.listed))


@pytest.mark.parametrize("exercise", ["lesson-02", "lesson-05"])
def test_no_mutant_gets_full_marks_unless_it_is_right(exercise: str) -> None:
    asked = mutants.asked([course()[exercise]], every=6)
    assert len(asked) >= 20
    graded = [grade_mutant(one) for one in asked]
    faults = [one for one in graded if one.fate in ("accepted", "refused")]
    assert [one.asked.mutant.change for one in faults] == []
    assert mutants.stale([course()[exercise]]) == []


def test_a_mutant_that_nobody_knows_to_be_right_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = next(
        one
        for one in mutants.asked([course()["lesson-02"]])
        if one.mutant.after == "return np.tril(np.ones((T_k, T_q), dtype=bool))"
    )
    assert grade_mutant(asked).fate == "interchangeable"
    monkeypatch.setattr("onehead_release.equivalents.of_chapter", lambda: load(tmp_path / "none"))
    assert grade_mutant(asked).fate == "accepted"


def places(exercise: str, part: str, *names: str) -> Composition:
    known = next(p for p in course()[exercise].parts if p.name == part).misconceptions
    at = [next(k for k, m in enumerate(known) if m.name == name and m.wrong) for name in names]
    return Composition(exercise, part, tuple(at))


@pytest.mark.parametrize(
    ("exercise", "part", "first", "second"),
    [
        ("lesson-04", "self_attention", "scale-missing", "mask-transposed"),
        ("lesson-04", "self_attention", "scores-masked", "mask-transposed"),  # by that mask
        ("lesson-06", "batched_self_attention", "scores-masked", "residual-added"),
        # Most calls end in an error: the few others show the mistake of the stage before.
        ("lesson-07", "observed_and_causal", "softmax-twice", "output-transposed"),
    ],
)
def test_two_mistakes_in_one_answer_are_both_named(
    exercise: str, part: str, first: str, second: str
) -> None:
    two = places(exercise, part, first, second)
    found = grade_composition(two)
    assert found.visible
    assert found.has_first
    assert found.has_all
    assert not found.is_misnamed


@pytest.mark.parametrize(
    ("exercise", "part", "first", "second"),
    [
        # Of three rows of which the last is looked at, each sees all: there is nothing to hide.
        ("lesson-07", "observed_and_causal", "mask-missing", "output-transposed"),
        # Sizes clash in every call.
        ("lesson-06", "batched_self_attention", "batch-flattened", "softmax-sigmoid"),
    ],
)
def test_a_pair_that_leaves_nothing_to_look_at_counts_for_nothing(
    exercise: str, part: str, first: str, second: str
) -> None:
    assert not grade_composition(places(exercise, part, first, second)).visible


def test_pairs_are_of_different_stages_and_names() -> None:
    found = [two for two in composed.pairs([course()["lesson-01"]]) if two.part == "layer_shapes"]
    known = next(p for p in course()["lesson-01"].parts if p.name == "layer_shapes").misconceptions
    assert found
    for two in found:
        a, b = (known[k] for k in two.places)
        assert a.name != b.name
        assert not a.wrong.keys() & b.wrong.keys()
