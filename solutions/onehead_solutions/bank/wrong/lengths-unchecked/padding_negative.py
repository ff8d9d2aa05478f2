# exercise: lesson-06
# parts: padding_visible
# Negative lengths are let through.
import numpy as np


def padding_visible(lengths, T):
    if max(lengths) > T:
        raise ValueError(f"length {max(lengths)} over {T}")
    return np.arange(T) < np.asarray(lengths)[:, None, None]
