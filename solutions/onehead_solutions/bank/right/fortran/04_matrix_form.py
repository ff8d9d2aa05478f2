import numpy as np


def causal_mask(T):
    return np.triu(np.ones((T, T), bool)).T


def self_attention(X, W_Q, W_K, W_V, causal=True):
    columns = (X * 1.0).T
    Q, K, V = W_Q.T @ columns, W_K.T @ columns, W_V.T @ columns
    scores = K.T @ Q / len(K) ** 0.5  # keys by queries, as in books that write tokens as columns
    visible = causal_mask(columns.shape[1]).T if causal else np.ones(scores.shape, bool)
    shown = np.where(visible, scores, -np.inf)
    e = np.exp(shown - shown.max(axis=0))
    weights = e / e.sum(axis=0)
    context = V @ weights
    names = ["Q", "K", "V", "scores", "visible", "weights", "context"]
    return {n: a.T for n, a in zip(names, [Q, K, V, scores, visible, weights, context])}
