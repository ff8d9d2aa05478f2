import math

import numpy as np


def attention_reading(query, keys, values, visible=None):
    kind = np.result_type(query, keys, values, 1.0)
    scores = []
    for key in keys:
        total = 0.0
        for a, b in zip(query, key):
            total += float(a) * float(b)
        scores.append(total / math.sqrt(len(query)))
    biggest = -math.inf
    for t in range(len(keys)):
        if visible is None or visible[t]:
            biggest = max(biggest, scores[t])
    exps = []
    for t in range(len(keys)):
        if visible is None or visible[t]:
            exps.append(math.exp(scores[t] - biggest))
        else:
            exps.append(0.0)
    norm = sum(exps)
    weights = []
    for e in exps:
        weights.append(e / norm if norm > 0 else 0.0)
    reading = []
    for d in range(values.shape[1]):
        total = 0.0
        for t in range(len(keys)):
            total += weights[t] * float(values[t, d])
        reading.append(total)
    return np.array(weights, dtype=kind), np.array(reading, dtype=kind)


BOUNDARY = {}
for part in [
    "query projection",
    "key projection",
    "value projection",
    "mask",
    "softmax",
    "output projection",
]:
    BOUNDARY[part] = "inside"
for part in [
    "residual connection",
    "layer normalization",
    "feed-forward network",
    "token embedding",
    "positional encoding",
]:
    BOUNDARY[part] = "outside"
