# exercise: lesson-04
# part: self_attention
# score: full
# Arrays whose strides are negative.
right = self_attention


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    return {name: value[::-1, ::-1].copy()[::-1, ::-1] for name, value in trace.items()}
