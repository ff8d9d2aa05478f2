# exercise: lesson-02
# parts: project_sources
# stage: V
# The third result is the second again.
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for name, a, W in [("W_Q", X, W_Q), ("W_K", source, W_K), ("W_V", source, W_V)]:
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"{name}: {a.shape[1]} and {W.shape[0]}")
    Q = (X * 1.0) @ W_Q
    K = (source * 1.0) @ W_K
    return Q, K, K.copy()
