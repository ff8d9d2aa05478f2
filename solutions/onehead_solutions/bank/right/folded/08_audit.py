import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        for left, right, a, b in [
            ("rows of W_Q", "rows of W_K", W_Q.shape[0], W_K.shape[0]),
            ("rows of W_Q", "rows of W_V", W_Q.shape[0], W_V.shape[0]),
            ("columns of W_Q", "columns of W_K", W_Q.shape[1], W_K.shape[1]),
            ("columns of W_V", "rows of W_O", W_V.shape[1], W_O.shape[0]),
            ("rows of W_Q", "columns of W_O", W_Q.shape[0], W_O.shape[1]),
        ]:
            if a != b:
                raise ValueError(f"{left} and {right} differ: {a} and {b}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.W_QK = (W_Q * 1.0) @ W_K.T / W_Q.shape[1] ** 0.5
        self.W_VO = (W_V * 1.0) @ W_O

    @property
    def num_parameters(self):
        # What is learned, not what is folded.
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def my_weights(self, X, visible, causal):
        scores = X @ self.W_QK @ X.swapaxes(-1, -2)
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        seen = np.tril(seen) if causal else np.array(seen)
        shown = np.where(seen, scores, -np.inf)
        top = np.where(seen.any(-1, keepdims=True), shown.max(-1, keepdims=True), 0)
        e = np.exp(shown - top.astype(scores.dtype))
        total = e.sum(-1, keepdims=True)
        return scores, seen, e / np.where(total > 0, total, 1)

    def trace(self, X, visible=None, causal=True):
        X = X * 1.0
        scores, seen, weights = self.my_weights(X, visible, causal)
        V = X @ self.W_V
        return {
            "Q": X @ self.W_Q,
            "K": X @ self.W_K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": weights @ V,
            "output": weights @ (X @ self.W_VO),
        }

    def __call__(self, X, visible=None, causal=True):
        X = X * 1.0
        return self.my_weights(X, visible, causal)[2] @ (X @ self.W_VO)
