import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X.astype(float)
    scores = ((X @ W_K)[: target + 1] @ (X[target] @ W_Q)) / W_Q.shape[1] ** 0.5
    e = np.exp(scores - scores.max())
    weights = (e / e.sum()).tolist() + [0.0] * (len(X) - target - 1)
    pushed = X @ W_V @ W_O
    effects = [w * float(np.sqrt((row**2).sum())) for w, row in zip(weights, pushed)]
    return [weights, effects]


def misleading_example():
    X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    W_Q = [[1.0], [0.0]]
    W_K = [[1.5], [0.0]]
    W_V = [[0.0, -0.2], [4.0, 0.1]]
    W_O = [[1.0, -1.0], [0.5, 0.0]]
    return [X, W_Q, W_K, W_V, W_O, 1]
