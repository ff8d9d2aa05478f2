import numpy as np


def items_interact(layer, X):
    X = X * 1.0
    base = np.asarray(layer(X.copy()))
    hits = np.zeros((len(X), len(X)), dtype=bool)
    for b in range(len(X)):
        Y = X.copy()
        Y[b] = np.sin(np.arange(1, Y[b].size + 1)).reshape(Y[b].shape).astype(X.dtype) - Y[b]
        hits[b] = np.abs(np.asarray(layer(Y)) - base).reshape(len(X), -1).max(axis=1) > 1e-7
    return hits[~np.eye(len(X), dtype=bool)].any()
