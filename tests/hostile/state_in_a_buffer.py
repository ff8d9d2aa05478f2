# exercise: lesson-04
# part: self_attention
# score: lost
# All calls share one buffer for the context.
import numpy as np

right = self_attention
buffer = np.zeros(10_000)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    trace = right(X, W_Q, W_K, W_V, causal)
    context = buffer[: trace["context"].size].reshape(trace["context"].shape)
    context[:] = trace["context"]
    trace["context"] = context
    return trace
