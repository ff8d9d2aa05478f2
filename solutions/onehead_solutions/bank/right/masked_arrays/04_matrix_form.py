import numpy as np


def stable_softmax(scores, axis=-1):
    masked = np.ma.masked_where(np.isneginf(scores), scores * 1.0)
    e = np.ma.exp(masked - np.ma.expand_dims(masked.max(axis=axis), axis))
    return (e / np.ma.expand_dims(e.sum(axis=axis), axis)).filled(0).astype(masked.dtype)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool) | (not causal)
    masked = np.ma.array(scores, mask=~visible, copy=True)
    e = np.ma.exp(masked - masked.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    context = weights.filled(0) @ V
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": context,
    }
