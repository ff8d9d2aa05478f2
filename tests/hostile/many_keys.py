# exercise: lesson-04
# part: self_attention
# score: 0
# A dictionary with five hundred keys.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    return dict.fromkeys(range(500), 0.0)
