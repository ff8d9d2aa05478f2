import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape[0] != W_K.shape[0] or W_Q.shape[0] != W_V.shape[0]:
            raise ValueError(f"rows differ: {W_Q.shape[0]}, {W_K.shape[0]}, {W_V.shape[0]}")
        if W_Q.shape[1] != W_K.shape[1]:
            raise ValueError(f"d_k differs: {W_Q.shape[1]} and {W_K.shape[1]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O is {W_O.shape}, not {(W_V.shape[1], W_Q.shape[0])}")
        self.matrices = W_Q, W_K, W_V, W_O
        self.W_Q, self.W_K, self.W_V, self.W_O = self.matrices

    num_parameters = property(lambda self: sum(W.size for W in self.matrices))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal).pop("output")

    def trace(self, X, visible=None, causal=True):
        X, W_Q, W_K, W_V, W_O = (a.astype(np.result_type(a, 1.0)) for a in (X, *self.matrices))
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tri(X.shape[-2], dtype=bool)
        if visible is not None:
            seen &= visible
        logits = np.where(seen, scores, -np.inf)
        lse = np.logaddexp.reduce(logits, axis=-1, keepdims=True)
        weights = np.exp(logits - np.where(np.isinf(lse), 0, lse))
        context = weights @ V
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": context @ W_O,
        }
