# exercise: lesson-06
# parts: items_interact
# X itself is changed, item after item.
import numpy as np


def items_interact(layer, X):
    for b in range(len(X)):
        before = np.array(layer(X))
        X[b] = 2 - 3 * X[b]
        after = np.array(layer(X))
        others = np.arange(len(X)) != b
        if np.abs(after - before)[others].max(initial=0) > 1e-7:
            return True
    return False
