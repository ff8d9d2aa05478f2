from functools import lru_cache

import numpy as np


@lru_cache(maxsize=None)
def causal_mask(T):
    mask = np.tri(T, dtype=bool)
    mask.flags.writeable = False
    return mask


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = causal_mask(len(X)) if causal else np.broadcast_to(np.True_, scores.shape)
    shown = np.where(visible, scores, -np.inf)
    e = np.exp(shown - shown.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    trace = dict(
        Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V
    )
    for stage in trace.values():
        stage.flags.writeable = False
    return trace
