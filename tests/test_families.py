"""Each family finds in its own examples what they say, and nothing in the right ones."""

from __future__ import annotations

from typing import get_args

import pytest

from onehead import families
from onehead.families import CheckFamily, Example
from onehead.model import Family
from onehead.stages import judge

CASES = [
    (family, k, example) for family in families.load() for k, example in enumerate(family.EXAMPLES)
]


@pytest.mark.parametrize(
    ("family", "k", "example"), CASES, ids=lambda x: getattr(x, "FAMILY", None) or ""
)
def test_messages_are_word_for_word(family: CheckFamily, k: int, example: Example) -> None:
    planned = [case for case in families.planned(example.part) if case.name in example.outcomes]
    answers = {
        case.name: judge(example.part, case, example.outcomes[case.name]) for case in planned
    }
    found = [
        f.message
        for judged in answers.values()
        for f in family.check(example.part, judged, answers)
    ]
    assert tuple(dict.fromkeys(found)) == example.messages


def test_there_is_a_file_for_each_family_of_the_interface() -> None:
    assert {family.FAMILY for family in families.load()} == set(get_args(Family))


@pytest.mark.parametrize("family", families.load(), ids=lambda f: f.FAMILY)
def test_each_family_shows_a_right_and_a_wrong_outcome(family: CheckFamily) -> None:
    assert any(not example.messages for example in family.EXAMPLES)
    assert any(example.messages for example in family.EXAMPLES)
