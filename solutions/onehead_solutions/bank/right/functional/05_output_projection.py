import numpy as np


def fits(given, expected, what):
    if given == expected:
        return
    raise ValueError(f"{what}: {given}, but {expected} is needed")


def output_projection(context, W_O, b_O=None):
    fits(context.shape[-1], W_O.shape[0], "context width")
    if b_O is not None:
        fits(b_O.shape, W_O.shape[1:], "bias shape")
    return np.tensordot(context * 1.0, W_O * 1.0, axes=1) + (0 if b_O is None else b_O)


def parameter_count(d_model, d_k, d_v, bias=False):
    shapes = dict(W_Q=(d_model, d_k), W_K=(d_model, d_k), W_V=(d_model, d_v), W_O=(d_v, d_model))
    counts = {n: int(np.prod(s)) + bias * s[1] for n, s in shapes.items()}
    return counts | {"total": sum(counts.values())}


fold_output_projection = lambda W_V, W_O: (W_O.T @ (W_V * 1.0).T).T

OUTPUT_ABLATIONS = dict(
    [
        ("orthogonal, d_v == d_model", "output is context rotated"),
        ("transposed, d_v != d_model", "shapes do not fit"),
        ("identity, d_v == d_model", "output equals context"),
        ("zero", "output is zero"),
    ]
)
