"""How far two right ways of computing a whole layer may lie apart.

``onehead.compare`` bounds each stage given the stages before it. An oracle shows no stages, so here
the error that a stage was given is carried on to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from onehead.compare import context_bound, product_bound, scores_bound, weights_bound
from onehead.model import Array, Rounding
from onehead_solutions.attention import scaled_scores, visible_softmax

FLOAT16 = Rounding(2.0**-11, 2.0**-14)
BFLOAT16 = Rounding(2.0**-8, 2.0**-126)


class Allowed(NamedTuple):
    weights: Array
    context: Array
    output: Array


def head_bound(
    scores: Array, slack: Array, values: Array, values_slack: Array, visible: Array, r: Rounding
) -> tuple[Array, Array]:
    """Errors of weights and context where scores and values carry errors of their own."""
    weights = weights_bound(scores, visible, r, slack)
    most = visible_softmax(scores, np.broadcast_to(visible, scores.shape)) + weights
    carried = weights @ np.abs(values) + most @ values_slack
    return weights, carried + context_bound(most, np.abs(values) + values_slack, r)


def layer_bound(
    X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, visible: Array, r: Rounding
) -> Allowed:
    """The error of one way of computing the layer; twice that lies between two ways."""
    X, W_Q, W_K, W_V, W_O = (np.asarray(x, dtype=np.float64) for x in (X, W_Q, W_K, W_V, W_O))
    scores = scaled_scores(X @ W_Q, X @ W_K)
    slack = scores_bound(np.abs(X) @ np.abs(W_Q), np.abs(X) @ np.abs(W_K), X.shape[-1], r)
    V, V_slack = X @ W_V, product_bound(X, W_V, r)
    weights, context = head_bound(scores, slack, V, V_slack, visible, r)
    most = visible_softmax(scores, np.broadcast_to(visible, scores.shape)) + weights
    size = most @ (np.abs(V) + V_slack)
    return Allowed(weights, context, context @ np.abs(W_O) + product_bound(size, W_O, r))


def furthest(got: Array, due: Array, allowed: Array) -> float:
    """The largest error in units of what is allowed; infinite for another shape or a NaN.

    Where nothing is allowed (a hidden key, a row that sees none), any difference is infinite.
    """
    if got.shape != due.shape:
        return float("inf")
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(np.float64) - due.astype(np.float64))
        ratio = np.where(error == 0, 0.0, error / np.broadcast_to(allowed, error.shape))
    return float(np.max(np.where(np.isnan(ratio), np.inf, ratio), initial=0.0))
