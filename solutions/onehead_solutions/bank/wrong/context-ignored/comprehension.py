# exercise: lesson-02
# parts: project_sources
# stage: K
# The source in the comprehension is X.
import numpy as np


def project_sources(X, W_Q, W_K, W_V, context=None):
    for W in (W_Q, W_K, W_V):
        if X.shape[-1] != W.shape[0]:
            raise ValueError(f"X {X.shape} and projection {W.shape}")
    Q, K, V = [np.einsum("tm,mk->tk", X * 1.0, W) for W in (W_Q, W_K, W_V)]
    return Q, K, V
