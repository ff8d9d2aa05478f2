# exercise: lesson-01
# parts: attention_reading
# stage: weights
# The weights go into an array like keys.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    weights = np.zeros_like(keys[:, 0])
    if seen.any():
        e = np.exp(scores[seen] - scores[seen].max())
        weights[seen] = e / e.sum()
    reading = weights @ values
    return weights, reading
