# exercise: lesson-04
# part: self_attention
# score: 0
# A list that holds itself.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    nested = []
    nested.append(nested)
    return nested
