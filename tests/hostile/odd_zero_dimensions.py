# exercise: lesson-06
# part: items_interact
# score: full
# An array without axes for a bool.
import numpy as np

right = items_interact


def items_interact(layer, X):
    return np.array(right(layer, X))
