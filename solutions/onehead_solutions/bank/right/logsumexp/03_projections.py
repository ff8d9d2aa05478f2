import numpy as np


def my_log_weights(scores):
    top = scores.max(axis=-1, keepdims=True)
    return scores - (top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))


def attend(X, W_Q, W_K, W_V):
    X, W_Q, W_K, W_V = (a.astype(np.result_type(a, 1.0)) for a in (X, W_Q, W_K, W_V))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / Q.shape[1] ** 0.5
    future = np.triu(np.ones_like(scores, dtype=bool), k=1)
    weights = np.exp(my_log_weights(np.where(future, -np.inf, scores)))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
