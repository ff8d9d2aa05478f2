import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        problems = []
        if W_K.shape != W_Q.shape:
            problems.append(f"W_K {W_K.shape} against W_Q {W_Q.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            problems.append(f"W_V {W_V.shape} against d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            problems.append(f"W_O {W_O.shape} against {(W_V.shape[1], W_Q.shape[0])}")
        if problems:
            raise ValueError("; ".join(problems))
        self._q, self._k, self._v, self._o = W_Q, W_K, W_V, W_O
        self._scale = W_Q.shape[1] ** -0.5

    @property
    def num_parameters(self) -> int:
        return int(np.sum([m.size for m in (self._q, self._k, self._v, self._o)]))

    def __call__(self, X, visible=None, causal=True):
        *_, output = self._run(X, visible, causal)
        return output

    def trace(self, X, visible=None, causal=True):
        names = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")
        return dict(zip(names, self._run(X, visible, causal)))

    def _run(self, X, visible, causal):
        X = X * 1.0
        Q, K, V = X @ self._q, X @ self._k, X @ self._v
        scores = (Q * self._scale) @ K.swapaxes(-2, -1)
        sight = np.ones_like(scores, dtype=bool)
        if visible is not None:
            sight = np.logical_and(sight, visible)
        if causal:
            sight = np.logical_and(sight, np.tri(sight.shape[-1], dtype=bool))
        shown = np.where(sight, scores, -np.inf)
        top = shown.max(-1, keepdims=True)
        shown = shown - np.where(sight.any(-1, keepdims=True), top, 0).astype(shown.dtype)
        e = np.exp(shown)
        weights = e / np.maximum(e.sum(-1, keepdims=True), np.finfo(e.dtype).tiny)
        context = weights @ V
        return Q, K, V, scores, sight, weights, context, context @ self._o
