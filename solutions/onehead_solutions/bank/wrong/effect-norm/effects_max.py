# exercise: lesson-07
# parts: observed_and_causal
# stage: effects
# The largest change of a coordinate.
import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = np.where(np.tri(len(X), dtype=bool), Q @ K.T / K.shape[1] ** 0.5, -np.inf)
    e = np.exp(scores - scores.max(1, keepdims=True))
    weights = (e / e.sum(1, keepdims=True))[target].copy()
    effects = np.abs((weights[:, None] * V) @ W_O).max(1)
    return weights, effects
