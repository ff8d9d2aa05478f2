# exercise: lesson-08
# parts: audit
# A trace of the wrong shape makes it raise.
import numpy as np


def audit(layer):
    X = np.sin(np.arange(3 * 4 * layer.W_Q.shape[0])).reshape(3, 4, -1)
    t = layer.trace(X[0])
    found = []
    if np.any(t["weights"][np.triu_indices(4, 1)] != 0):
        found.append("mask")
    if np.abs(t["weights"].sum(axis=1) - 1).max() > 1e-9:
        found.append("numerical")
    if np.abs(t["weights"] @ t["V"] @ layer.W_O - t["output"]).max() > 1e-9:
        found.append("output")
    if np.abs(layer(X)[0] - layer(X[0])).max() > 1e-9:
        found.append("batching")
    return found
