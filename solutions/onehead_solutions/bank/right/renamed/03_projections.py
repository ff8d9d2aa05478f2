import numpy as np


def attend(X, W_Q, W_K, W_V):
    x = X * 1.0
    k, q, v = x @ W_Q, x @ W_K, x @ W_V
    a = k @ q.T / q.shape[1] ** 0.5
    p = np.exp(
        np.where(np.tri(len(x), dtype=bool), a, -np.inf)
        - np.tril(a - a[:, :1]).max(1, keepdims=True)
        - a[:, :1]
    )
    p = p / p.sum(1, keepdims=True)
    return {"Q": k, "K": q, "V": v, "scores": a, "weights": p, "context": p @ v}
