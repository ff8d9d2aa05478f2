import numpy as np


def attend(X, W_Q, W_K, W_V):
    wanted = X.dtype if X.dtype.kind == "f" else np.dtype(np.float64)
    X = np.array(X, dtype=wanted)
    Q, K, V = X @ np.array(W_Q, wanted), X @ np.array(W_K, wanted), X @ np.array(W_V, wanted)
    scores = Q @ K.T
    scores /= np.sqrt(Q.shape[1])  # in place, so the dtype stays
    weights = scores.copy()
    weights[~np.tri(len(X), dtype=bool)] = -np.inf
    weights -= weights.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}


def changed_stages(before, after, atol=1e-9):
    return [
        stage
        for stage in ("Q", "K", "V", "scores", "weights", "context")
        if np.any(np.abs(np.float64(before[stage]) - np.float64(after[stage])) > atol)
    ]
