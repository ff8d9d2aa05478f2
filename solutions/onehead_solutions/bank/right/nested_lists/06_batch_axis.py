import numpy as np


def padding_visible(lengths, T):
    out = []
    for n in lengths:
        if n > T or n < 0:
            raise ValueError(f"{n} is not in 0..{T}")
        out.append([[True] * n + [False] * (T - n)])
    return out


def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return [[[True] * T_k] * T_q] * B
    shape = np.shape(visible)
    if shape == (T_q, T_k):
        return [visible.tolist()] * B
    if len(shape) != 3 or shape[0] not in {1, B} or shape[1] not in {1, T_q} or shape[2] != T_k:
        raise ValueError(f"{shape} instead of {[B, T_q, T_k]}")
    return [
        [row for row in (item if len(item) == T_q else item * T_q)]
        for item in visible.tolist() * (B // shape[0])
    ]


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    seen = broadcast_visible(visible, *scores.shape)
    weights = np.zeros_like(scores)
    for index in np.ndindex(scores.shape[:2]):
        keys = np.flatnonzero(np.array(seen)[index])
        if len(keys):
            e = np.exp(scores[index][keys] - scores[index][keys].max())
            weights[index][keys] = e / e.sum()
    context = weights @ V
    trace = {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": seen,
        "weights": weights,
        "context": context,
    }
    trace["output"] = context @ W_O
    return {name: np.asarray(stage).tolist() for name, stage in trace.items()}
