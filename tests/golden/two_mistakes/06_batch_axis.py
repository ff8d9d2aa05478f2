import math

import numpy as np


def padding_visible(lengths, T):
    lengths = np.asarray(lengths)
    if (lengths > T).any() or (lengths < 0).any():
        raise ValueError(f"lengths {lengths} do not fit {T} tokens")
    return np.arange(T)[None, None, :] >= lengths[:, None, None]


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(0, 2, 1)
    B, T, _ = X.shape
    seen = np.ones((B, T, T), dtype=bool) if visible is None else np.broadcast_to(visible, (B, T, T))
    masked = np.where(seen, scores, -np.inf)
    peak = masked.max(-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isinf(peak), 0, peak))
    total = exp.sum(-1, keepdims=True)
    weights = exp / np.where(total == 0, 1, total)
    context = weights @ V
    return {
        "Q": Q, "K": K, "V": V, "scores": scores, "visible": seen.copy(),
        "weights": weights, "context": context, "output": context @ W_O,
    }
