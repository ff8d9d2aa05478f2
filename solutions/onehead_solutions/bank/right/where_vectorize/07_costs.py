import numpy as np


def path_length(architecture, distance, kernel=3):
    names = ["self-attention", "recurrent", "convolution"]
    if architecture not in names:
        raise ValueError(f"{architecture} not in {names}")
    steps = np.choose(names.index(architecture), [1, distance, -(-distance // max(kernel - 1, 1))])
    return int(steps)


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    row = np.where(np.arange(len(X)) <= target, (Q @ K.T)[target] / K.shape[1] ** 0.5, -np.inf)
    e = np.exp(row - row.max())
    weights = (e / e.sum()).astype(X.dtype)
    full = weights @ V @ W_O

    def effect(k):
        return np.linalg.norm(
            weights @ np.where(np.arange(len(X))[:, None] == k, 0, V) @ W_O - full
        )

    return weights, np.vectorize(effect, otypes=[X.dtype])(np.arange(len(X)))
