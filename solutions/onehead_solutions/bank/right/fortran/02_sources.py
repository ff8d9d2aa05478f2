import numpy as np


def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for a, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"{a.shape[1]} features for {W.shape[0]} rows")
    Q = ((W_Q * 1.0).T @ X.T).T
    K = ((W_K * 1.0).T @ source.T).T
    V = ((W_V * 1.0).T @ source.T).T
    return Q, K, V


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} queries, {T_k} keys")
    seen = np.ones((T_q, T_k), dtype=bool, order="F")
    return np.asfortranarray(np.tril(seen)) if causal else seen
