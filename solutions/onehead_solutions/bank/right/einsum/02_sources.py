import numpy as np


def my_project(source, W, name):
    if source.shape[-1] != W.shape[0]:
        raise ValueError(f"{name}: source width {source.shape[-1]} against {W.shape[0]} rows")
    kind = np.result_type(source, W, 1.0)
    return np.einsum("tm,mk->tk", source.astype(kind), W.astype(kind))


def project_sources(X, W_Q, W_K, W_V, context=None):
    other = X if context is None else context
    return my_project(X, W_Q, "W_Q"), my_project(other, W_K, "W_K"), my_project(other, W_V, "W_V")


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError("causal: %d queries but %d keys" % (T_q, T_k))
    difference = np.subtract.outer(np.arange(T_q), np.arange(T_k))
    return difference >= 0 if causal else difference == difference
