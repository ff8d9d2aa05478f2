# exercise: lesson-06
# parts: padding_visible
# Bad lengths are clipped, not refused.
import numpy as np


def padding_visible(lengths, T):
    lengths = np.clip(lengths, 0, T)
    return np.arange(T) < lengths[:, None, None]
