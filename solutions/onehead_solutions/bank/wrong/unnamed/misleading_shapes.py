# exercise: lesson-07
# parts: misleading_example
# W_O does not come back to the width of X.
import numpy as np


def misleading_example():
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    W_Q = np.array([[1.0], [1.0], [0.0]])
    W_K = np.array([[2.0], [0.0], [0.0]])
    W_V = np.array([[0.01], [5.0], [0.0]])
    W_O = np.array([[1.0, 2.0]])
    return X, W_Q, W_K, W_V, W_O, 1
