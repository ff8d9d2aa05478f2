import numpy as np


def attention_reading(query, keys, values, visible=None):
    kind = np.result_type(query, keys, values, 1.0)
    scores = keys.astype(kind) @ query.astype(kind) / query.size**0.5
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    weights = np.zeros_like(scores)
    if np.isfinite(scores).any():
        lse = np.logaddexp.reduce(scores)
        weights = np.exp(scores - lse)
    return weights, weights @ values.astype(kind)
