import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = keys @ (query * 1.0) / len(query) ** 0.5
    seen = np.where(True if visible is None else visible, np.ones(len(keys), bool), False)
    peak = np.where(seen.any(), np.where(seen, scores, scores.min()).max(), 0).astype(scores.dtype)
    e = np.where(seen, np.exp(np.where(seen, scores - peak, 0)), 0).astype(scores.dtype)
    weights = np.where(e.sum() > 0, e / np.where(e.sum() > 0, e.sum(), 1), 0).astype(scores.dtype)
    return weights, weights @ values
