# exercise: lesson-04
# parts: stable_softmax
# np.zeros and np.where make float64 out of float32.
import numpy as np


def stable_softmax(scores, axis=-1):
    top = np.max(scores, axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), np.zeros(top.shape), top)
    e = np.exp(scores - top)
    total = e.sum(axis=axis, keepdims=True)
    return np.divide(e, total, out=np.zeros(e.shape), where=total > 0)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
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
