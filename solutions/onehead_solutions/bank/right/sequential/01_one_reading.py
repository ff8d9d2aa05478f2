from functools import reduce

import numpy as np


def attention_reading(query, keys, values, visible=None):
    query, keys, values = (a.astype(np.result_type(a, 1.0)) for a in (query, keys, values))
    scores = np.cumsum(keys * query, axis=1)[:, -1] / len(query) ** 0.5
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    top = reduce(max, scores)
    if top == -np.inf:
        return np.zeros(len(keys), scores.dtype), np.zeros(values.shape[1], scores.dtype)
    e = np.exp(scores - top)
    weights = e / np.cumsum(e)[-1]
    return weights, reduce(np.add, [w * v for w, v in zip(weights, values)])
