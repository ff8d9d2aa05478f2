# exercise: lesson-04
# part: self_attention
# status: crashed
# C's abort.
import os


def self_attention(X, W_Q, W_K, W_V, causal=True):
    os.abort()
