import numpy as np


def attention_reading(query, keys, values, visible=None):
    query, keys, values = (np.asarray(a, np.result_type(a, 1.0)) for a in (query, keys, values))
    scores = np.einsum("k,tk->t", query, keys) / len(query) ** 0.5
    seen = np.full(len(keys), True) if visible is None else visible
    if not np.einsum("t->", seen.astype(int)):
        return np.zeros_like(scores), np.zeros_like(values[0])
    e = np.exp(scores - scores[seen].max(), where=seen, out=np.zeros_like(scores))
    weights = e / np.einsum("t->", e)
    return weights, np.einsum("t,tv->v", weights, values)
