# exercise: lesson-02
# parts: visibility
# The mask holds ones and zeros.
import numpy as np


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} and {T_k}")
    return np.tri(T_q) if causal else np.ones((T_q, T_k))
