import numpy as np


def output_projection(context, W_O, b_O=None):
    try:
        output = (context * 1.0) @ W_O
    except ValueError as error:
        raise ValueError(f"context {context.shape} and W_O {W_O.shape}") from error
    if b_O is not None:
        if b_O.shape != W_O.shape[1:]:
            raise ValueError(f"W_O {W_O.shape} and b_O {b_O.shape}")
        output = output + b_O
    return np.broadcast_to(output, output.shape)


def fold_output_projection(W_V, W_O):
    folded = (W_V * 1.0) @ W_O
    folded.flags.writeable = False
    return folded
