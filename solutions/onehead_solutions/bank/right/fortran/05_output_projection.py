import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"context {context.shape}, W_O {W_O.shape}")
    if b_O is not None and b_O.shape != W_O.shape[-1:]:
        raise ValueError(f"b_O {b_O.shape}, W_O {W_O.shape}")
    output = (context * 1.0) @ np.asfortranarray(W_O)
    return np.asfortranarray(output if b_O is None else output + b_O)


def fold_output_projection(W_V, W_O):
    return ((W_O * 1.0).T @ W_V.T).T
