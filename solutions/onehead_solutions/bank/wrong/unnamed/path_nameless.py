# exercise: lesson-07
# parts: path_length
# The message does not hold the refused name.
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return -(-distance // (kernel - 1))
    raise ValueError("unknown architecture")
