# exercise: lesson-04
# part: self_attention
# score: full
# Prints a lot, to both streams, and logs and warns.
import logging
import sys
import warnings

right = self_attention


def self_attention(X, W_Q, W_K, W_V, causal=True):
    print("x" * 100_000, X)
    print("\x1b[31mred", file=sys.stderr)
    logging.error("oh no")
    warnings.warn("careful")
    return right(X, W_Q, W_K, W_V, causal)
