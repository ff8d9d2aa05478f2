# exercise: lesson-07
# parts: observed_and_causal
# stage: weights
# The weights come from unscaled scores.
import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = (K @ Q[target])[: target + 1]
    e = np.exp(scores - scores.max())
    weights = np.append(e / e.sum(), np.zeros(len(X) - target - 1, dtype=e.dtype))
    effects = np.linalg.norm((weights[:, None] * V) @ W_O, axis=1)
    return weights, effects
