import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    kind = np.result_type(X, W_Q, W_K, W_V, 1.0)
    Q, K, V = ((X @ W).astype(kind) for W in (W_Q, W_K, W_V))
    scores = (Q @ K.T / np.sqrt(K.shape[1])).astype(kind)
    visible = np.tri(len(X)) > 0 if causal else np.ones((len(X), len(X))) > 0
    bias = np.zeros(visible.shape, dtype=kind)
    bias[np.logical_not(visible)] = -np.inf
    biased = scores + bias
    e = np.exp(biased - biased.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V)
