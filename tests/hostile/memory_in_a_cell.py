# exercise: lesson-04
# part: self_attention
# instead-of: self_attention
# status: missing
# The cell that defines the answer asks for a terabyte first.
ballast = bytearray(10**12)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    return {}
