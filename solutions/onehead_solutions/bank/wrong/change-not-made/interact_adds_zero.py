# exercise: lesson-06
# parts: items_interact
# The change is by a factor, which leaves zeros alone.
import numpy as np


def items_interact(layer, X):
    before = np.array(layer(X.copy()))
    for b in range(len(X)):
        Y = X * 1.0
        Y[b] = Y[b] * 2
        after = np.array(layer(Y))
        if np.abs(np.delete(after - before, b, axis=0)).max(initial=0) > 1e-7:
            return True
    return False
