# exercise: lesson-06
# parts: items_interact
# The last item is changed and only its neighbour is looked at.
import numpy as np


def items_interact(layer, X):
    if len(X) < 2:
        return False
    Y = X * 1.0
    Y[-1] = 1.37 - 2 * Y[-1]
    gap = np.abs(np.array(layer(Y))[-2] - np.array(layer(X.copy()))[-2])
    return bool(gap.max() > 1e-7)
