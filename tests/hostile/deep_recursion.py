# exercise: lesson-04
# part: self_attention
# status: raised
# A function that calls itself without end.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    return self_attention(X, W_Q, W_K, W_V)
