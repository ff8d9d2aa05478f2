# exercise: lesson-04
# part: self_attention
# status: raised
# A pool of processes.
import multiprocessing


def self_attention(X, W_Q, W_K, W_V, causal=True):
    multiprocessing.Pool(2)
