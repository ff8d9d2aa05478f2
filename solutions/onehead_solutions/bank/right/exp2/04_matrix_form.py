import numpy as np


def causal_mask(T):
    return np.fromfunction(lambda i, j: i >= j, (T, T))


def stable_softmax(scores, axis=-1):
    scores = scores * 1.0
    top = np.max(scores, axis=axis, keepdims=True)
    top = np.where(top > -np.inf, top, 0).astype(scores.dtype)
    powers = np.exp2((scores - top) * float(np.log2(np.e)))
    total = powers.sum(axis=axis, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total != 0)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / Q.shape[1] ** 0.5
    visible = causal_mask(len(X)) if causal else np.full(scores.shape, True)
    weights = stable_softmax(np.where(visible, scores, -np.inf))
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V)
