# exercise: lesson-04
# part: self_attention
# status: timed-out
# An endless loop in a call.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    while True:
        pass
