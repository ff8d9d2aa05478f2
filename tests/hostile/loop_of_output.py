# exercise: lesson-04
# part: self_attention
# status: timed-out
# Prints without end.
def self_attention(X, W_Q, W_K, W_V, causal=True):
    while True:
        print("x" * 100_000)
