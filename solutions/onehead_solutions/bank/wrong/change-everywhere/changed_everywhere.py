# exercise: lesson-03
# parts: changed_stages
# A stage counts only when all its numbers differ.
import numpy as np


def changed_stages(before, after, atol=1e-9):
    return [n for n in before if (np.abs(after[n] - before[n]) > atol).all()]
