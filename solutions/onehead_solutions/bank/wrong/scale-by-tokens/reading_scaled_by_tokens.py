# exercise: lesson-01
# parts: attention_reading
# stage: weights
# The scale is the root of the number of keys.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / keys.shape[0] ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    shown = np.where(seen, scores, -np.inf)
    e = np.exp(shown - shown.max()) if seen.any() else np.zeros_like(scores)
    weights = e / (e.sum() or 1)
    reading = weights @ values
    return weights, reading
