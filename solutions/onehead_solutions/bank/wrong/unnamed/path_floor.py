# exercise: lesson-07
# parts: path_length
# The last layer is not counted.
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return max(1, distance // (kernel - 1))
    raise ValueError(f"unknown architecture {architecture}")
