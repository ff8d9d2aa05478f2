# exercise: lesson-04
# part: self_attention
# status: crashed
# A view far beyond its memory: reading it is a segmentation fault.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    return {"Q": np.lib.stride_tricks.as_strided(np.ones(1), (1000,), (2**40,))}
