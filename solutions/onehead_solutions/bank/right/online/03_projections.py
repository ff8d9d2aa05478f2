import math

import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / math.sqrt(K.shape[1])
    weights = np.zeros_like(scores)
    for i in range(len(X)):
        top, total = -math.inf, 0.0
        for s in scores[i, : i + 1].tolist():
            total = total * math.exp(top - max(top, s)) + math.exp(s - max(top, s))
            top = max(top, s)
        weights[i, : i + 1] = np.exp(scores[i, : i + 1] - top) / total
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
