import numpy as np


class Attend:
    order = ("Q", "K", "V", "scores", "weights", "context")

    def __call__(self, X, W_Q, W_K, W_V):
        X = X * 1.0
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        scores = Q @ K.T / K.shape[1] ** 0.5
        weights = np.tril(np.ones_like(scores))
        for i in range(len(X)):
            e = np.exp(scores[i, : i + 1] - scores[i, : i + 1].max())
            weights[i, : i + 1] = e / e.sum()
        return dict(zip(self.order, (Q, K, V, scores, weights, weights @ V)))


class Ablate:
    def __init__(self, attend):
        self.attend = attend

    def __call__(self, X, W_Q, W_K, W_V, which, replacement):
        names = ["W_Q", "W_K", "W_V"]
        if which not in names:
            raise ValueError(f"which must be one of {names}, not {which!r}")
        matrices = [replacement if n == which else W for n, W in zip(names, (W_Q, W_K, W_V))]
        return self.attend(X, *matrices)


class Changed:
    def __call__(self, before, after, atol=1e-9):
        return [n for n in Attend.order if np.max(np.abs(before[n] - after[n])) > atol]


attend = Attend()
ablate = Ablate(attend)
changed_stages = Changed()
