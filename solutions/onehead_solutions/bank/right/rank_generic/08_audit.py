import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        wanted = (W_Q.shape, (W_Q.shape[0], W_V.shape[1]), (W_V.shape[1], W_Q.shape[0]))
        for name, due in zip(("W_K", "W_V", "W_O"), wanted):
            given = getattr(self, name).shape
            if given != due:
                raise ValueError(f"{name}: {given} should be {due}")

    @property
    def num_parameters(self):
        (m, k), v = self.W_Q.shape, self.W_V.shape[-1]
        return m * (k + k + v + v)

    def trace(self, X, visible=None, causal=True):
        trace = {}
        X = X * 1.0
        for name in "QKV":
            trace[name] = X @ getattr(self, "W_" + name)
        scores = trace["scores"] = (
            trace["Q"] @ trace["K"].swapaxes(-1, -2) / self.W_K.shape[1] ** 0.5
        )
        seen = trace["visible"] = np.ones(scores.shape, bool)
        if visible is not None:
            seen &= visible
        if causal:
            seen &= np.arange(scores.shape[-2])[:, None] >= np.arange(scores.shape[-1])
        weights = trace["weights"] = np.zeros_like(scores)
        for row in np.ndindex(scores.shape[:-1]):
            keys = seen[row]
            if keys.any():
                e = np.exp(scores[row][keys] - scores[row][keys].max())
                weights[(*row, keys)] = e / e.sum()
        trace["context"] = weights @ trace["V"]
        trace["output"] = trace["context"] @ self.W_O
        return trace

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
