# exercise: lesson-01
# parts: attention_reading
# stage: weights
# Masked after softmax and divided again.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    e = np.exp(scores - scores.max())
    weights = e / e.sum() * seen
    if seen.any():
        weights = weights / weights.sum()
    reading = weights @ values
    return weights, reading
