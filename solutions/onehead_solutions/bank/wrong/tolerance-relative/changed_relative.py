# exercise: lesson-03
# parts: changed_stages
# A relative tolerance is let in as well.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    return [
        n for n in before if (np.abs(before[n] - after[n]) > atol + 1e-5 * np.abs(after[n])).any()
    ]
