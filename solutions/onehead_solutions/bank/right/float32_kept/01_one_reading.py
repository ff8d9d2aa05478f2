import numpy as np


def attention_reading(query, keys, values, visible=None):
    wanted = np.float32 if query.dtype == np.float32 else np.float64
    query, keys, values = query.astype(wanted), keys.astype(wanted), values.astype(wanted)
    scale = wanted(1) / np.sqrt(wanted(len(query)))
    scores = np.matmul(keys, query) * scale
    hidden = np.zeros(len(keys), dtype=bool) if visible is None else ~visible
    scores[hidden] = wanted("-inf")
    weights = np.zeros(len(keys), dtype=wanted)
    if not hidden.all():
        weights += np.exp(scores - scores.max())
        weights /= weights.sum()
    return weights, np.matmul(weights, values)
