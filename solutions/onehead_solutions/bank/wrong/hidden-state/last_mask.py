# exercise: lesson-01
# parts: attention_reading
# stage: weights
# Without a mask the last one of that length is used again.
import numpy as np


class Reading:
    def __init__(self):
        self.masks = {}

    def __call__(self, query, keys, values, visible=None):
        if visible is not None:
            self.masks[len(keys)] = visible.copy()
        seen = self.masks.get(len(keys), np.ones(len(keys), bool))
        scores = (keys * 1.0) @ query / len(query) ** 0.5
        weights = np.zeros_like(scores)
        if seen.any():
            e = np.exp(scores[seen] - scores[seen].max())
            weights[seen] = e / e.sum()
        return weights, weights @ values


attention_reading = Reading()
