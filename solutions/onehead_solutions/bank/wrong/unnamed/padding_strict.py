# exercise: lesson-06
# parts: padding_visible
# A full sequence is refused.
import numpy as np


def padding_visible(lengths, T):
    for n in lengths:
        if not 0 <= n < T:
            raise ValueError(f"length {n} for {T} tokens")
    return np.arange(T) < np.asarray(lengths)[:, None, None]
