import numpy as np

CACHE = {}


def project_sources(X, W_Q, W_K, W_V, context=None):
    results = []
    for source, W in [(X, W_Q), (context, W_K), (context, W_V)]:
        source = X if source is None else source
        if source.shape[1] != W.shape[0]:
            raise ValueError(f"{source.shape} @ {W.shape}")
        result = (source * 1.0) @ W
        result.setflags(write=False)
        results.append(result)
    return tuple(results)


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} != {T_k}")
    if not causal:
        return np.broadcast_to(True, (T_q, T_k))
    if T_q not in CACHE:
        CACHE[T_q] = np.tri(T_q, dtype=bool)
        CACHE[T_q].setflags(write=False)  # shared by every call, so nobody may write
    return CACHE[T_q]
