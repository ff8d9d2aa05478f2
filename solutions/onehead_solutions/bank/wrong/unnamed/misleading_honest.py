# exercise: lesson-07
# parts: misleading_example
# The most attended token has the largest effect.
import numpy as np


def misleading_example():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    W_Q = np.array([[1.0], [1.0]])
    W_K = np.array([[2.0], [0.0]])
    W_V = np.array([[5.0], [0.01]])
    W_O = np.array([[1.0, 2.0]])
    return X, W_Q, W_K, W_V, W_O, 1
