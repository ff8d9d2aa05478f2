import math

import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = X @ (W_Q / math.sqrt(W_Q.shape[1])) @ K.T
    rows = []
    for i, row in enumerate(scores):
        e = np.exp(row[: i + 1] - row[: i + 1].max())
        rows.append(np.concatenate([e / e.sum(), np.zeros(len(X) - i - 1, dtype=e.dtype)]))
    weights = np.stack(rows)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
