# exercise: lesson-07
# parts: path_length
# A layer is thought to reach kernel tokens back.
import math


def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return math.ceil(distance / kernel)
    raise ValueError(f"unknown architecture {architecture}")
