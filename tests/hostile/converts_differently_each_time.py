# exercise: lesson-04
# part: self_attention
# score: lost
# An object whose array is another one at each conversion.
import numpy as np

right = self_attention


class Changing:
    def __init__(self, entries):
        self.entries, self.times = entries, 0

    def __array__(self, dtype=None, copy=None):
        self.times += 1
        return self.entries if self.times % 2 else self.entries * 0


changing = []


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    changing.append(0)
    trace["context"] = trace["context"] if len(changing) % 3 else np.asarray(Changing(trace["context"])) * 0
    return trace
