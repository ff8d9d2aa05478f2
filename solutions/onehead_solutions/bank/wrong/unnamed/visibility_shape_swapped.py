# exercise: lesson-02
# parts: visibility
# The shape is (T_k, T_q).
import numpy as np


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} and {T_k}")
    seen = np.ones((T_k, T_q), dtype=bool)
    return np.tril(seen) if causal else seen
