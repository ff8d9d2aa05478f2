import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    wanted = np.float32 if X.dtype == np.float32 else np.float64
    X, W_Q, W_K, W_V, W_O = (np.array(a, dtype=wanted) for a in (X, W_Q, W_K, W_V, W_O))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = K @ Q[target] / np.sqrt(wanted(Q.shape[1]))
    weights = np.zeros(len(X), dtype=wanted)
    weights[: target + 1] = np.exp(scores[: target + 1] - scores[: target + 1].max())
    weights /= weights.sum()
    effects = np.empty(len(X), dtype=wanted)
    for k in range(len(X)):
        effects[k] = np.linalg.norm((weights[k] * V[k]) @ W_O)
    return weights, effects
