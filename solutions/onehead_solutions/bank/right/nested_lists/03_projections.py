import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X.astype(np.float64)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / np.sqrt(K.shape[1])
    weights = []
    for i in range(len(X)):
        e = np.exp(scores[i, : i + 1] - max(scores[i, : i + 1]))
        weights.append((e / e.sum()).tolist() + [0.0] * (len(X) - 1 - i))
    context = (np.array(weights) @ V).tolist()
    return {
        "Q": Q.tolist(),
        "K": K.tolist(),
        "V": V.tolist(),
        "scores": scores.tolist(),
        "weights": weights,
        "context": context,
    }


def changed_stages(before, after, atol=1e-9):
    def numbers(stage):
        return np.asarray(stage, dtype=float).ravel().tolist()

    return tuple(
        n
        for n in before
        if any(abs(a - b) > atol for a, b in zip(numbers(before[n]), numbers(after[n])))
    )


ABLATIONS = {
    "W_Q": ("Q", "scores", "weights", "context"),
    "W_K": ("K", "scores", "weights", "context"),
    "W_V": ("V", "context"),
}
