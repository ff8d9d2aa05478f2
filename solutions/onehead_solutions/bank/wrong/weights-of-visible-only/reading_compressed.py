# exercise: lesson-01
# parts: attention_reading
# stage: weights
# The weights cover the visible keys only.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    e = np.exp(scores[seen] - scores[seen].max(initial=-np.inf))
    weights = e / (e.sum() or 1)
    reading = weights @ values[seen]
    return weights, reading
