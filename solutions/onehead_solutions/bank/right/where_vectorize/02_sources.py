import numpy as np


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"need T_q == T_k, have {T_q} != {T_k}")
    see = np.vectorize(lambda i, j: bool(not causal or j <= i), otypes=[bool])
    return see(*np.ogrid[:T_q, :T_k])


def attention_kind(query_source, key_source, value_source):
    shared = key_source == value_source
    return str(np.where(shared, np.where(query_source == key_source, "self", "cross"), "neither"))
