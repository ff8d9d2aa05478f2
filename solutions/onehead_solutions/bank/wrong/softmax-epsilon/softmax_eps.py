# exercise: lesson-04
# parts: stable_softmax, self_attention
# stage: weights
# 1e-6 is added to the sum, against empty slices.
import numpy as np


def stable_softmax(scores, axis=-1):
    scores = scores * 1.0
    top = scores.max(axis=axis, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(top), 0, top))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, bool)
    weights = stable_softmax(np.where(visible, scores, -np.inf))
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
