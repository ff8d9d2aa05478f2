import math

import numpy as np


def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = dict.fromkeys(
        ["projections", "scores", "weighted_sum", "output_projection", "total", "score_entries"], 0
    )
    for _ in range(batch):
        for width in (d_k, d_k, d_v):
            cost["projections"] += T * d_model * width
        for _query in range(T):
            cost["scores"] += T * d_k
            cost["weighted_sum"] += T * d_v
            cost["score_entries"] += T
            cost["output_projection"] += d_v * d_model
    for name in ["projections", "scores", "weighted_sum", "output_projection"]:
        cost["total"] += cost[name]
    return cost


def path_length(architecture, distance, kernel=3):
    reach = {"self-attention": distance, "recurrent": 1, "convolution": kernel - 1}
    if architecture not in reach:
        raise ValueError("not an architecture: " + architecture)
    steps = 0
    left = distance
    while left > 0:
        left -= reach[architecture]
        steps += 1
    return steps


def sequential_passes(tokens, mode):
    if mode not in ("training", "generation"):
        raise ValueError("not a mode: " + mode)
    passes = 0
    for _ in range(1 if mode == "training" else tokens):
        passes += 1
    return passes


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    kind = np.result_type(X, W_Q, W_K, W_V, W_O, 1.0)
    X = X.astype(kind)
    T = len(X)
    q, K, V = X[target] @ W_Q.astype(kind), X @ W_K.astype(kind), X @ W_V.astype(kind)
    scores = [float(q @ K[j]) / math.sqrt(len(q)) for j in range(target + 1)]
    exps = [math.exp(s - max(scores)) for s in scores]
    weights, effects = np.zeros(T, kind), np.zeros(T, kind)
    for j in range(target + 1):
        weights[j] = exps[j] / sum(exps)
        change = weights[j] * V[j] @ W_O.astype(kind)
        effects[j] = math.sqrt(sum(float(c) ** 2 for c in change))
    return weights, effects


def misleading_example():
    X = np.eye(4)
    W_Q = np.ones((4, 2))
    W_K = np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 0.1], [0.4, 0.4]])
    W_V = np.array([[9.0], [0.1], [-0.5], [0.3]])
    W_O = np.array([[1.0, 0.0, -1.0, 0.0]])
    return X, W_Q, W_K, W_V, W_O, 3
