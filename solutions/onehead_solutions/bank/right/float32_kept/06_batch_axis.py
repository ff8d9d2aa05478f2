import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    wanted = np.float32 if X.dtype == np.float32 else np.float64
    X, W_Q, W_K, W_V, W_O = (np.array(a, dtype=wanted) for a in (X, W_Q, W_K, W_V, W_O))
    B, T, _ = X.shape
    Q, K, V = np.matmul(X, W_Q), np.matmul(X, W_K), np.matmul(X, W_V)
    scores = np.matmul(Q, np.transpose(K, (0, 2, 1))) / np.sqrt(wanted(Q.shape[2]))
    seen = np.ones((B, T, T), dtype=bool)
    if visible is not None:
        seen[...] = visible
    weights = np.full((B, T, T), -np.inf, dtype=wanted)
    np.copyto(weights, scores, where=seen)
    top = weights.max(axis=2, keepdims=True)
    weights -= np.maximum(top, np.finfo(wanted).min)
    np.exp(weights, out=weights)
    total = weights.sum(axis=2, keepdims=True)
    np.divide(weights, total, out=weights, where=total > 0)
    context = np.matmul(weights, V)
    output = np.matmul(context, W_O)
    names = ["Q", "K", "V", "scores", "visible", "weights", "context", "output"]
    return dict(zip(names, [Q, K, V, scores, seen, weights, context, output]))
