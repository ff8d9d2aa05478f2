# exercise: lesson-01
# parts: attention_reading
# stage: weights
# The weights of every call live in one buffer.
import numpy as np

BUFFERS = {}


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    shown = np.where(seen, scores, -np.inf)
    e = np.exp(shown - shown.max()) if seen.any() else np.zeros_like(scores)
    weights = BUFFERS.setdefault((len(keys), e.dtype), np.empty_like(e))
    np.divide(e, e.sum() or 1, out=weights)
    reading = weights @ values
    return weights, reading
