import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X, W_Q, W_K, W_V, W_O = (a * 1.0 for a in (X, W_Q, W_K, W_V, W_O))
    row = X @ (W_K @ (W_Q.T @ X[target])) / W_Q.shape[1] ** 0.5
    row[np.arange(len(X)) > target] = -np.inf
    e = np.exp(row - row.max())
    weights = e / e.sum()
    return weights, np.linalg.norm(np.diag(weights) @ X @ (W_V @ W_O), axis=1)
