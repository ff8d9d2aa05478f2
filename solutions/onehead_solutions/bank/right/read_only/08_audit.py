import numpy as np


class SelfAttention:
    __slots__ = ("W_Q", "W_K", "W_V", "W_O")

    def __init__(self, W_Q, W_K, W_V, W_O):
        X = np.zeros((1, W_Q.shape[0]))
        try:
            output = (X @ W_Q) @ (X @ W_K).T @ (X @ W_V) @ W_O
        except ValueError as error:
            raise ValueError(
                f"do not fit: {W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}"
            ) from error
        if output.shape != X.shape:
            raise ValueError(f"output has width {output.shape[1]}, expected {X.shape[1]}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(getattr(self, name).size for name in self.__slots__)

    def trace(self, X, visible=None, causal=True):
        X = X * 1.0
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.tri(T, dtype=bool) if causal else np.ones((T, T), bool)
        seen = np.broadcast_to(seen if visible is None else seen & visible, scores.shape)
        top = scores.max(axis=-1, keepdims=True, where=seen, initial=-np.inf)
        e = np.exp(scores - top, where=seen, out=np.zeros_like(scores))
        total = e.sum(axis=-1, keepdims=True)
        weights = np.divide(e, total, where=total > 0, out=np.zeros_like(e))
        context = weights @ V
        output = context @ self.W_O
        trace = dict(
            Q=Q,
            K=K,
            V=V,
            scores=scores,
            visible=seen,
            weights=weights,
            context=context,
            output=output,
        )
        for stage in trace.values():
            stage.setflags(write=False)
        return trace

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
