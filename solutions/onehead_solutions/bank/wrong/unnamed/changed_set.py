# exercise: lesson-03
# parts: changed_stages
# A set has no order.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    return {n for n in before if np.abs(before[n] - after[n]).max() > atol}
