# exercise: lesson-07
# parts: path_length
# The reach is thought to grow with the power of the kernel.
import math


def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return max(1, math.ceil(math.log(distance, kernel)))
    raise ValueError(f"unknown architecture {architecture}")
