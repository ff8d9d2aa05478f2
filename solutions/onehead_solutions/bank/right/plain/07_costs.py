import numpy as np


def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": batch * T * d_model * (d_k + d_k + d_v),
        "scores": batch * T * T * d_k,
        "weighted_sum": batch * T * T * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T * T
    return cost


def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        layers = 0
        while layers * (kernel - 1) < distance:
            layers += 1
        return layers
    raise ValueError(f"unknown architecture {architecture}")


def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    if mode == "generation":
        return tokens
    raise ValueError(f"unknown mode {mode}")


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    dtype = np.result_type(X, W_Q, W_K, W_V, W_O, 1.0)
    X = X.astype(dtype)
    T = len(X)
    Q, K, V = X @ W_Q.astype(dtype), X @ W_K.astype(dtype), X @ W_V.astype(dtype)
    scores = Q @ K.T / float(np.sqrt(K.shape[1]))
    scores = np.where(np.tril(np.ones((T, T), dtype=bool)), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    output = weights @ V @ W_O.astype(dtype)
    effects = np.zeros(T, dtype=dtype)
    for k in range(T):
        without = V.copy()
        without[k] = 0
        changed = weights @ without @ W_O.astype(dtype)
        effects[k] = np.linalg.norm(changed[target] - output[target])
    return weights[target].copy(), effects


def misleading_example():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    W_Q = np.array([[1.0], [1.0]])
    W_K = np.array([[2.0], [0.0]])
    W_V = np.array([[0.01], [5.0]])
    W_O = np.array([[1.0, 2.0]])
    return X, W_Q, W_K, W_V, W_O, 1
