# exercise: lesson-06
# parts: items_interact
# Each item in turn is moved by 1 everywhere, so that its differences stay what they were.
import numpy as np


def items_interact(layer, X):
    before = np.array(layer(X * 1.0))
    for b in range(len(X)):
        moved = X * 1.0
        moved[b] += 1
        gap = np.abs(np.array(layer(moved)) - before).reshape(len(X), -1).max(axis=1)
        if np.delete(gap, b).max() > 1e-9:
            return True
    return False
