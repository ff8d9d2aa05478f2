# exercise: lesson-04
# part: self_attention
# status: out-of-memory
# Fills the memory to the last page, catches the error and goes on.
import numpy as np

kept = []
right = self_attention


def self_attention(X, W_Q, W_K, W_V, causal=True):
    for size in (10**7, 10**6, 10**5, 10**4, 10**3):
        try:
            while True:
                kept.append(np.empty(size, np.uint8))
        except MemoryError:
            pass
    return right(X, W_Q, W_K, W_V, causal)
