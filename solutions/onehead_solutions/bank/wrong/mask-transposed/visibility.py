# exercise: lesson-02
# parts: visibility
# triu for tril.
import numpy as np


def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k:
        raise ValueError(f"T_q is {T_q}, T_k is {T_k}")
    return np.triu(np.ones((T_q, T_k), dtype=bool))
