import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"W_O has {W_O.shape[0]} rows, context has {context.shape[-1]} columns")
    if b_O is not None and b_O.shape != W_O.shape[1:]:
        raise ValueError(f"W_O has {W_O.shape[1]} columns, b_O has shape {b_O.shape}")
    kind = np.result_type(context, W_O, 1.0).newbyteorder(">")
    output = context.astype(kind) @ W_O.astype(kind)
    return (output if b_O is None else output + b_O).astype(kind)


def fold_output_projection(W_V, W_O):
    kind = np.result_type(W_V, W_O, 1.0).newbyteorder(">")
    return np.matmul(W_V, W_O).astype(kind)
