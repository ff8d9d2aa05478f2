# exercise: lesson-06
# parts: batched_self_attention
# stage: weights
# For each cell, the items compete.
import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    seen = np.ones(scores.shape, bool)
    if visible is not None:
        seen = seen & visible
    weights = np.zeros_like(scores)
    B, T, _ = scores.shape
    for i in range(T):
        for j in range(T):
            items = [b for b in range(B) if seen[b, i, j]]
            if items:
                e = np.exp(scores[items, i, j] - scores[items, i, j].max())
                weights[items, i, j] = e / e.sum()
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
