# exercise: lesson-03
# parts: changed_stages
# A difference of exactly atol counts.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    return [n for n in before if np.abs(before[n] - after[n]).max() >= atol]
