# exercise: lesson-02
# parts: visibility
# The future is visible and the past is not.
import numpy as np


def visibility(T_q, T_k, causal):
    hidden = np.zeros((T_q, T_k), dtype=bool)
    if causal:
        if T_q != T_k:
            raise ValueError(f"{T_q} is not {T_k}")
        hidden = np.tri(T_q, dtype=bool)
    return ~hidden
