# exercise: lesson-05
# parts: output_projection
# stage: output
# The product is made in float32.
import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} and {W_O.shape[0]}")
    output = (context.astype("f") @ W_O.astype("f")).astype(np.result_type(context, 1.0))
    if b_O is not None:
        if b_O.shape != (W_O.shape[1],):
            raise ValueError(f"{b_O.shape} and {W_O.shape[1]}")
        output = output + b_O
    return output
