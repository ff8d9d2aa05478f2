import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != len(W_O):
        raise ValueError("context width %d, W_O rows %d" % (context.shape[-1], len(W_O)))
    wanted = np.float32 if context.dtype == W_O.dtype == np.float32 else np.float64
    output = np.dot(context, W_O).astype(wanted)
    if b_O is not None:
        if b_O.shape != W_O.shape[1:]:
            raise ValueError("b_O %s, W_O columns %d" % (b_O.shape, W_O.shape[1]))
        output += b_O.astype(wanted)
    return output


def fold_output_projection(W_V, W_O):
    wanted = np.float32 if W_V.dtype == np.float32 else np.float64
    return np.dot(W_V, W_O).astype(wanted, copy=False)
