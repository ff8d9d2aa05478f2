import numpy as np


def stable_softmax(scores, axis=-1):
    rows = np.moveaxis(scores * 1.0, axis, 0)
    top = np.full_like(rows[0], -np.inf)
    total = np.zeros_like(top)
    for row in rows:
        higher = np.maximum(top, row)
        safe = np.where(np.isneginf(higher), 0, higher).astype(rows.dtype)
        total = total * np.exp(top - safe) + np.exp(row - safe)
        top = higher
    safe = np.where(np.isneginf(top), 0, top).astype(rows.dtype)
    total = np.where(total == 0, 1, total).astype(rows.dtype)
    return np.moveaxis(np.exp(rows - safe) / total, 0, axis)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    T = len(X)
    visible = np.zeros((T, T), bool)
    top = np.full(T, -np.inf, X.dtype)
    total = np.zeros(T, X.dtype)
    weights = np.zeros((T, T), X.dtype)
    for j in range(T):  # one key at a time, for every query that sees it
        who = np.arange(T) >= j if causal else np.full(T, True)
        visible[:, j] = who
        higher = np.where(who, np.maximum(top, scores[:, j]), top)
        shrink = np.exp(np.where(who, top - np.where(who, higher, 0), 0)).astype(X.dtype)
        gain = np.where(who, np.exp(np.where(who, scores[:, j] - higher, 0)), 0).astype(X.dtype)
        weights *= shrink[:, None]
        weights[:, j] = gain
        total = total * shrink + gain
        top = higher
    weights /= total[:, None]
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V)
