# exercise: lesson-07
# parts: path_length
# np.ceil gives a float.
import numpy as np


def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return np.ceil(distance / (kernel - 1))
    raise ValueError(f"unknown architecture {architecture}")
