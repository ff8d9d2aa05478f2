import numpy as np


def output_projection(context, W_O, b_O=None):
    *lead, width = np.shape(context)
    rows, columns = np.shape(W_O)
    if width != rows:
        raise ValueError(f"cannot multiply (..., {width}) by ({rows}, {columns})")
    flat = np.reshape(context, (-1, width)) * 1.0 @ W_O
    if b_O is not None:
        if np.shape(b_O) != (columns,):
            raise ValueError(f"cannot add {np.shape(b_O)} to (..., {columns})")
        flat = flat + b_O
    return flat.reshape(*lead, columns)


def fold_output_projection(W_V, W_O):
    return np.tensordot(W_V * 1.0, W_O, axes=([-1], [0]))
