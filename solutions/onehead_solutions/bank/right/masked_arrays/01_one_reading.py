import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    hidden = np.zeros(len(keys), bool) if visible is None else ~visible
    masked = np.ma.masked_array(scores, mask=hidden)
    if hidden.all():
        return masked.copy(), np.zeros_like(scores, shape=values.shape[1])
    e = np.ma.exp(masked - masked.max())
    weights = (e / e.sum()).astype(scores.dtype)
    return weights, weights.filled(0) @ values
