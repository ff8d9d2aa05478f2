# exercise: lesson-01
# parts: attention_reading
# stage: weights
# The exponentials are the weights.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    weights = np.where(seen, np.exp(np.where(seen, scores - scores.max(), 0)), 0).astype(
        scores.dtype
    )
    reading = weights @ values
    return weights, reading
