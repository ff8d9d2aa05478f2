# exercise: lesson-03
# parts: changed_stages
# The names come in alphabetical order.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    return sorted(n for n in before if np.abs(before[n] - after[n]).max() > atol)
