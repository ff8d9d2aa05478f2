# exercise: lesson-04
# part: self_attention
# status: timed-out
# A call waits for a lock that it holds itself.
import threading


def self_attention(X, W_Q, W_K, W_V, causal=True):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
