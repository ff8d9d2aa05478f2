import numpy as np


def causal_mask(T):
    return np.tril(np.ones((T, T), dtype=bool))


def stable_softmax(scores, axis=-1):
    shifted = scores - scores.max(axis=axis, keepdims=True)
    exp = np.exp(shifted)
    return exp / exp.sum(axis=axis, keepdims=True)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X.astype(np.result_type(X, np.float32))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / np.sqrt(K.shape[1]).astype(X.dtype)
    visible = causal_mask(len(X)) if causal else np.ones((len(X), len(X)), dtype=bool)
    weights = stable_softmax(scores) * visible
    return {
        "Q": Q, "K": K, "V": V, "scores": scores,
        "visible": visible, "weights": weights, "context": weights @ V,
    }
