# exercise: lesson-04
# parts: self_attention
# stage: weights
# The inner loop runs over queries.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, bool)
    weights = np.zeros_like(scores)
    for key in range(len(X)):
        rows = [i for i in range(len(X)) if visible[i, key]]
        e = np.exp(scores[rows, key] - scores[rows, key].max())
        weights[rows, key] = e / e.sum()
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
