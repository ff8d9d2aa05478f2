import math

import numpy as np


def my_dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += float(x) * float(y)
    return total


def my_matmul(A, B):
    return [[my_dot(row, column) for column in zip(*B)] for row in A]


def attend(X, W_Q, W_K, W_V):
    kind = np.result_type(X, W_Q, W_K, W_V, 1.0)
    Q = np.array(my_matmul(X, W_Q), dtype=kind)
    K = np.array(my_matmul(X, W_K), dtype=kind)
    V = np.array(my_matmul(X, W_V), dtype=kind)
    T = len(X)
    scores = np.zeros((T, T), dtype=kind)
    weights = np.zeros((T, T), dtype=kind)
    context = np.zeros((T, V.shape[1]), dtype=kind)
    for i in range(T):
        for j in range(T):
            scores[i, j] = my_dot(Q[i], K[j]) / math.sqrt(Q.shape[1])
        top = max(float(scores[i, j]) for j in range(i + 1))
        exps = [math.exp(float(scores[i, j]) - top) for j in range(i + 1)]
        for j in range(i + 1):
            weights[i, j] = exps[j] / sum(exps)
        for d in range(V.shape[1]):
            context[i, d] = my_dot(weights[i], V[:, d])
    trace = {}
    trace["Q"] = Q
    trace["K"] = K
    trace["V"] = V
    trace["scores"] = scores
    trace["weights"] = weights
    trace["context"] = context
    return trace


def changed_stages(before, after, atol=1e-9):
    names = []
    for name in before:
        changed = False
        for a, b in zip(np.ravel(before[name]), np.ravel(after[name])):
            if abs(float(a) - float(b)) > atol:
                changed = True
        if changed:
            names.append(name)
    return names
