import math

import numpy as np


def causal_mask(T):
    mask = np.zeros((T, T), dtype=bool)
    for i in range(T):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def stable_softmax(scores, axis=-1):
    out = np.zeros(scores.shape, dtype=np.result_type(scores, 1.0))
    moved_in = np.moveaxis(scores, axis, -1)
    moved_out = np.moveaxis(out, axis, -1)
    for index in np.ndindex(*moved_in.shape[:-1]):
        row = [float(s) for s in moved_in[index]]
        top = max(row)
        if top == -math.inf:
            continue
        exps = [math.exp(s - top) for s in row]
        total = math.fsum(exps)
        for j in range(len(row)):
            moved_out[index + (j,)] = exps[j] / total
    return out


def self_attention(X, W_Q, W_K, W_V, causal=True):
    kind = np.result_type(X, W_Q, W_K, W_V, 1.0)
    T, d_k, d_v = len(X), W_Q.shape[1], W_V.shape[1]
    Q, K, V = np.zeros((T, d_k), kind), np.zeros((T, d_k), kind), np.zeros((T, d_v), kind)
    for W, out in [(W_Q, Q), (W_K, K), (W_V, V)]:
        for t in range(T):
            for d in range(W.shape[1]):
                out[t, d] = sum(float(X[t, m]) * float(W[m, d]) for m in range(len(W)))
    scores, weights = np.zeros((T, T), kind), np.zeros((T, T), kind)
    visible, context = np.zeros((T, T), bool), np.zeros((T, d_v), kind)
    for i in range(T):
        seen = range(i + 1) if causal else range(T)
        for j in range(T):
            scores[i, j] = sum(float(Q[i, d]) * float(K[j, d]) for d in range(d_k)) / math.sqrt(d_k)
        top = max(scores[i, j] for j in seen)
        total = sum(math.exp(scores[i, j] - top) for j in seen)
        for j in seen:
            visible[i, j] = True
            weights[i, j] = math.exp(scores[i, j] - top) / total
        for d in range(d_v):
            context[i, d] = sum(float(weights[i, j]) * float(V[j, d]) for j in seen)
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": context,
    }
