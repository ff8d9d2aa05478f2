# exercise: lesson-06
# parts: items_interact
# A kept shape is taken for independence.
import numpy as np


def items_interact(layer, X):
    return np.shape(layer(X.copy())) != X.shape
