# exercise: lesson-02
# parts: project_sources
# stage: K
# context is overwritten before it is read.
def my_project(source, W):
    if source.shape[1] != W.shape[0]:
        raise ValueError(f"width {source.shape[1]} does not fit {W.shape[0]} rows")
    return (source * 1.0) @ W


def project_sources(X, W_Q, W_K, W_V, context=None):
    context = X
    sources = [X, context, context]
    return tuple(my_project(s, W) for s, W in zip(sources, [W_Q, W_K, W_V]))
