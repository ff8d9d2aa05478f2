# exercise: lesson-01
# parts: attention_reading
# stage: weights
# Every key is weighted by its own sigmoid.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    weights = np.where(seen, 1 / (1 + np.exp(-np.clip(scores, -80, 80))), 0).astype(scores.dtype)
    reading = weights @ values
    return weights, reading
