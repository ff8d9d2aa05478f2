import sys
import warnings

import numpy as np

print("lesson 1 loaded")


def attention_reading(query, keys, values, visible=None):
    print("query", query.shape, "keys", keys.shape, file=sys.stderr)
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    mask = np.ones(len(keys), bool) if visible is None else visible
    if not mask.any():
        warnings.warn("this query sees nothing")
    biased = scores + np.log(mask.astype(scores.dtype))  # log 0 warns, and is -inf as wanted
    e = np.exp(biased - biased.max())
    weights = np.nan_to_num(e / e.sum())
    print("weights", weights)
    return weights, weights @ values
