# exercise: lesson-01
# parts: attention_reading
# stage: weights
# visible is an argument that nobody reads.
import numpy as np


def attention_reading(query, keys, values, visible=None):
    scores = (keys * 1.0) @ query / len(query) ** 0.5
    e = np.exp(scores - scores.max())
    weights = e / e.sum()
    reading = weights @ values
    return weights, reading
