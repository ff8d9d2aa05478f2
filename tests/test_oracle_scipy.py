"""stable_softmax against scipy's, and both against 60 digits of mpmath."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp
from scipy.special import softmax
from tests.oracles.bounds import furthest

from onehead.compare import FLOAT32, FLOAT64, weights_bound
from onehead.model import Array
from onehead_solutions.attention import visible_softmax
from onehead_solutions.draw import Draw
from onehead_solutions.matrix_form import stable_softmax

SHIFTS = (0.0, 1e4, -1e4, 700.0, -800.0, 1e300)
SPREADS = (0.001, 1.0, 30.0, 400.0)


def rows(shift: float, spread: float) -> Array:
    """Five rows of seven scores around ``shift``."""
    return shift + Draw(f"softmax {shift} {spread}").reals(5, 7, scale=spread)


def exact(scores: Array) -> Array:
    """Softmax over the last axis in 60 digits, rounded once."""
    with mp.workdps(60):
        out = []
        for row in scores.reshape(-1, scores.shape[-1]):
            exp = [mp.exp(mp.mpf(float(s))) for s in row]
            total = mp.fsum(exp)
            out.append([float(e / total) for e in exp])
    return np.array(out).reshape(scores.shape)


def bound(scores: Array) -> Array:
    r = FLOAT32 if scores.dtype == np.float32 else FLOAT64
    return weights_bound(scores, ~np.isneginf(scores), r)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_right_in_every_digit_that_the_scores_have(shift: float, spread: float) -> None:
    scores = rows(shift, spread)
    due = exact(scores)
    assert furthest(stable_softmax(scores), due, bound(scores)) <= 1
    assert furthest(softmax(scores, axis=-1), due, bound(scores)) <= 1


@pytest.mark.parametrize("shift", [0.0, 1e4, -1e4])
def test_in_float32(shift: float) -> None:
    scores = rows(shift, 8.0).astype(np.float32)
    weights = stable_softmax(scores)
    assert weights.dtype == np.float32
    assert furthest(weights, exact(scores), bound(scores)) <= 1


def test_entries_of_minus_infinity() -> None:
    scores = rows(1e4, 5.0)
    scores[0, 2:5] = scores[1, 0] = scores[2, -1] = -np.inf
    scores[3, 1:] = -np.inf
    due = exact(scores)
    assert furthest(stable_softmax(scores), due, bound(scores)) <= 1
    assert furthest(softmax(scores, axis=-1), due, bound(scores)) <= 1
    seen = ~np.isneginf(scores)
    finite = np.where(seen, scores, 1e9)  # what stands behind a mask does not matter
    assert furthest(visible_softmax(finite, seen), due, bound(scores)) <= 1


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -2, -4])
def test_every_axis(axis: int) -> None:
    scores = Draw("softmax axes").reals(3, 4, 2, 5, scale=6.0)
    last = np.moveaxis(scores, axis, -1)
    allowed = 2 * np.moveaxis(bound(last), -1, axis)
    assert furthest(stable_softmax(scores, axis=axis), softmax(scores, axis=axis), allowed) <= 1
    other = (axis + 1) % 4
    assert furthest(stable_softmax(scores, axis=other), softmax(scores, axis=axis), allowed) > 1e9


def test_a_row_without_a_key_is_ours_to_decide() -> None:
    """scipy gives NaN and warns; the contract wants zeros, and no warning."""
    scores = rows(0.0, 2.0)
    scores[2] = -np.inf
    with pytest.warns(RuntimeWarning, match="invalid value"):
        theirs = softmax(scores, axis=-1)
    ours = stable_softmax(scores)
    assert np.isnan(theirs[2]).all()
    assert ours[2].tolist() == [0.0] * 7
    others = [0, 1, 3, 4]
    assert furthest(ours[others], theirs[others], 2 * bound(scores[others])) <= 1


def test_the_bound_can_tell() -> None:
    """A relative error of 1e-12 is far outside where the scores are small."""
    scores = rows(0.0, 1.0)
    assert furthest(stable_softmax(scores) * (1 + 1e-12), exact(scores), bound(scores)) > 100
    exp = np.exp(scores)
    almost = exp / (exp.sum(axis=-1, keepdims=True) + 1e-12)
    assert furthest(almost, exact(scores), bound(scores)) > 10
