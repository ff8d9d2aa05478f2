# exercise: lesson-04
# parts: self_attention
# stage: visible
# The diagonal is hidden.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, bool)
    if causal:
        np.fill_diagonal(visible, False)
    shown = np.where(visible, scores, -np.inf)
    top = np.where(visible.any(axis=1, keepdims=True), shown.max(axis=1, keepdims=True), 0)
    e = np.exp(shown - top.astype(scores.dtype))
    total = e.sum(axis=1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    context = weights @ V
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": context,
    }
