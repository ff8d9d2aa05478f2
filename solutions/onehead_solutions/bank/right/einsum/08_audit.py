import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        sizes = {}
        shapes = {"W_Q": ("m", "k"), "W_K": ("m", "k"), "W_V": ("m", "v"), "W_O": ("v", "m")}
        for name, W in zip(shapes, (W_Q, W_K, W_V, W_O)):
            for letter, size in zip(shapes[name], W.shape):
                if sizes.setdefault(letter, size) != size:
                    raise ValueError(
                        f"{name}: size {size} of axis {letter} should be {sizes[letter]}"
                    )
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = sum(W.size for W in (W_Q, W_K, W_V, W_O))

    def trace(self, X, visible=None, causal=True):
        kind = np.result_type(X, self.W_Q, 1.0)
        Q, K, V = (
            np.einsum("...tm,mk->...tk", X, W, dtype=kind) for W in (self.W_Q, self.W_K, self.W_V)
        )
        scores = np.einsum("...ik,...jk->...ij", Q, K) / K.shape[-1] ** 0.5
        seen = (
            np.tri(X.shape[-2], dtype=bool) if causal else np.ones((X.shape[-2],) * 2, dtype=bool)
        )
        seen = np.logical_and(seen, True if visible is None else visible)
        seen = np.broadcast_to(seen, scores.shape).copy()
        top = np.where(seen, scores, -np.inf).max(axis=-1, keepdims=True)
        top[np.isneginf(top)] = 0
        e = np.exp(np.where(seen, scores, -np.inf) - top)
        total = np.einsum("...j->...", e)[..., None]
        weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
        context = np.einsum("...ij,...jv->...iv", weights, V)
        output = np.einsum("...v,vm->...m", context, self.W_O, dtype=kind)
        return dict(
            Q=Q,
            K=K,
            V=V,
            scores=scores,
            visible=seen,
            weights=weights,
            context=context,
            output=output,
        )

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible=visible, causal=causal)["output"]
