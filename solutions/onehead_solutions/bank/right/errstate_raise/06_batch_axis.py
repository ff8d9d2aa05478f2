# needs: numpy 2
import numpy as np

np.seterr(over="raise", invalid="raise", divide="raise")


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.mT / K.shape[-1] ** 0.5
    seen = np.ones(scores.shape, bool)
    if visible is not None:
        seen[:] = visible
    some = seen.any(-1, keepdims=True)
    top = scores.max(-1, keepdims=True, where=seen, initial=np.finfo(X.dtype).min)
    shifted = np.subtract(scores, top, where=seen & some, out=np.zeros_like(scores))
    e = np.exp(shifted) * seen
    weights = e / np.where(some, e.sum(-1, keepdims=True), 1).astype(X.dtype)
    context = weights @ V
    output = context @ W_O
    return dict(
        Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=output
    )
