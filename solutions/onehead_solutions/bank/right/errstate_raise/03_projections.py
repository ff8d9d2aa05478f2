import numpy as np


@np.errstate(over="raise", invalid="raise", divide="raise")
def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    seen = np.tri(len(X), dtype=bool)
    top = scores.max(axis=1, where=seen, initial=np.finfo(X.dtype).min)
    e = np.exp(np.where(seen, scores - top[:, None], 0)) * seen
    weights = e / e.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
