import numpy as np


def padding_visible(lengths, T):
    lengths = np.asarray(lengths)
    wrong = lengths[(lengths < 0) | (lengths > T)]
    if wrong.size:
        raise ValueError(f"lengths {wrong.tolist()} do not fit T={T}")
    return np.arange(T)[None, None, :] < lengths[:, None, None]


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    kind = np.result_type(X, W_Q, W_K, W_V, W_O, 1.0)
    Q, K, V = ((X @ W).astype(kind) for W in (W_Q, W_K, W_V))
    scores = (Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[2])).astype(kind)
    bias = np.zeros(scores.shape, dtype=kind)
    if visible is not None:
        bias += np.where(visible, 0, -np.inf).astype(kind)
    seen = bias == 0
    biased = scores + bias
    top = biased.max(axis=-1, keepdims=True)
    top[top == -np.inf] = 0
    e = np.exp(biased - top)
    total = e.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    weights = e / total
    context = weights @ V
    output = (context @ W_O).astype(kind)
    return dict(
        Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=output
    )
