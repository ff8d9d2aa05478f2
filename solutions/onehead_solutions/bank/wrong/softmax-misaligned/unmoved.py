# exercise: lesson-04
# parts: self_attention
# stage: weights
# Nothing is moved, and the sums lose their axis.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    T = len(X)
    visible = np.tri(T, dtype=bool) if causal else np.ones((T, T), dtype=bool)
    masked = np.where(visible, scores, -np.inf)
    e = np.exp(masked)
    weights = e / e.sum(axis=-1)
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": weights @ V,
    }
