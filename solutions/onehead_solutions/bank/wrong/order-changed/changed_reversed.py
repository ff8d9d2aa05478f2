# exercise: lesson-03
# parts: changed_stages
# The names come from last to first.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    names = []
    for n in before:
        if np.abs(before[n] - after[n]).max() > atol:
            names.insert(0, n)
    return names
