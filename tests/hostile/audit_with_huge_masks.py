# exercise: lesson-08
# part: audit
# score: lost
# A thousand masks for a thousand tokens: some layers would combine them in a gigabyte.
import numpy as np


def audit(layer):
    d_model = len(layer.W_Q)
    X = np.ones((3000 // d_model, d_model))
    for shape in [(1000, 1, 1), (1000, 1, 1, 1), (4, 4, 4, 4, 4, 1)]:
        try:
            layer(X, np.ones(shape, dtype=bool))
        except ValueError:
            continue
        raise RuntimeError("called")
    return []
