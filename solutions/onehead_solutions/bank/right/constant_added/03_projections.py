import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    mask = np.where(np.tri(len(X), dtype=bool), 1.0, -np.inf).astype(X.dtype)
    shown = scores + mask
    e = np.exp(shown - shown.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
