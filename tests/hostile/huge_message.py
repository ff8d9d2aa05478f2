# exercise: lesson-04
# part: self_attention
# status: raised
# An error with a message of 5 MB.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    raise ValueError("x" * 5_000_000)
