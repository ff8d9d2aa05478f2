import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    product = np.vectorize(np.dot, signature="(m),(m)->()")
    Q, K, V = (product(X[:, None], W.T[None]).astype(X.dtype) for W in (W_Q, W_K, W_V))
    scores = product(Q[:, None], K[None]).astype(X.dtype) / K.shape[1] ** 0.5
    i, j = np.ogrid[: len(X), : len(X)]
    shown = np.where(j <= i, scores, -np.inf)
    e = np.exp(shown - shown.max(-1)[:, None])
    weights = np.where(j <= i, e / e.sum(-1)[:, None], 0).astype(X.dtype)
    return dict(Q=Q, K=K, V=V, scores=scores, weights=weights, context=weights @ V)


def changed_stages(before, after, atol=1e-9):
    names = np.array(["Q", "K", "V", "scores", "weights", "context"])
    moved = [(np.abs(before[str(n)] - after[str(n)]) > atol).any() for n in names]
    return names[np.where(moved)].tolist()
