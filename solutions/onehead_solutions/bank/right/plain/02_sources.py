import numpy as np


def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    dtype = np.result_type(X, source, W_Q, W_K, W_V, 1.0)
    if X.shape[1] != W_Q.shape[0]:
        raise ValueError(f"X has width {X.shape[1]}, W_Q needs {W_Q.shape[0]}")
    if source.shape[1] != W_K.shape[0]:
        raise ValueError(f"the key source has width {source.shape[1]}, W_K needs {W_K.shape[0]}")
    if source.shape[1] != W_V.shape[0]:
        raise ValueError(f"the value source has width {source.shape[1]}, W_V needs {W_V.shape[0]}")
    Q = X.astype(dtype) @ W_Q.astype(dtype)
    K = source.astype(dtype) @ W_K.astype(dtype)
    V = source.astype(dtype) @ W_V.astype(dtype)
    return Q, K, V


def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k:
        raise ValueError(f"causal needs as many queries as keys, got {T_q} and {T_k}")
    return np.tril(np.ones((T_q, T_k), dtype=bool))


def attention_kind(query_source, key_source, value_source):
    if query_source == key_source == value_source:
        return "self"
    if key_source == value_source:
        return "cross"
    return "neither"
