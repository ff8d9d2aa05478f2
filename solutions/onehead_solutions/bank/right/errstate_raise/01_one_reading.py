import numpy as np


def attention_reading(query, keys, values, visible=None):
    with np.errstate(all="raise", under="ignore"):
        scores = (keys * 1.0) @ query / len(query) ** 0.5
        seen = np.arange(len(keys)) if visible is None else np.flatnonzero(visible)
        weights = np.zeros_like(scores)
        if seen.size:
            weights[seen] = np.exp(scores[seen] - scores[seen].max())
            weights[seen] /= weights[seen].sum()
        return weights, weights @ values
