# exercise: lesson-07
# parts: observed_and_causal
# stage: effects
# The change of the whole output is measured.
import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = np.where(np.tri(len(X), dtype=bool), Q @ K.T / K.shape[1] ** 0.5, -np.inf)
    e = np.exp(scores - scores.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    output = weights @ V @ W_O
    effects = np.zeros(len(X), dtype=X.dtype)
    for k in range(len(X)):
        without = V.copy()
        without[k] = 0
        effects[k] = np.linalg.norm(weights @ without @ W_O - output)
    return weights[target].copy(), effects
