import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        d_model, d_k, d_v = len(W_Q), len(W_Q[0]), len(W_V[0])
        for W, due in ((W_K, (d_model, d_k)), (W_V, (d_model, d_v)), (W_O, (d_v, d_model))):
            if W.shape != due:
                raise ValueError("given %s, expected %s" % (W.shape, due))
        self.W_Q = W_Q
        self.W_K = W_K
        self.W_V = W_V
        self.W_O = W_O

    @property
    def num_parameters(self):
        d_model, d_k = self.W_Q.shape
        d_v = self.W_V.shape[1]
        return 2 * d_model * (d_k + d_v)

    def trace(self, X, visible=None, causal=True):
        kind = np.result_type(X, self.W_Q, 1.0)
        T = X.shape[-2]
        Q, K, V = ((X @ W).astype(kind) for W in (self.W_Q, self.W_K, self.W_V))
        scores = (Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])).astype(kind)
        bias = np.zeros((T, T), dtype=kind)
        if causal:
            bias = np.triu(np.full((T, T), -np.inf, dtype=kind), k=1)
        if visible is not None:
            bias = bias + np.where(visible, 0, -np.inf).astype(kind)
        biased = scores + bias
        top = biased.max(axis=-1, keepdims=True)
        e = np.exp(biased - np.where(np.isfinite(top), top, kind.type(0)))
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total > 0, total, kind.type(1))
        context = weights @ V
        return dict(
            Q=Q,
            K=K,
            V=V,
            scores=scores,
            visible=biased > -np.inf,
            weights=weights,
            context=context,
            output=(context @ self.W_O).astype(kind),
        )

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
