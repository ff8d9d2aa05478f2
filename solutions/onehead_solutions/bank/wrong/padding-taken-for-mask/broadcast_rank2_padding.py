# exercise: lesson-06
# parts: broadcast_visible
# Rank 2 is taken for (B, T_k) where that fits.
import numpy as np


def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    if visible.shape == (B, T_k):
        visible = visible[:, None]
    elif visible.shape == (T_q, T_k):
        visible = visible[None]
    if (
        visible.ndim != 3
        or visible.shape[2] != T_k
        or visible.shape[0] not in (1, B)
        or visible.shape[1] not in (1, T_q)
    ):
        raise ValueError(f"{visible.shape} and {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    seen = np.ones(scores.shape, bool)
    if visible is not None:
        seen = seen & visible
    shown = np.where(seen, scores, -np.inf)
    top = np.where(seen.any(-1, keepdims=True), shown.max(-1, keepdims=True), 0).astype(X.dtype)
    e = np.exp(shown - top)
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    context = weights @ V
    output = context @ W_O
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": seen,
        "weights": weights,
        "context": context,
        "output": output,
    }
