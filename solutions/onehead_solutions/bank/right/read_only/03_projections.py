from types import MappingProxyType

import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    shown = scores.copy()
    shown[np.triu_indices(len(X), 1)] = -np.inf
    e = np.exp(shown - shown.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    trace = {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
    for stage in trace.values():
        stage.setflags(write=False)
    return trace


PROJECTIONS = MappingProxyType({"W_Q": 0, "W_K": 1, "W_V": 2})


def ablate(X, W_Q, W_K, W_V, which, replacement):
    if which not in PROJECTIONS:
        raise ValueError(f"{which} is not in {list(PROJECTIONS)}")
    matrices = [W_Q, W_K, W_V]
    matrices[PROJECTIONS[which]] = replacement
    return attend(X, *matrices)
