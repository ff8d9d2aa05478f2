# exercise: lesson-03
# parts: changed_stages
# atol is ignored: any bit counts.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    return [n for n in before if not np.array_equal(before[n], after[n])]
