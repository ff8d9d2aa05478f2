"""The tolerance: right formulas in any order pass, and what is wrong by little does not."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from onehead.compare import (
    FLOAT64,
    as_array,
    compare_arrays,
    name_axes,
    plain_equal,
    product_bound,
    scores_bound,
    weights_bound,
)
from onehead.model import Opaque, Stage
from onehead_solutions.draw import Draw

STAGE = Stage("weights", "numerical", axes=("query", "key"))


def softmax(scores: np.ndarray) -> np.ndarray:
    exp = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(exp / exp.sum(-1, keepdims=True))


@pytest.mark.parametrize("size", [3, 8, 64, 257])
def test_a_product_summed_in_any_order_is_within_the_bound(size: int) -> None:
    draw = Draw(f"order {size}")
    A, B = draw.reals(4, size, scale=3.0), draw.reals(size, 5, scale=3.0)
    backwards = sum(np.multiply.outer(A[:, k], B[k]) for k in reversed(range(size)))
    exact = [[math.fsum(A[i] * B[:, j]) for j in range(5)] for i in range(4)]
    bound = 2 * product_bound(A, B, FLOAT64)
    for other in (backwards, np.array(exact), np.einsum("ik,kj->ij", A, B)):
        assert np.all(np.abs(other - A @ B) <= bound)


@pytest.mark.parametrize(
    ("name", "factor", "seen"),
    [("the same", 1.0, False), ("off by 1e-9", 1 + 1e-9, True), ("off by 1e-12", 1 + 1e-12, True)],
)
def test_a_scale_that_is_off_by_little_is_seen(name: str, factor: float, seen: bool) -> None:
    draw = Draw("scale")
    Q, K = draw.reals(4, 3), draw.reals(4, 3)
    error = np.abs(Q @ K.T * factor - Q @ K.T) / math.sqrt(3)
    assert bool(np.any(error > 2 * scores_bound(Q, K, 0, FLOAT64))) is seen


@pytest.mark.parametrize("epsilon", [1e-9, 1e-12])
def test_a_denominator_with_something_added_is_seen(epsilon: float) -> None:
    scores = Draw("denominator").reals(5, 6)
    exp = np.exp(scores - scores.max(-1, keepdims=True))
    wrong = exp / (exp.sum(-1, keepdims=True) + epsilon)
    allowed = 2 * weights_bound(scores, True, FLOAT64)
    assert np.any(np.abs(wrong - softmax(scores)) > allowed)
    unshifted = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    assert np.all(np.abs(unshifted - softmax(scores)) <= allowed)


def test_a_hidden_key_may_not_have_any_weight() -> None:
    visible = np.tri(3, dtype=bool)
    bound = weights_bound(np.zeros((3, 3)), visible, FLOAT64)
    assert np.all(bound[~visible] == 0)
    assert np.all(bound[visible] > 0)


def test_shape_comes_before_value_and_nothing_is_broadcast() -> None:
    result = compare_arrays(STAGE, np.zeros((3, 1)), np.zeros((3, 3)), 1.0)
    assert result.kind == "shape"


@pytest.mark.parametrize(
    ("got", "kind"),
    [
        (None, "missing"),
        ("text", "type"),
        ([[1.0], [1.0, 2.0]], "type"),
        ([Opaque("set")], "type"),
        (np.array([[0.5, np.nan]]), "non-finite"),
        (np.array([[0.5, 0.6]]), "value"),
        ([[0.5, 0.5]], "ok"),
    ],
)
def test_the_first_thing_that_differs_is_named(got: object, kind: str) -> None:
    assert compare_arrays(STAGE, got, np.array([[0.5, 0.5]]), 1e-12).kind == kind


def test_a_difference_says_where_and_how_far() -> None:
    got, want = np.array([[1.0, 0.0], [0.25, 0.5]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    result = compare_arrays(STAGE, got, want, np.array([[1e-3, 0.0], [1e-3, 1e-3]]))
    assert dict(result.at) == {"query": 1, "key": 0}
    assert (result.got_at, result.want_at) == (0.25, 0.5)
    assert result.tolerances == pytest.approx(250)
    assert (result.differing, result.size) == (1, 4)


@pytest.mark.parametrize(
    ("got", "want", "equal"),
    [
        (6, 6, True), (np.int32(6), 6, True), (6.0, 6, False), (True, 1, False), (1, True, False),
        (np.True_, True, True), ([2, 3], (2, 3), True), ((2, 3.0), (2, 3), False),
        (np.array([2, 3]), (2, 3), True), ("a", "a", True), ("a ", "a", False),
        (["Q"], ["Q"], True),
        (None, 6, False), ({"a": 1}, 6, False), (["Q", "K"], ["K", "Q"], False),
    ],
)  # fmt: skip
def test_plain_data_is_equal_or_not(got: object, want: object, equal: bool) -> None:
    assert plain_equal(got, want) is equal


def test_an_axis_before_the_named_ones_is_the_item() -> None:
    assert name_axes((2, 0, 1), ("query", "key")) == {"item": 2, "query": 0, "key": 1}
    assert name_axes((1,), ("query", "key")) == {"key": 1}


@pytest.mark.parametrize("odd", ["x" * 4000, 10**400, None, Opaque("f"), [["x" * 4000]]])
def test_a_list_with_something_else_than_numbers_is_no_array_and_takes_no_memory(odd: Any) -> None:
    tracemalloc.start()
    assert as_array([odd, *([""] * 20_000)]) is None
    assert as_array([odd, *([1.0] * 20_000)]) is None
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
