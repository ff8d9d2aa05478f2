import numpy as np


def my_attention(X, W_Q, W_K, W_V, W_O, seen):
    """Any number of leading axes."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / K.shape[-1] ** 0.5
    shown = np.where(seen, scores, -np.inf)
    top = np.where(seen.any(-1, keepdims=True), shown.max(-1, keepdims=True), 0).astype(X.dtype)
    e = np.exp(shown - top)
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    context = weights @ V
    return Q, K, V, scores, seen, weights, context, context @ W_O


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    T = X.shape[-2]
    seen = np.ones((*X.shape[:-2], T, T), bool)
    if visible is not None:
        seen = np.logical_and(seen, visible)
    names = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")
    return dict(zip(names, my_attention(X * 1.0, W_Q, W_K, W_V, W_O, seen)))


def broadcast_visible(visible, B, T_q, T_k):
    full = (B, T_q, T_k)
    mask = np.ones((T_q, T_k), bool) if visible is None else visible
    wrong = mask.ndim not in (2, 3) or mask.shape[-1] != T_k
    wrong = wrong or (mask.ndim == 2 and mask.shape[0] != T_q)
    if not wrong:
        wrong = any(given not in (1, due) for given, due in zip(mask.shape[::-1], full[::-1]))
    if wrong:
        raise ValueError(f"shape {mask.shape} for {full}")
    return np.logical_and(mask, np.ones(full, bool))
