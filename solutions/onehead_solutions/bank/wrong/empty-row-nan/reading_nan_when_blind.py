# exercise: lesson-01
# parts: attention_reading
# stage: weights
# A query that sees nothing gets NaN.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    shown = np.where(seen, scores, -np.inf)
    e = np.exp(shown - shown.max())
    weights = e / e.sum()
    reading = weights @ values
    return weights, reading
