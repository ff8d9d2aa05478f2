import math

import numpy as np


def attention_reading(query, keys, values, visible=None):
    q = query / math.sqrt(len(query))  # scale the query once instead of every score
    logits = keys @ q
    if visible is None:
        visible = np.ones(logits.shape, bool)
    if not visible.any():
        return np.zeros_like(logits), np.zeros(values.shape[1], logits.dtype)
    logits = np.where(visible, logits, -np.inf)
    p = np.exp(logits - np.max(logits))
    p = p / np.sum(p)
    return p, p @ values
