import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    mask = np.full(scores.shape, 1, dtype=X.dtype)
    if visible is not None:
        mask[~np.broadcast_to(visible, mask.shape)] = -np.inf
    shown = scores + mask
    top = np.maximum(shown.max(-1, keepdims=True), np.finfo(X.dtype).min)
    e = np.exp(shown - top)
    weights = e / np.maximum(e.sum(-1, keepdims=True), np.finfo(X.dtype).tiny)
    context = weights @ V
    output = context @ W_O
    return dict(
        Q=Q,
        K=K,
        V=V,
        scores=scores,
        visible=mask > 0,
        weights=weights,
        context=context,
        output=output,
    )
