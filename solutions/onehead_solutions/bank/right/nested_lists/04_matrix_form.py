import numpy as np


def causal_mask(T):
    return [[True] * (i + 1) + [False] * (T - i - 1) for i in range(T)]


def my_row(row):
    top = max(row)
    if top == float("-inf"):
        return [0.0] * len(row)
    e = np.exp(np.array(row, dtype=float) - top)
    return (e / e.sum()).tolist()


def stable_softmax(scores, axis=-1):
    return np.apply_along_axis(my_row, axis, scores * 1.0).tolist()


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = (Q @ K.T / K.shape[1] ** 0.5).tolist()
    visible = causal_mask(len(X)) if causal else [[True] * len(X) for _ in X]
    weights = [
        my_row([s if v else float("-inf") for s, v in zip(*rows)]) for rows in zip(scores, visible)
    ]
    context = (np.array(weights) @ V).tolist()
    names = ["Q", "K", "V", "scores", "visible", "weights", "context"]
    return dict(zip(names, [Q.tolist(), K.tolist(), V.tolist(), scores, visible, weights, context]))


TRACE = {
    "scores[3]": (-1, 0.5, 0, -1.5),
    "weights[1]": (0.3775, 0.6225, 0, 0),
    "weights[3]": (0.1136, 0.5089, 0.3087, 0.0689),
    "context[2]": (-0.6285, 1.8105),
}
