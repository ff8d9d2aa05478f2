import numpy as np


def padding_visible(lengths, T):
    for n in lengths:
        if n > T or n < 0:
            raise ValueError(f"length {n}, tokens {T}")
    seen = np.arange(T)[:, None] < np.asarray(lengths)  # (T, B)
    return seen.T[:, None]


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = np.asfortranarray(X * 1.0)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(0, 2, 1) / K.shape[2] ** 0.5
    by_key = np.moveaxis(scores, 2, 0)  # softmax over the first axis
    seen = np.moveaxis(np.ones(scores.shape, bool) & (True if visible is None else visible), 2, 0)
    top = np.where(seen, by_key, -np.inf).max(0)
    e = np.exp(np.where(seen, by_key, -np.inf) - np.where(np.isinf(top), 0, top))
    total = e.sum(0)
    weights = np.moveaxis(e / np.where(total == 0, 1, total), 0, 2)
    context = weights @ V
    stages = [Q, K, V, scores, np.moveaxis(seen, 0, 2), weights, context, context @ W_O]
    names = ["Q", "K", "V", "scores", "visible", "weights", "context", "output"]
    return {n: np.asfortranarray(s) for n, s in zip(names, stages)}
