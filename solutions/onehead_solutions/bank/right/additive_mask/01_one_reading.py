import numpy as np


def attention_reading(query, keys, values, visible=None):
    kind = np.result_type(query, 1.0)
    scores = (keys @ query / np.sqrt(len(query))).astype(kind)
    mask = np.zeros(len(keys), dtype=kind)
    if visible is not None:
        mask[~visible] = -np.inf
    scores = scores + mask
    peak = scores.max()
    if peak == -np.inf:
        peak = kind.type(0)
    e = np.exp(scores - peak)
    weights = e / (e.sum() or 1)
    return weights, weights @ values.astype(kind)
