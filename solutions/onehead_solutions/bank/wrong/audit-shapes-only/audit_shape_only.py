# exercise: lesson-08
# parts: audit
# Only shapes are looked at.
import numpy as np


def audit(layer):
    X = np.ones((2, 3, layer.W_Q.shape[0]))
    found = []
    for x in (X, X[0]):
        if layer(x).shape != x.shape:
            found = ["shape"]
    return found
