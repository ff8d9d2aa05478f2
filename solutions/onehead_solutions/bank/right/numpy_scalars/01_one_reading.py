import numpy as np


def layer_shapes(batch, tokens, d_model, d_k, d_v):
    b, t, m, v = np.array([batch, tokens, d_model, d_v])
    return {
        "reading": (v,),
        "layer_input": (b, t, m),
        "layer_output": (b, t, m),
        "scores": (b, t, t),
        "context": tuple(np.array([b, t, v])),
    }
