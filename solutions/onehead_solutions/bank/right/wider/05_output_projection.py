import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(
            f"last axis of context: {context.shape[-1]}; first axis of W_O: {W_O.shape[0]}"
        )
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError(f"b_O: {b_O.shape}; last axis of W_O: {W_O.shape[1]}")
    kind = np.result_type(context, W_O, 1.0)
    output = context.astype(np.longdouble) @ W_O.astype(np.longdouble)
    return (output if b_O is None else output + b_O).astype(kind)


def fold_output_projection(W_V, W_O):
    return (W_V.astype(np.longdouble) @ W_O.astype(np.longdouble)).astype(
        np.result_type(W_V, W_O, 1.0)
    )
