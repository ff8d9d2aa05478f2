# exercise: lesson-07
# parts: path_length
# Other names raise KeyError.
def path_length(architecture, distance, kernel=3):
    lengths = {
        "self-attention": 1,
        "recurrent": distance,
        "convolution": -(-distance // (kernel - 1)),
    }
    return lengths[architecture]
