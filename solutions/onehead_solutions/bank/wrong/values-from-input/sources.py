# exercise: lesson-02
# parts: project_sources
# stage: V
# The values are the source, unprojected.
def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is None:
        context = X
    if len(X[0]) != len(W_Q):
        raise ValueError(f"{len(X[0])} != {len(W_Q)}")
    for W in (W_K, W_V):
        if len(context[0]) != len(W):
            raise ValueError(f"{len(context[0])} != {len(W)}")
    return X * 1.0 @ W_Q, context * 1.0 @ W_K, context * 1.0
