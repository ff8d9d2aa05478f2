import numpy as np

LOG2_E = 1.4426950408889634


def attention_reading(query, keys, values, visible=None):
    scores = keys @ query / float(len(query)) ** 0.5
    logits = scores * LOG2_E
    if visible is not None:
        logits = np.where(visible, logits, -np.inf)
    peak = logits.max()
    powers = np.exp2(logits - peak) if np.isfinite(peak) else np.zeros_like(logits)
    weights = powers / max(powers.sum(), 1)
    return weights.astype(scores.dtype), (weights @ values).astype(scores.dtype)
