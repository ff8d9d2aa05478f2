import numpy as np


def stable_softmax(scores, axis=-1):
    kind = np.result_type(scores, 1.0)
    wide = scores.astype(np.float64)
    top = wide.max(axis=axis, keepdims=True)
    top[np.isinf(top)] = 0
    e = np.exp(wide - top)
    total = e.sum(axis=axis, keepdims=True)
    return (e / (total + (total == 0))).astype(kind)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    kind = np.result_type(X, W_Q, W_K, W_V, 1.0)
    X, W_Q, W_K, W_V = (a.astype(np.float64) for a in (X, W_Q, W_K, W_V))
    Q, K, V = (a.astype(kind) for a in (X @ W_Q, X @ W_K, X @ W_V))
    scores = (Q.astype(np.float64) @ K.T.astype(np.float64) / np.sqrt(K.shape[1])).astype(kind)
    visible = np.tril(np.ones(scores.shape, bool)) if causal else np.ones(scores.shape, bool)
    weights = stable_softmax(np.where(visible, scores, -np.inf))
    context = (weights.astype(np.float64) @ V.astype(np.float64)).astype(kind)
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=context)
