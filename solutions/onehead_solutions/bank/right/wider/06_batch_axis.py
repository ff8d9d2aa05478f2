import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    kind = np.result_type(X, W_Q, W_K, W_V, W_O, 1.0)
    X, W_Q, W_K, W_V, W_O = (np.asarray(a, dtype=np.longdouble) for a in (X, W_Q, W_K, W_V, W_O))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(np.longdouble(K.shape[2]))
    seen = np.ones(scores.shape, bool) if visible is None else np.ones(scores.shape, bool) & visible
    shown = np.where(seen, scores, -np.inf)
    top = shown.max(-1, keepdims=True)
    weights = np.exp(shown - np.where(np.isinf(top), 0, top))
    weights /= np.maximum(weights.sum(-1, keepdims=True), 1)
    context = weights @ V
    stages = {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": seen,
        "weights": weights,
        "context": context,
    }
    stages["output"] = context @ W_O
    return {n: s if s.dtype == bool else s.astype(kind) for n, s in stages.items()}
