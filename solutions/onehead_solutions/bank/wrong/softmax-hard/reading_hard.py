# exercise: lesson-01
# parts: attention_reading
# stage: weights
# The best key takes all.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    weights = np.zeros_like(scores)
    if seen.any():
        weights[np.where(seen, scores, -np.inf).argmax()] = 1
    reading = weights @ values
    return weights, reading
