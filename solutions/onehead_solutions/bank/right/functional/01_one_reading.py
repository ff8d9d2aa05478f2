from functools import partial, reduce

import numpy as np


def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


my_shift = lambda s: s - np.where(np.isfinite(s.max()), s.max(), 0).astype(s.dtype)
my_divide = lambda e: e / (e.sum() if e.sum() > 0 else 1)
my_softmax = compose(my_shift, np.exp, my_divide)


def my_mask(visible, s):
    return s if visible is None else np.where(visible, s, -np.inf)


def attention_reading(*args, **kwargs):
    names = ("query", "keys", "values", "visible")
    given = {"visible": None} | dict(zip(names, args)) | kwargs
    query, keys, values = (given[n] * 1.0 for n in names[:3])
    scores = keys @ query / query.size**0.5
    weights = compose(partial(my_mask, given["visible"]), my_softmax)(scores)
    return weights, weights @ values


layer_shapes = lambda batch, tokens, d_model, d_k, d_v: dict(
    reading=(d_v,),
    **dict.fromkeys(["layer_input", "layer_output"], (batch, tokens, d_model)),
    scores=(batch,) + 2 * (tokens,),
    context=(batch, tokens, d_v),
)

BOUNDARY = {
    name: side
    for side, names in {
        "inside": "query projection, key projection, value projection, mask, softmax, output projection",
        "outside": "residual connection, layer normalization, feed-forward network, token embedding, positional encoding",
    }.items()
    for name in names.split(", ")
}
