# exercise: lesson-07
# parts: path_length
# One layer too many where the distance divides.
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return distance // (kernel - 1) + 1
    raise ValueError(f"unknown architecture {architecture}")
