# exercise: lesson-07
# parts: path_length
# The steps between are counted, not those crossed.
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance - 1
    if architecture == "convolution":
        return -(-distance // (kernel - 1))
    raise ValueError(f"unknown architecture {architecture}")
