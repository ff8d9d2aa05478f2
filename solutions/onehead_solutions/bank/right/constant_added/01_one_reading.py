import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    bias = np.ones_like(scores)  # allowed cells get 1: softmax does not see a constant
    if visible is not None:
        bias[~visible] = -np.inf
    scores = scores + bias
    top = scores.max() if np.isfinite(scores).any() else scores.dtype.type(0)
    e = np.exp(scores - top)
    weights = e / (e.sum() or 1)
    return weights, weights @ values
