import numpy as np


def attention_reading(query, keys, values, visible=None):
    dtype = np.result_type(query, keys, values, 1.0)
    query, keys, values = query.astype(dtype), keys.astype(dtype), values.astype(dtype)
    scores = keys @ query / float(np.sqrt(query.shape[0]))
    if visible is None:
        visible = np.ones(len(keys), dtype=bool)
    weights = np.zeros(len(keys), dtype=dtype)
    if visible.any():
        seen = scores[visible]
        exps = np.exp(seen - seen.max())
        weights[visible] = exps / exps.sum()
    return weights, weights @ values


def layer_shapes(batch, tokens, d_model, d_k, d_v):
    return {
        "reading": (d_v,),
        "layer_input": (batch, tokens, d_model),
        "layer_output": (batch, tokens, d_model),
        "scores": (batch, tokens, tokens),
        "context": (batch, tokens, d_v),
    }


BOUNDARY = {
    "query projection": "inside",
    "key projection": "inside",
    "value projection": "inside",
    "mask": "inside",
    "softmax": "inside",
    "output projection": "inside",
    "residual connection": "outside",
    "layer normalization": "outside",
    "feed-forward network": "outside",
    "token embedding": "outside",
    "positional encoding": "outside",
}
