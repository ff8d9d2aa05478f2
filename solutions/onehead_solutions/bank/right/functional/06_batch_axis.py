import functools

import numpy as np


def broadcast_visible(visible, B, T_q, T_k):
    full = (B, T_q, T_k)
    if visible is None:
        return np.ones(full, bool)
    shape = np.shape(visible)
    fits = {
        2: lambda: shape == full[1:],
        3: lambda: shape[2] == T_k and all(s == f or s == 1 for s, f in zip(shape, full)),
    }
    if not fits.get(len(shape), lambda: False)():
        raise ValueError(f"got {shape}, expected {full[1:]} or {full}")
    return np.tile(
        visible.reshape((1,) * (3 - len(shape)) + shape),
        [f // s for f, s in zip(full, (1, *shape)[-3:])],
    )


def my_item(X, seen, matrices):
    W_Q, W_K, W_V, W_O = matrices
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    shown = np.where(seen, scores, -np.inf)
    lowest = np.finfo(shown.dtype).min
    e = np.exp(shown - np.maximum(shown.max(1, keepdims=True), lowest))
    weights = e / np.maximum(e.sum(1, keepdims=True), np.finfo(shown.dtype).tiny)
    context = weights @ V
    return Q, K, V, scores, seen, weights, context, context @ W_O


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    B, T, _ = X.shape
    seen = broadcast_visible(visible, B, T, T)
    items = map(functools.partial(my_item, matrices=(W_Q, W_K, W_V, W_O)), X * 1.0, seen)
    return dict(
        zip("Q K V scores visible weights context output".split(), map(np.stack, zip(*items)))
    )


items_interact = lambda layer, X: any(my_moves(layer, X, b) for b in range(len(X)))


def my_moves(layer, X, b):
    Y = X * 1.0
    Y[b] = (Y[b] + 1.3) * 2 + np.arange(Y[b].size).reshape(Y[b].shape) % 2
    old, new = (np.delete(np.asarray(layer(Z)), b, axis=0) for Z in (X.copy(), Y))
    return bool(np.any(np.abs(old - new) > 1e-8 * (1 + np.abs(old))))
