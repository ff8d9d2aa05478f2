import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    # v, k, q is the order in which I met them.
    v, k, q = ((X * 1.0) @ W for W in (W_V, W_K, W_Q))
    a = (k @ q.T).T / q.shape[-1] ** 0.5
    m = np.tri(len(X), dtype=bool) if causal else np.ones_like(a, bool)
    p = np.where(m, a, -np.inf)
    p = np.exp(p - p.max(1)[:, None])
    p /= p.sum(1)[:, None]
    return {"Q": q, "K": k, "V": v, "scores": a, "visible": m, "weights": p, "context": p @ v}
