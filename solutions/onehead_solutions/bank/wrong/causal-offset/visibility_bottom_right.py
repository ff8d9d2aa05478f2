# exercise: lesson-02
# parts: visibility
# Unequal lengths are aligned at the bottom right.
import numpy as np


def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool)
