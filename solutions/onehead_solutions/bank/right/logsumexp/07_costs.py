import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X, W_Q, W_K, W_V, W_O = (a.astype(np.result_type(a, 1.0)) for a in (X, W_Q, W_K, W_V, W_O))
    scores = (X @ W_K) @ (X[target] @ W_Q) / W_Q.shape[1] ** 0.5
    scores[target + 1 :] = -np.inf
    weights = np.exp(scores - np.logaddexp.reduce(scores))
    return weights, weights * np.linalg.norm(X @ W_V @ W_O, axis=1)
