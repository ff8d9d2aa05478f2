import numpy as np


def stable_softmax(scores, axis=-1):
    scores = np.asarray(scores, dtype=np.result_type(scores, 1.0))
    top = scores.max(axis=axis, keepdims=True)
    empty = np.isneginf(top)
    safe = np.where(empty, scores.dtype.type(0), scores)
    top = safe.max(axis=axis, keepdims=True)
    lse = top + np.log(np.exp(safe - top).sum(axis=axis, keepdims=True))
    return np.where(empty, scores.dtype.type(0), np.exp(safe - lse))


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X, W_Q, W_K, W_V = (a.astype(np.result_type(a, 1.0)) for a in (X, W_Q, W_K, W_V))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = np.inner(Q, K) / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool) if causal else np.ones_like(scores, dtype=bool)
    log_weights = np.where(visible, scores, -np.inf)
    log_weights = log_weights - np.logaddexp.reduce(log_weights, axis=1, keepdims=True)
    weights = np.exp(log_weights)
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": weights @ V,
    }
