import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    shown = np.where(np.tri(len(X), dtype=bool), Q @ K.T / K.shape[1] ** 0.5, -np.inf)
    e = np.exp(shown - shown.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    weights.setflags(write=False)
    effects = np.linalg.norm(weights[target][:, None] * (V @ W_O), axis=1)
    effects.setflags(write=False)
    return weights[target], effects


def misleading_example():
    arrays = [
        np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
        np.array([[0.0, 2.0], [0.0, 0.0], [0.0, 0.0]]),
        np.array([[0.1], [7.0], [0.0]]),
        np.array([[1.0, 1.0, 1.0]]),
    ]
    for a in arrays:
        a.setflags(write=False)
    return (*arrays, 1)
