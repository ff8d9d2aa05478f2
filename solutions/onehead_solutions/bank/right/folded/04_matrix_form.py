import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X, W_Q, W_K, W_V = (a * 1.0 for a in (X, W_Q, W_K, W_V))
    M = W_Q @ W_K.T / W_Q.shape[1] ** 0.5
    scores = X @ M @ X.T
    visible = np.tri(len(X), dtype=bool) if causal else np.ones((len(X), len(X)), bool)
    shown = np.where(visible, scores, -np.inf)
    e = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return {
        "Q": X @ W_Q,
        "K": X @ W_K,
        "V": X @ W_V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": weights @ X @ W_V,
    }
