import numpy as np


def my_product(A, W):
    if A.shape[1] != W.shape[0]:
        raise ValueError("widths: source %d, projection %d" % (A.shape[1], W.shape[0]))
    out = np.zeros((A.shape[0], W.shape[1]), dtype=np.result_type(A, W, 1.0))
    for i in range(A.shape[0]):
        for j in range(W.shape[1]):
            for m in range(A.shape[1]):
                out[i, j] += A[i, m] * W[m, j]
    return out


def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is None:
        context = X
    return my_product(X, W_Q), my_product(context, W_K), my_product(context, W_V)


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} queries and {T_k} keys have no causal order")
    rows = []
    for i in range(T_q):
        row = []
        for j in range(T_k):
            row.append(j <= i or not causal)
        rows.append(row)
    return np.array(rows, dtype=bool)


def attention_kind(query_source, key_source, value_source):
    kind = "neither"
    if key_source == value_source:
        kind = "cross"
        if query_source == key_source:
            kind = "self"
    return kind
