import numpy as np


def my_float(a):
    return a if np.issubdtype(a.dtype, np.floating) else a.astype(np.float64)


def stable_softmax(scores, axis=-1):
    work = my_float(scores).copy()
    top = work.max(axis=axis, keepdims=True)
    top[np.isneginf(top)] = 0
    work -= top
    np.exp(work, out=work)
    total = work.sum(axis=axis, keepdims=True)
    total[total == 0] = 1
    work /= total
    return work


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X, W_Q, W_K, W_V = map(my_float, (X, W_Q, W_K, W_V))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = (Q @ K.T / np.sqrt(K.shape[1])).astype(X.dtype)
    visible = np.ones(scores.shape, dtype=bool)
    if causal:
        visible = np.tril(visible)
    hidden = scores.copy()
    hidden[~visible] = -np.inf
    weights = np.exp(hidden - hidden.max(axis=1, keepdims=True))
    weights = (weights / weights.sum(axis=1, keepdims=True)).astype(X.dtype)
    context = (weights @ V).astype(X.dtype)
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": context,
    }
