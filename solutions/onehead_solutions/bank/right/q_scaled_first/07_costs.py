import numpy as np


def attention_cost(T, d_model, d_k, d_v, batch=1):
    tokens = batch * T
    pairs = tokens * T
    q = k = tokens * d_model * d_k
    v = o = tokens * d_model * d_v
    return {
        "projections": q + k + v,
        "scores": pairs * d_k,
        "weighted_sum": pairs * d_v,
        "output_projection": o,
        "total": q + k + v + o + pairs * (d_k + d_v),
        "score_entries": pairs,
    }


def path_length(architecture, distance, kernel=3):
    lengths = {
        "self-attention": 1,
        "recurrent": distance,
        "convolution": (distance + kernel - 2) // (kernel - 1),
    }
    try:
        return lengths[architecture]
    except KeyError:
        raise ValueError(f"{architecture!r} is none of {sorted(lengths)}") from None


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    q = X[target] @ W_Q * W_Q.shape[1] ** -0.5
    logits = (X @ W_K @ q)[: target + 1]
    p = np.exp(logits - logits.max())
    weights = np.pad(p / p.sum(), (0, len(X) - target - 1))
    contribution = weights[:, None] * (X @ W_V) @ W_O
    return weights, np.linalg.norm(contribution, axis=-1)
