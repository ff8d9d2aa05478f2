import math

import numpy as np


def padding_visible(lengths, T):
    rows = []
    for length in lengths:
        if not 0 <= length <= T:
            raise ValueError(f"length {length} for T = {T}")
        rows.append([[t < length for t in range(T)]])
    return np.array(rows)


def broadcast_visible(visible, B, T_q, T_k):
    out = np.zeros((B, T_q, T_k), dtype=bool)
    if visible is not None:
        ok = visible.ndim in (2, 3) and visible.shape[-1] == T_k
        if ok and visible.ndim == 2:
            ok = visible.shape[0] == T_q
        if ok and visible.ndim == 3:
            ok = visible.shape[0] in (1, B) and visible.shape[1] in (1, T_q)
        if not ok:
            raise ValueError(f"visible is {visible.shape}, the scores are {(B, T_q, T_k)}")
    for b in range(B):
        for i in range(T_q):
            for j in range(T_k):
                if visible is None:
                    out[b, i, j] = True
                elif visible.ndim == 2:
                    out[b, i, j] = visible[i, j]
                else:
                    bb = b if visible.shape[0] > 1 else 0
                    ii = i if visible.shape[1] > 1 else 0
                    out[b, i, j] = visible[bb, ii, j]
    return out


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    kind = np.result_type(X, W_Q, W_K, W_V, W_O, 1.0)
    B, T, d_model = X.shape
    seen = broadcast_visible(visible, B, T, T)
    names = ["Q", "K", "V", "scores", "visible", "weights", "context", "output"]
    items = {name: [] for name in names}
    for b in range(B):
        x = X[b].astype(kind)
        Q, K, V = x @ W_Q.astype(kind), x @ W_K.astype(kind), x @ W_V.astype(kind)
        scores, weights = np.zeros((T, T), kind), np.zeros((T, T), kind)
        for i in range(T):
            for j in range(T):
                scores[i, j] = float(Q[i] @ K[j]) / math.sqrt(W_K.shape[1])
            keys = [j for j in range(T) if seen[b, i, j]]
            if keys:
                top = max(float(scores[i, j]) for j in keys)
                exps = {j: math.exp(float(scores[i, j]) - top) for j in keys}
                for j in keys:
                    weights[i, j] = exps[j] / sum(exps.values())
        context = weights @ V
        output = context @ W_O.astype(kind)
        for name, value in zip(names, [Q, K, V, scores, seen[b], weights, context, output]):
            items[name].append(value)
    return {name: np.array(items[name]) for name in names}


def items_interact(layer, X):
    X = X * 1.0
    first = np.array(layer(X + 0))
    for changed in range(len(X)):
        Y = X + 0
        for t in range(X.shape[1]):
            for d in range(X.shape[2]):
                Y[changed, t, d] = 3 * X[changed, t, d] + 1.1 + (t + d) % 3
        second = np.array(layer(Y))
        for other in range(len(X)):
            if other != changed and abs(first[other] - second[other]).max() > 1e-6:
                return True
    return False
