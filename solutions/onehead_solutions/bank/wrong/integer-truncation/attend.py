# exercise: lesson-03
# parts: attend, ablate
# stage: weights
# Integer inputs make an integer weight matrix.
import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool)
    weights = np.zeros((len(X), len(X)), dtype=W_Q.dtype)
    for i, row in enumerate(scores):
        e = np.exp(row[: i + 1] - row[: i + 1].max())
        weights[i, : i + 1] = e / e.sum()
    context = weights @ V
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": context}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    matrices = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in matrices:
        raise ValueError(f"unknown projection {which}")
    matrices[which] = replacement
    return attend(X, **matrices)
