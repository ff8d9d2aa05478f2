# exercise: lesson-04
# parts: self_attention
# needs: numpy 2
# stage: scores
# Dividing by np.sqrt(d_k) makes float64 out of float32.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / np.sqrt(K.shape[1])
    visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, bool)
    shown = np.where(visible, scores, -np.inf)
    e = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
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
