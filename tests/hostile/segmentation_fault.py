# exercise: lesson-04
# part: self_attention
# status: crashed
# Reads address 8.
import ctypes


def self_attention(X, W_Q, W_K, W_V, causal=True):
    ctypes.string_at(8)
