import numpy as np


def output_projection(context, W_O, b_O=None):
    d_v, d_model = W_O.shape
    if context.shape[-1] != d_v:
        raise ValueError(f"context is {context.shape[-1]} wide, but W_O has {d_v} rows")
    if b_O is not None and (b_O.ndim != 1 or b_O.size != d_model):
        raise ValueError(f"b_O {b_O.shape} for a W_O of {d_model} columns")
    out = np.zeros(context.shape[:-1] + (d_model,), dtype=np.result_type(context, W_O, 1.0))
    for index in np.ndindex(*context.shape[:-1]):
        for m in range(d_model):
            total = 0.0 if b_O is None else float(b_O[m])
            for v in range(d_v):
                total += float(context[index][v]) * float(W_O[v, m])
            out[index + (m,)] = total
    return out


def parameter_count(d_model, d_k, d_v, bias=False):
    counts = {}
    total = 0
    for name, rows, columns in [
        ("W_Q", d_model, d_k),
        ("W_K", d_model, d_k),
        ("W_V", d_model, d_v),
        ("W_O", d_v, d_model),
    ]:
        counts[name] = 0
        for _ in range(rows + 1 if bias else rows):
            counts[name] += columns
        total += counts[name]
    counts["total"] = total
    return counts


def fold_output_projection(W_V, W_O):
    folded = np.zeros((W_V.shape[0], W_O.shape[1]), dtype=np.result_type(W_V, W_O, 1.0))
    for i in range(folded.shape[0]):
        for j in range(folded.shape[1]):
            for v in range(W_O.shape[0]):
                folded[i, j] += W_V[i, v] * W_O[v, j]
    return folded
