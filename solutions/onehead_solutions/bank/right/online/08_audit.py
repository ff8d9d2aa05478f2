import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        try:
            np.zeros((1, W_Q.shape[0])) @ W_K
            np.zeros((1, W_Q.shape[0])) @ W_V
            np.zeros((1, W_Q.shape[1])) @ W_K.T
            np.zeros((1, W_V.shape[1])) @ W_O
            np.zeros((1, W_O.shape[1])) @ W_Q
        except ValueError as error:
            raise ValueError(f"the matrices do not fit: {error}") from None
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size + W_K.size + W_V.size + W_O.size

    def trace(self, X, visible=None, causal=True):
        X = X * 1.0
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.ones(scores.shape, bool)
        if visible is not None:
            seen &= visible
        if causal:
            seen &= np.tri(T, dtype=bool)
        top = np.full(X.shape[:-1], -np.inf, X.dtype)
        total = np.zeros_like(top)
        for j in range(T):
            column = np.where(seen[..., j], scores[..., j], -np.inf)
            higher = np.maximum(top, column)
            base = np.where(np.isinf(higher), 0, higher)
            total = total * np.exp(top - base) + np.exp(column - base)
            top = higher
        base = np.where(np.isinf(top), 0, top)[..., None]
        weights = np.where(seen, np.exp(np.where(seen, scores - base, -np.inf)), 0)
        weights = (weights / np.where(total == 0, 1, total)[..., None]).astype(X.dtype)
        context = weights @ V
        stages = Q, K, V, scores, seen, weights, context, context @ self.W_O
        return dict(
            zip(["Q", "K", "V", "scores", "visible", "weights", "context", "output"], stages)
        )

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
