# exercise: lesson-04
# part: self_attention
# status: timed-out
# One multiplication of huge integers.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    x = 3 ** 10_000_000
    return x * x * x * x
