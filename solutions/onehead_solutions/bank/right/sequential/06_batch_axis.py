import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = ((X[..., None] * W)[:, :, ::-1].sum(2) for W in (W_Q, W_K, W_V))
    scores = (Q[:, :, None] * K[:, None]).cumsum(-1)[..., -1] / K.shape[-1] ** 0.5
    seen = np.full(scores.shape, True)
    if visible is not None:
        seen[:] = visible
    top = np.where(seen, scores, -np.inf).max(-1)
    e = np.exp(
        np.where(seen, scores, -np.inf) - np.where(seen.any(-1), top, 0)[..., None].astype(X.dtype)
    )
    total = e.cumsum(-1)[..., -1:]
    weights = e / (total + (total == 0))
    context = (weights[..., None] * V[:, None]).sum(2)
    output = (context[..., None] * W_O).sum(2)
    return dict(
        Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=output
    )
