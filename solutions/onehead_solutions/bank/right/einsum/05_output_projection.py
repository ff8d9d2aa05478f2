import numpy as np


def output_projection(context, W_O, b_O=None):
    d_v, d_model = W_O.shape
    if context.shape[-1] != d_v:
        raise ValueError(f"{context.shape[-1]} != {d_v}")
    kind = np.result_type(context, W_O, 1.0)
    output = np.einsum("...v,vm->...m", context, W_O, dtype=kind)
    if b_O is None:
        return output
    if np.shape(b_O) != (d_model,):
        raise ValueError(f"{np.shape(b_O)} != {(d_model,)}")
    return np.add(output, b_O)


def fold_output_projection(W_V, W_O):
    return np.einsum("mv,vn->mn", W_V, W_O, dtype=np.result_type(W_V, W_O, 1.0))
