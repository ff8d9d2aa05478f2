# exercise: lesson-04
# part: self_attention
# score: lost
# An array of integers that claims to be float64.
import numpy as np

right = self_attention


class Liar(np.ndarray):
    dtype = property(lambda self: np.dtype("f8"))


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    trace["scores"] = np.zeros(trace["scores"].shape, dtype=int).view(Liar)
    return trace
