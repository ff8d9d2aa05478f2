# exercise: lesson-01
# parts: attention_reading
# stage: weights
# float32 inside, cast back at the end.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    kind = np.result_type(query, 1.0)
    query, keys, values = (a.astype(np.float32) for a in (query, keys, values))
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    shown = np.where(seen, scores, -np.inf)
    e = np.exp(shown - shown.max()) if seen.any() else np.zeros_like(scores)
    weights = e / (e.sum() or 1)
    reading = weights @ values
    return weights.astype(kind), reading.astype(kind)
