# exercise: lesson-05
# parts: parameter_count
# Only shapes of matrices are multiplied.
import numpy as np


def parameter_count(d_model, d_k, d_v, bias=False):
    shapes = {
        "W_Q": (d_model, d_k),
        "W_K": (d_model, d_k),
        "W_V": (d_model, d_v),
        "W_O": (d_v, d_model),
    }
    count = {name: int(np.prod(shape)) for name, shape in shapes.items()}
    return {**count, "total": sum(count[name] for name in shapes)}
