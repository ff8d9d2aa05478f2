# exercise: lesson-04
# parts: self_attention
# stage: scores
# The scores of the trace are masked.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    if causal:
        scores[np.triu_indices(len(X), 1)] = -np.inf
    visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, bool)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
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
