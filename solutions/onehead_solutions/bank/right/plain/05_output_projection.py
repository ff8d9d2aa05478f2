import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"context has width {context.shape[-1]}, W_O expects {W_O.shape[0]}")
    dtype = np.result_type(context, W_O, 1.0)
    output = context.astype(dtype) @ W_O.astype(dtype)
    if b_O is not None:
        if b_O.shape != (W_O.shape[1],):
            raise ValueError(f"b_O has shape {b_O.shape}, expected ({W_O.shape[1]},)")
        output = output + b_O
    return output


def parameter_count(d_model, d_k, d_v, bias=False):
    count = {
        "W_Q": d_model * d_k,
        "W_K": d_model * d_k,
        "W_V": d_model * d_v,
        "W_O": d_v * d_model,
    }
    if bias:
        count["W_Q"] += d_k
        count["W_K"] += d_k
        count["W_V"] += d_v
        count["W_O"] += d_model
    count["total"] = sum(count.values())
    return count


def fold_output_projection(W_V, W_O):
    dtype = np.result_type(W_V, W_O, 1.0)
    return W_V.astype(dtype) @ W_O.astype(dtype)


OUTPUT_ABLATIONS = {
    "zero": "output is zero",
    "identity, d_v == d_model": "output equals context",
    "transposed, d_v != d_model": "shapes do not fit",
    "orthogonal, d_v == d_model": "output is context rotated",
}
