# exercise: lesson-08
# parts: SelfAttention
# stage: visible
# A given mask switches causal off.
import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        d_model, d_k, d_v = *W_Q.shape, W_V.shape[1]
        if W_K.shape != (d_model, d_k) or W_V.shape[0] != d_model or W_O.shape != (d_v, d_model):
            raise ValueError(
                f"shapes {W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit"
            )
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        X = X * 1.0
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.ones(scores.shape, bool)
        if visible is not None:
            seen = seen & visible
        elif causal:
            seen = np.tril(seen)
        shown = np.where(seen, scores, -np.inf)
        top = np.where(seen.any(-1, keepdims=True), shown.max(-1, keepdims=True), 0).astype(X.dtype)
        e = np.exp(shown - top)
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        output = context @ self.W_O
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": output,
        }

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
