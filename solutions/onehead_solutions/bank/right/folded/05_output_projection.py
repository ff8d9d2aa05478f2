import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} against {W_O.shape[0]}")
    if b_O is None:
        return (context * 1.0) @ W_O
    if b_O.shape != (W_O.shape[1],):
        raise ValueError(f"{b_O.shape} against {W_O.shape[1]}")
    # The bias as one more row of W_O, read by a context that ends in 1.
    ones = np.ones((*context.shape[:-1], 1), dtype=context.dtype)
    return (np.concatenate([context, ones], axis=-1) * 1.0) @ np.vstack([W_O, b_O])


def fold_output_projection(W_V, W_O):
    return np.vstack([(row * 1.0) @ W_O for row in W_V])
