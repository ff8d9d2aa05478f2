import math

import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q is {W_Q.shape} but W_K is {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V has {W_V.shape[0]} rows but W_Q has {W_Q.shape[0]}")
        if W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"W_O is {W_O.shape} but should be {W_V.shape[::-1]}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = 0
        for W in (W_Q, W_K, W_V, W_O):
            for row in W:
                self.num_parameters += len(row)

    def my_item(self, x, seen):
        kind = x.dtype
        T = len(x)
        Q, K, V = x @ self.W_Q.astype(kind), x @ self.W_K.astype(kind), x @ self.W_V.astype(kind)
        scores, weights = np.zeros((T, T), kind), np.zeros((T, T), kind)
        for i in range(T):
            for j in range(T):
                scores[i, j] = float(np.dot(Q[i], K[j])) / math.sqrt(K.shape[1])
            top = max([float(scores[i, j]) for j in range(T) if seen[i, j]], default=0.0)
            exps = [math.exp(float(scores[i, j]) - top) if seen[i, j] else 0.0 for j in range(T)]
            if any(seen[i]):
                weights[i] = [e / sum(exps) for e in exps]
        context = weights @ V
        return [Q, K, V, scores, seen, weights, context, context @ self.W_O.astype(kind)]

    def trace(self, X, visible=None, causal=True):
        x = X.astype(np.result_type(X, self.W_Q, 1.0))
        items = x if x.ndim == 3 else x[None]
        B, T = items.shape[:2]
        seen = np.ones((B, T, T), dtype=bool)
        if visible is not None:
            seen[:] = visible
        if causal:
            for i in range(T):
                seen[:, i, i + 1 :] = False
        done = [self.my_item(items[b], seen[b]) for b in range(B)]
        names = ["Q", "K", "V", "scores", "visible", "weights", "context", "output"]
        trace = {}
        for n, name in enumerate(names):
            stacked = np.array([item[n] for item in done])
            trace[name] = stacked if X.ndim == 3 else stacked[0]
        return trace

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
