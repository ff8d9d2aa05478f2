# exercise: lesson-06
# parts: items_interact
# An item's own change counts.
import numpy as np


def items_interact(layer, X):
    before = np.array(layer(X.copy()))
    for b in range(len(X)):
        Y = X * 1.0
        Y[b] = 1.37 - 2 * Y[b]
        if np.abs(np.array(layer(Y)) - before).max() > 1e-7:
            return True
    return False
