# exercise: lesson-04
# part: self_attention
# score: full
# Arrays of the other byte order.
right = self_attention


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    return {name: value.astype(value.dtype.newbyteorder(">")) for name, value in trace.items()}
