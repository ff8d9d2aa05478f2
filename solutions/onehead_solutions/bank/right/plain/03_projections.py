import numpy as np


def attend(X, W_Q, W_K, W_V):
    dtype = np.result_type(X, W_Q, W_K, W_V, 1.0)
    X = X.astype(dtype)
    Q = X @ W_Q.astype(dtype)
    K = X @ W_K.astype(dtype)
    V = X @ W_V.astype(dtype)
    scores = Q @ K.T / float(np.sqrt(K.shape[1]))
    visible = np.tril(np.ones(scores.shape, dtype=bool))
    hidden = np.where(visible, scores, -np.inf)
    exps = np.exp(hidden - hidden.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    if which == "W_Q":
        return attend(X, replacement, W_K, W_V)
    if which == "W_K":
        return attend(X, W_Q, replacement, W_V)
    if which == "W_V":
        return attend(X, W_Q, W_K, replacement)
    raise ValueError(f"no projection is called {which!r}; choose W_Q, W_K or W_V")


def changed_stages(before, after, atol=1e-9):
    stages = []
    for name in ["Q", "K", "V", "scores", "weights", "context"]:
        if np.abs(before[name] - after[name]).max() > atol:
            stages.append(name)
    return stages


ABLATIONS = {
    "W_Q": ["Q", "scores", "weights", "context"],
    "W_K": ["K", "scores", "weights", "context"],
    "W_V": ["V", "context"],
}
