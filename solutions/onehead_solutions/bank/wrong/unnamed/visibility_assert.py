# exercise: lesson-02
# parts: visibility
# assert raises an AssertionError, not a ValueError.
import numpy as np


def visibility(T_q, T_k, causal):
    if causal:
        assert T_q == T_k, f"{T_q} != {T_k}"
        return np.tri(T_q, dtype=bool)
    return np.ones((T_q, T_k), dtype=bool)
