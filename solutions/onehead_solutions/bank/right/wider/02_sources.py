import numpy as np


def project_sources(X, W_Q, W_K, W_V, context=None):
    context = X if context is None else context
    wide = lambda a: a.astype(np.longdouble)
    back = np.result_type(X, W_Q, 1.0)
    Q = (wide(X) @ wide(W_Q)).astype(back)
    K = (wide(context) @ wide(W_K)).astype(back)
    V = (wide(context) @ wide(W_V)).astype(back)
    return Q, K, V
