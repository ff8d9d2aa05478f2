import numpy as np


def stable_softmax(scores, axis=-1):
    x = np.swapaxes(scores * 1.0, axis, -1)
    lowest = np.finfo(x.dtype).min
    e = np.exp(x - np.maximum(x.max(-1, keepdims=True), lowest))
    return np.swapaxes(e / np.maximum(e.sum(-1, keepdims=True), np.finfo(x.dtype).tiny), axis, -1)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    T = X.shape[-2]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ np.swapaxes(K, -2, -1) / K.shape[-1] ** 0.5
    visible = np.ones(scores.shape, bool)
    if causal:
        visible[..., np.arange(T)[:, None] < np.arange(T)] = False
    weights = stable_softmax(np.where(visible, scores, -np.inf))
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V)
