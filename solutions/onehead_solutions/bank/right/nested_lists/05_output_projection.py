import numpy as np


def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError([context.shape[-1], W_O.shape[0]])
    out = context.astype(float) @ W_O
    if b_O is not None:
        if len(b_O) != W_O.shape[1]:
            raise ValueError([len(b_O), W_O.shape[1]])
        out = out + b_O
    return out.tolist()


def fold_output_projection(W_V, W_O):
    columns = W_O.T.tolist()
    return [
        [float(sum(a * b for a, b in zip(row, column))) for column in columns]
        for row in W_V.tolist()
    ]


def parameter_count(d_model, d_k, d_v, bias=False):
    b = int(bias)
    parts = [d_k * (d_model + b), d_k * (d_model + b), d_v * (d_model + b), d_model * (d_v + b)]
    return dict(zip(["W_Q", "W_K", "W_V", "W_O", "total"], [*parts, sum(parts)]))
