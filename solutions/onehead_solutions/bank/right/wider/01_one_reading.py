import numpy as np


def attention_reading(query, keys, values, visible=None):
    out = np.result_type(query, keys, values, 1.0)
    query, keys, values = (np.asarray(a, dtype=np.longdouble) for a in (query, keys, values))
    scores = keys @ query / np.sqrt(np.longdouble(len(query)))
    e = np.zeros_like(scores)
    seen = slice(None) if visible is None else visible
    if scores[seen].size:
        e[seen] = np.exp(scores[seen] - scores[seen].max())
        e /= e.sum()
    return e.astype(out), (e @ values).astype(out)
