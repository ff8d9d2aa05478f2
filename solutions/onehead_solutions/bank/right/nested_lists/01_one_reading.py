from math import exp, sqrt


def attention_reading(query, keys, values, visible=None):
    query, keys, values = query.tolist(), keys.tolist(), values.tolist()
    seen = [True] * len(keys) if visible is None else visible.tolist()
    scores = [sum(a * b for a, b in zip(query, key)) / sqrt(len(query)) for key in keys]
    top = max([s for s, v in zip(scores, seen) if v], default=0)
    e = [exp(s - top) if v else 0.0 for s, v in zip(scores, seen)]
    weights = [x / sum(e) if any(seen) else 0.0 for x in e]
    reading = [sum(w * x for w, x in zip(weights, column)) for column in zip(*values)]
    return [weights, reading]


def layer_shapes(batch, tokens, d_model, d_k, d_v):
    shapes = {"reading": [d_v], "scores": [batch, tokens, tokens], "context": [batch, tokens, d_v]}
    shapes["layer_input"] = [batch, tokens, d_model]
    shapes["layer_output"] = [batch, tokens, d_model]
    return shapes


BOUNDARY = dict(
    zip(
        [
            "query projection",
            "key projection",
            "value projection",
            "mask",
            "softmax",
            "output projection",
        ],
        ["inside"] * 6,
    )
) | dict.fromkeys(
    [
        "residual connection",
        "layer normalization",
        "feed-forward network",
        "token embedding",
        "positional encoding",
    ],
    "outside",
)
