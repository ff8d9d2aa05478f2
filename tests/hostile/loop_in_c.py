# exercise: lesson-04
# part: self_attention
# status: timed-out
# An endless loop in C code, where no Python signal handler runs.
import itertools


def self_attention(X, W_Q, W_K, W_V, causal=True):
    return sum(itertools.repeat(0))
