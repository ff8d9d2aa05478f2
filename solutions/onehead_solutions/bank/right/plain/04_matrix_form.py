import numpy as np


def causal_mask(T):
    return np.tril(np.ones((T, T), dtype=bool))


def stable_softmax(scores, axis=-1):
    scores = scores.astype(np.result_type(scores, 1.0))
    top = scores.max(axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0, top)
    exps = np.exp(scores - top)
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total == 0, 1, total)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    dtype = np.result_type(X, W_Q, W_K, W_V, 1.0)
    X = X.astype(dtype)
    Q, K, V = X @ W_Q.astype(dtype), X @ W_K.astype(dtype), X @ W_V.astype(dtype)
    scores = Q @ K.T / float(np.sqrt(K.shape[1]))
    visible = causal_mask(len(X)) if causal else np.ones(scores.shape, dtype=bool)
    weights = stable_softmax(np.where(visible, scores, -np.inf))
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": weights @ V,
    }


TRACE = {
    "scores[3]": [-1.0, 0.5, 0.0, -1.5],
    "weights[1]": [0.37754067, 0.62245933, 0.0, 0.0],
    "weights[3]": [0.11355247, 0.50890686, 0.30866761, 0.06887305],
    "context[2]": [-0.62853172, 1.81049075],
}
