import numpy as np


def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for a, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"width {a.shape[1]} is not {W.shape[0]}")
    swap = lambda a: a.astype(a.dtype.newbyteorder(">"))
    return swap((X * 1.0) @ W_Q), swap((source * 1.0) @ W_K), swap((source * 1.0) @ W_V)
