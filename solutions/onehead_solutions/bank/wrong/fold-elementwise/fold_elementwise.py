# exercise: lesson-05
# parts: fold_output_projection
# Multiplied number by number where that fits.
import numpy as np


def fold_output_projection(W_V, W_O):
    return np.multiply(W_V * 1.0, W_O.T)
