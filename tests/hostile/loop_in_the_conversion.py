# exercise: lesson-04
# part: self_attention
# status: timed-out
# A result whose conversion to an array takes forever.
class Endless:
    def __array__(self, dtype=None, copy=None):
        while True:
            pass


def self_attention(X, W_Q, W_K, W_V, causal=True):
    return Endless()
