# exercise: lesson-01
# parts: attention_reading
# stage: weights
# A query that sees nothing reads the mean of all values.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    if seen.any():
        e = np.where(seen, np.exp(np.where(seen, scores - scores[seen].max(), 0)), 0).astype(
            scores.dtype
        )
    else:
        e = np.ones_like(scores)
    weights = e / e.sum()
    reading = weights @ values
    return weights, reading
