import dataclasses
import functools

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class SelfAttention:
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray

    def __post_init__(self):
        (m, k), (v, m2) = self.W_Q.shape, self.W_O.shape
        if (self.W_K.shape, self.W_V.shape, m2) != ((m, k), (m, v), m):
            shapes = [W.shape for W in dataclasses.astuple(self)]
            raise ValueError(f"these shapes do not fit: {shapes}")

    @functools.cached_property
    def num_parameters(self):
        return sum(field.size for field in dataclasses.astuple(self))

    def trace(self, X, visible=None, causal=True):
        X = X * 1.0
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        scores = Q @ np.moveaxis(K, -1, -2) / K.shape[-1] ** 0.5
        conditions = [np.ones(scores.shape, bool)]
        conditions += [visible] if visible is not None else []
        conditions += [np.tri(scores.shape[-1], dtype=bool)] if causal else []
        seen = functools.reduce(np.logical_and, conditions)
        shown = np.where(seen, scores, -np.inf)
        top = shown.max(-1, keepdims=True)
        e = np.exp(shown - np.nan_to_num(top, neginf=0.0))
        total = e.sum(-1, keepdims=True)
        weights = np.divide(e, total, where=total > 0, out=np.zeros_like(e))
        context = weights @ V
        names = "Q K V scores visible weights context output".split()
        return dict(zip(names, (Q, K, V, scores, seen, weights, context, context @ self.W_O)))

    def __call__(self, *args, **kwargs):
        return self.trace(*args, **kwargs)["output"]
