# exercise: lesson-07
# parts: path_length
# Other names give None.
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return -(-distance // (kernel - 1))
    return None
