import numpy as np


def output_projection(context, W_O, b_O=None):
    *lead, d_v = context.shape
    if d_v != len(W_O):
        raise ValueError(f"d_v is {d_v} in context, {len(W_O)} in W_O")
    total = np.zeros((*lead, W_O.shape[1]), np.result_type(context, W_O, 1.0))
    if b_O is not None:
        if len(b_O) != W_O.shape[1]:
            raise ValueError(f"d_model is {W_O.shape[1]} in W_O, {len(b_O)} in b_O")
        total += b_O
    for v in range(d_v):
        total += context[..., v, None] * W_O[v]
    return total


def fold_output_projection(W_V, W_O):
    total = np.zeros((W_V.shape[0], W_O.shape[1]), np.result_type(W_V, W_O, 1.0))
    for v in reversed(range(len(W_O))):
        total += np.multiply.outer(W_V[:, v], W_O[v])
    return total
