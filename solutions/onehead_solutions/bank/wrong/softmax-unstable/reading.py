# exercise: lesson-01
# parts: attention_reading
# stage: weights
# exp of the bare scores.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    e = np.exp(np.where(seen, scores, -np.inf))
    weights = e / (e.sum() or 1)
    reading = weights @ values
    return weights, reading
