import numpy as np


def padding_visible(lengths, T):
    for length in lengths:
        if length < 0 or length > T:
            raise ValueError(f"length {length} is not between 0 and {T}")
    visible = np.zeros((len(lengths), 1, T), dtype=bool)
    for b, length in enumerate(lengths):
        visible[b, 0, :length] = True
    return visible


def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), dtype=bool)
    shape = visible.shape
    two = shape == (T_q, T_k)
    three = len(shape) == 3 and shape[0] in (1, B) and shape[1] in (1, T_q) and shape[2] == T_k
    if not (two or three):
        raise ValueError(f"a mask of shape {shape} does not fit {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    dtype = np.result_type(X, W_Q, W_K, W_V, W_O, 1.0)
    X = X.astype(dtype)
    B, T, _ = X.shape
    Q, K, V = X @ W_Q.astype(dtype), X @ W_K.astype(dtype), X @ W_V.astype(dtype)
    scores = Q @ K.transpose(0, 2, 1) / float(np.sqrt(K.shape[-1]))
    visible = broadcast_visible(visible, B, T, T)
    shown = np.where(visible, scores, -np.inf)
    top = shown.max(axis=-1, keepdims=True)
    exps = np.exp(shown - np.where(np.isinf(top), 0, top))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    context = weights @ V
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "visible": visible,
        "weights": weights,
        "context": context,
        "output": context @ W_O.astype(dtype),
    }


def items_interact(layer, X):
    before = np.asarray(layer(X.copy()))
    for b in range(len(X)):
        changed = X.astype(float)
        changed[b] = 1.37 - 2 * changed[b]
        after = np.asarray(layer(changed.astype(np.result_type(X, 1.0))))
        others = np.arange(len(X)) != b
        if len(X) > 1 and np.abs(after - before)[others].max() > 1e-7:
            return True
    return False
