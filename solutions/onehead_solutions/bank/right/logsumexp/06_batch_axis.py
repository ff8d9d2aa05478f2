import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X, W_Q, W_K, W_V, W_O = (a.astype(np.result_type(a, 1.0)) for a in (X, W_Q, W_K, W_V, W_O))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    seen = np.ones(scores.shape, dtype=bool)
    if visible is not None:
        seen &= visible
    logits = np.where(seen, scores, -np.inf)
    lse = np.logaddexp.reduce(logits, axis=-1)[..., None]
    lse[np.isneginf(lse)] = 0
    weights = np.exp(logits - lse)
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
