# exercise: lesson-04
# part: self_attention
# status: out-of-memory
# Asks for a terabyte.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    return bytearray(10**12)
