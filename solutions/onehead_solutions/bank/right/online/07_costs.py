import math

import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    q, K, V = X[target] @ W_Q, X @ W_K, X @ W_V
    scores = [float(K[j] @ q) / math.sqrt(len(q)) for j in range(target + 1)]
    top, total = -math.inf, 0.0
    for s in scores:
        if s > top:
            total, top = total * math.exp(top - s), s
        total += math.exp(s - top)
    weights = np.zeros(len(X), X.dtype)
    for j, s in enumerate(scores):
        weights[j] = math.exp(s - top) / total
    return weights, np.sqrt((((weights[:, None] * V) @ W_O) ** 2).sum(1))


def sequential_passes(tokens, mode):
    passes = dict(training=1, generation=tokens).get(mode)
    if passes is None:
        raise ValueError("mode " + mode)
    return passes


def path_length(architecture, distance, kernel=3):
    if architecture == "convolution":
        whole, rest = divmod(distance, kernel - 1)
        return whole + bool(rest)
    if architecture not in {"self-attention", "recurrent"}:
        raise ValueError(architecture)
    return distance if architecture == "recurrent" else 1
