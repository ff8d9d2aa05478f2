# exercise: lesson-02
# parts: project_sources
# einsum stretches a width of 1 instead of refusing it.
import numpy as np


def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    Q = np.einsum("tm,mk->tk", X * 1.0, W_Q)
    K = np.einsum("tm,mk->tk", source * 1.0, W_K)
    V = np.einsum("tm,mk->tk", source * 1.0, W_V)
    return Q, K, V
