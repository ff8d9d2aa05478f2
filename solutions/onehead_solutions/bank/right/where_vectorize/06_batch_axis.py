import numpy as np


def padding_visible(lengths, T):
    @np.vectorize(signature="(),(t)->(n,t)")
    def item(length, positions):
        if not 0 <= length <= T:
            raise ValueError(f"length {length}, T {T}")
        return (positions < length)[None]

    return item(np.asarray(lengths), np.arange(T))


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    seen = np.where(np.True_ if visible is None else visible, np.full(scores.shape, True), False)
    floor = np.where(seen, scores, np.finfo(X.dtype).min)
    e = np.where(seen, np.exp(np.where(seen, floor - floor.max(-1, keepdims=True), 0)), 0)
    total = e.sum(-1, keepdims=True)
    weights = np.where(total > 0, e / np.where(total > 0, total, 1), 0).astype(X.dtype)
    context = weights @ V
    output = context @ W_O
    return dict(
        Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=output
    )


def items_interact(layer, X):
    before = np.asarray(layer(X.copy()))
    for b in range(len(X)):
        item = np.arange(len(X))[:, None, None] == b
        after = np.asarray(
            layer(
                np.where(item, np.cos(np.arange(X[0].size)).reshape(X[0].shape) - 2 * X, X).astype(
                    X.dtype
                )
            )
        )
        gap = np.where(item, 0, np.abs(after - before))
        if gap.max() > 1e-7:
            return np.True_
    return np.False_
