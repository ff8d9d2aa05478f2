import numpy as np


def parameter_count(d_model, d_k, d_v, bias=False):
    rows = np.array([d_model, d_model, d_model, d_v], dtype=np.int64)
    columns = np.array([d_k, d_k, d_v, d_model], dtype=np.int64)
    counts = rows * columns + (columns if bias else 0)
    return {
        "W_Q": counts[0],
        "W_K": counts[1],
        "W_V": counts[2],
        "W_O": counts[3],
        "total": counts.sum(),
    }
