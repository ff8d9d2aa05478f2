import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    print(f"{Q=}\n{K=}\n{V=}")
    scores = Q @ K.T / K.shape[1] ** 0.5
    biased = scores + np.log(np.tri(len(X), dtype=X.dtype))
    e = np.exp(biased - biased.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    print(weights.sum(1))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}


def changed_stages(before, after, atol=1e-9):
    names = []
    for name in before:
        gap = np.abs(before[name] - after[name]).max()
        print(f"{name:>10} {gap:.3g}", "changed" if gap > atol else "")
        names += [name] if gap > atol else []
    return names
