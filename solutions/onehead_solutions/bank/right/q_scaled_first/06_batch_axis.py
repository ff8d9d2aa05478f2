import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X / 1
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scale = K.shape[-1] ** -0.5
    scores = (Q * scale) @ np.moveaxis(K, 1, 2)
    seen = (
        np.ones_like(scores, dtype=bool)
        if visible is None
        else visible & np.ones_like(scores, dtype=bool)
    )
    shown = np.where(seen, scores, -np.inf)
    shown = shown - np.max(shown, axis=-1, keepdims=True, initial=np.finfo(X.dtype).min)
    e = np.where(seen, np.exp(shown), 0).astype(X.dtype)
    total = e.sum(-1, keepdims=True)
    weights = e / (total + (total == 0))
    context = weights @ V
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": seen,
        "weights": weights,
        "context": context,
        "output": context @ W_O,
    }
