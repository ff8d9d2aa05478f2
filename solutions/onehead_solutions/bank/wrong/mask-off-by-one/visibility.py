# exercise: lesson-02
# parts: visibility
# k=1 lets one future token in.
import numpy as np


def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k:
        raise ValueError(f"T_q is {T_q}, T_k is {T_k}")
    return np.tri(T_q, T_k, k=1, dtype=bool)
