# exercise: lesson-04
# part: self_attention
# instead-of: self_attention
# status: timed-out
# An endless loop while the cell runs that defines the answer.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    return {}


while True:
    pass
