# exercise: lesson-07
# parts: observed_and_causal
# stage: effects
# The whole token is set to zero, its key and query too.
import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = np.where(np.tri(len(X), dtype=bool), Q @ K.T / K.shape[1] ** 0.5, -np.inf)
    e = np.exp(scores - scores.max(1, keepdims=True))
    weights = (e / e.sum(1, keepdims=True))[target].copy()
    full = weights @ V @ W_O
    effects = np.zeros(len(X), dtype=X.dtype)
    for k in range(len(X)):
        Y = X.copy()
        Y[k] = 0
        row = (Y @ W_Q)[target] @ (Y @ W_K).T / W_Q.shape[1] ** 0.5
        row[target + 1 :] = -np.inf
        p = np.exp(row - row.max())
        effects[k] = np.linalg.norm(p / p.sum() @ (Y @ W_V) @ W_O - full)
    return weights, effects
