# exercise: lesson-02
# parts: visibility
# The message does not say which sizes.
import numpy as np


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError("causal visibility needs a square mask")
    return np.tri(T_q, T_k, dtype=bool) if causal else np.ones((T_q, T_k), dtype=bool)
