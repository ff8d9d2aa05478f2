# exercise: lesson-06
# parts: batched_self_attention
# The loop returns after the first item.
import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    for b in range(len(X)):
        x = X[b] * 1.0
        Q, K, V = x @ W_Q, x @ W_K, x @ W_V
        scores = Q @ K.T / K.shape[1] ** 0.5
        seen = np.broadcast_to(True if visible is None else visible, (len(X), *scores.shape))[
            b
        ].copy()
        shown = np.where(seen, scores, -np.inf)
        e = np.exp(shown - np.maximum(shown.max(1, keepdims=True), np.finfo(x.dtype).min))
        weights = e / np.maximum(e.sum(1, keepdims=True), np.finfo(x.dtype).tiny)
        context = weights @ V
        output = context @ W_O
        stages = [Q, K, V, scores, seen, weights, context, output]
        names = ["Q", "K", "V", "scores", "visible", "weights", "context", "output"]
        return {n: s[None] for n, s in zip(names, stages)}
