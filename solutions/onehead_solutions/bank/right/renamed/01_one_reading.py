import numpy as np


def attention_reading(query, keys, values, visible=None):
    # k asks, q answers, v is what is read: letters of my own.
    k, q, v = query * 1.0, keys * 1.0, values * 1.0
    a = q @ k / len(k) ** 0.5
    if visible is not None:
        a[~visible] = -np.inf
    m = a.max()
    w = np.exp(a - (0 if m == -np.inf else m))
    w = w / max(w.sum(), np.finfo(w.dtype).tiny)
    return w, v.T @ w
