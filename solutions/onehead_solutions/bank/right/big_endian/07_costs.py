import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    V = X @ W_V
    row = X @ W_K @ (X[target] @ W_Q) / W_Q.shape[1] ** 0.5
    row[target + 1 :] = -np.inf
    e = np.exp(row - row.max())
    weights = e / e.sum()
    effects = np.linalg.norm(weights[:, None] * V @ W_O, axis=1)
    kind = X.dtype.newbyteorder(">")
    return weights.astype(kind), effects.astype(kind)


def attention_cost(T, d_model, d_k, d_v, batch=1):
    sizes = np.array([T, d_model, d_k, d_v, batch], dtype=">i8")
    T, d_model, d_k, d_v, batch = sizes
    cost = {
        "score_entries": batch * T * T,
        "scores": batch * T * T * d_k,
        "weighted_sum": batch * T * T * d_v,
    }
    cost["projections"] = batch * T * d_model * (2 * d_k + d_v)
    cost["output_projection"] = batch * T * d_model * d_v
    cost["total"] = sum(n for name, n in cost.items() if name != "score_entries")
    return cost
