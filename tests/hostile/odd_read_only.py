# exercise: lesson-04
# part: self_attention
# score: full
# Arrays that can't be written.
right = self_attention


def locked(value):
    value.flags.writeable = False
    return value


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    return {name: locked(value) for name, value in trace.items()}
