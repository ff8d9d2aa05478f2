# exercise: lesson-02
# parts: project_sources
# "context or X" asks an array for its truth.
def my_project(source, W):
    if source.shape[1] != W.shape[0]:
        raise ValueError(f"width {source.shape[1]} does not fit {W.shape[0]} rows")
    return (source * 1.0) @ W


def project_sources(X, W_Q, W_K, W_V, context=None):
    source = context or X
    return my_project(X, W_Q), my_project(source, W_K), my_project(source, W_V)
