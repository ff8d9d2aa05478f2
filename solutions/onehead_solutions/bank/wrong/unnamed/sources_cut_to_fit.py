# exercise: lesson-02
# parts: project_sources
# Widths that do not fit are cut until they do.
def my_fit(source, W):
    width = min(source.shape[1], W.shape[0])
    return (source[:, :width] * 1.0) @ W[:width]


def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    return my_fit(X, W_Q), my_fit(source, W_K), my_fit(source, W_V)
