import numpy as np


def causal_mask(T):
    return np.where(np.arange(T) <= np.arange(T)[:, None], True, False)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.where(causal, causal_mask(len(X)), True)

    def row_weights(row, seen):
        shown = np.where(seen, row, -np.inf)
        e = np.exp(shown - shown.max())
        return e / e.sum()

    weights = np.vectorize(row_weights, signature="(k),(k)->(k)")(scores, visible).astype(X.dtype)
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V)
