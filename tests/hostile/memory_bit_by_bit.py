# exercise: lesson-04
# part: self_attention
# status: out-of-memory
# Takes memory until there is none.
import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    kept = []
    while True:
        kept.append(np.empty(10**6))
