# exercise: lesson-03
# parts: changed_stages
# The search stops at the first change.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    for n in before:
        if np.abs(before[n] - after[n]).max() > atol:
            return [n]
    return []
