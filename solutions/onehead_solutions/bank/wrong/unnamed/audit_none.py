# exercise: lesson-08
# parts: audit
# Prints its findings and returns None.
import numpy as np


def audit(layer):
    X = np.ones((3, layer.W_Q.shape[0]))
    if layer(X).shape != X.shape:
        print("shape")
