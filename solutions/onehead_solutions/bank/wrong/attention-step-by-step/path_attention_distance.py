# exercise: lesson-07
# parts: path_length
# Attention is thought to go token by token.
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return distance
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return -(-distance // (kernel - 1))
    raise ValueError(f"unknown architecture {architecture}")
