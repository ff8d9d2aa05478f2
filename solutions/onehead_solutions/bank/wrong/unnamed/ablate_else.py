# exercise: lesson-03
# parts: ablate
# Anything but W_Q and W_K counts as W_V.
import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool)
    shown = np.where(visible, scores, -np.inf)
    e = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    context = weights @ V
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": context}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    if which == "W_Q":
        return attend(X, replacement, W_K, W_V)
    if which == "W_K":
        return attend(X, W_Q, replacement, W_V)
    return attend(X, W_Q, W_K, replacement)
