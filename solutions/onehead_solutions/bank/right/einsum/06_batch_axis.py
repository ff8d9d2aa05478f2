import numpy as np


def broadcast_visible(visible, B, T_q, T_k):
    full = (B, T_q, T_k)
    if visible is None:
        return np.broadcast_to(True, full)
    if visible.ndim == 2 and visible.shape == full[1:]:
        return np.broadcast_to(visible[None], full)
    if (
        visible.ndim == 3
        and visible.shape[2] == T_k
        and all(n in (1, m) for n, m in zip(visible.shape, full))
    ):
        return np.broadcast_to(visible, full)
    raise ValueError(f"mask {visible.shape}, wanted {full}")


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    kind = np.result_type(X, W_Q, 1.0)
    Q, K, V = (np.einsum("btm,mk->btk", X, W, dtype=kind) for W in (W_Q, W_K, W_V))
    scores = np.einsum("bik,bjk->bij", Q, K) / K.shape[2] ** 0.5
    B, T = X.shape[:2]
    seen = broadcast_visible(visible, B, T, T).copy()
    top = np.where(seen, scores, -np.inf).max(axis=2)
    top[np.isinf(top)] = 0
    e = np.zeros_like(scores)
    np.exp(scores - top[..., None], out=e, where=seen)
    total = np.einsum("bij->bi", e)
    total[total == 0] = 1
    weights = np.einsum("bij,bi->bij", e, 1 / total)
    context = np.einsum("bij,bjv->biv", weights, V)
    output = np.einsum("biv,vm->bim", context, W_O, dtype=kind)
    return dict(
        Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=output
    )
