# exercise: lesson-06
# parts: items_interact
# Only the first item is ever changed, and by 1 everywhere.
import numpy as np


def items_interact(layer, X):
    Y = X * 1.0
    Y[0] += 1
    gap = np.abs(np.array(layer(Y)) - np.array(layer(X * 1.0)))
    return bool(gap[1:].max(initial=0) > 1e-9)
