# exercise: lesson-01
# parts: attention_reading
# needs: numpy 2
# stage: weights
# np.sqrt of an int makes float64 out of float32.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / np.sqrt(len(query))
    seen = np.ones(len(keys), bool) if visible is None else visible
    shown = np.where(seen, scores, -np.inf)
    e = np.exp(shown - shown.max()) if seen.any() else np.zeros_like(scores)
    weights = e / (e.sum() or 1)
    reading = weights @ values
    return weights, reading
