import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    seen = np.ones(scores.shape, bool)
    if visible is not None:
        seen &= visible
    masked = np.ma.array(scores, mask=~seen, copy=True)
    e = np.ma.exp(masked - masked.max(axis=2, keepdims=True))
    weights = (e / e.sum(axis=2, keepdims=True)).astype(X.dtype)
    context = weights.filled(0) @ V
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": seen,
        "weights": weights,
        "context": np.ma.array(context),
        "output": context @ W_O,
    }
