import numpy as np


def stable_softmax(scores, axis=-1):
    with np.errstate(all="raise", under="ignore"):
        scores = scores * 1.0
        seen = np.isfinite(scores)
        filled = np.where(seen, scores, np.finfo(scores.dtype).min / 4)
        top = filled.max(axis=axis, keepdims=True)
        e = np.where(seen, np.exp(np.where(seen, filled - top, 0)), 0).astype(scores.dtype)
        total = e.sum(axis=axis, keepdims=True)
        return e / np.where(total == 0, 1, total)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    with np.errstate(all="raise", under="ignore"):
        X = X * 1.0
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        scores = Q @ K.T / K.shape[1] ** 0.5
        visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, bool)
        weights = stable_softmax(np.where(visible, scores, -np.inf))
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": visible,
            "weights": weights,
            "context": weights @ V,
        }
