import numpy as np


def my_freeze(a):
    a.flags.writeable = False
    return a


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    seen = np.ones(len(keys), bool) if visible is None else visible
    e = np.exp(scores - scores.max(where=seen, initial=-np.inf), where=seen, out=scores * 0)
    weights = e / (e.sum() or 1)
    return my_freeze(weights), my_freeze(weights @ values)
