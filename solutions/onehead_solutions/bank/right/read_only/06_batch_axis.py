import numpy as np


def padding_visible(lengths, T):
    lengths = np.array(lengths)
    if lengths.max() > T:
        raise ValueError(f"{lengths.max()} > {T}")
    if lengths.min() < 0:
        raise ValueError(f"{lengths.min()} < 0 (T = {T})")
    table = np.tri(T + 1, T, -1, dtype=bool)
    table = table[lengths][:, np.newaxis]
    table.setflags(write=False)
    return table


def broadcast_visible(visible, B, T_q, T_k):
    """A read-only view wherever that is possible."""
    if visible is None:
        return np.broadcast_to(np.array(True), (B, T_q, T_k))
    if (
        visible.ndim == 2
        and visible.shape == (T_q, T_k)
        or visible.ndim == 3
        and visible.shape[2] == T_k
    ):
        try:
            return np.broadcast_to(visible, (B, T_q, T_k))
        except ValueError:
            pass
    raise ValueError(f"cannot see a mask of {visible.shape} as {(B, T_q, T_k)}")


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    seen = broadcast_visible(visible, *scores.shape)
    e = np.zeros_like(scores)
    top = scores.max(axis=-1, keepdims=True, where=seen, initial=-np.inf)
    np.exp(scores - top, where=seen, out=e)
    total = e.sum(axis=-1, keepdims=True)
    weights = np.divide(e, total, where=seen.any(axis=-1, keepdims=True), out=np.zeros_like(e))
    context = weights @ V
    output = context @ W_O
    trace = dict(
        Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=output
    )
    for stage in trace.values():
        stage.setflags(write=False)
    return trace
