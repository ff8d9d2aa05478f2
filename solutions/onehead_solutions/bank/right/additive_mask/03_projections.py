import numpy as np


def attend(X, W_Q, W_K, W_V):
    kind = np.result_type(X, W_Q, W_K, W_V, 1.0)
    Q, K, V = ((X @ W).astype(kind) for W in (W_Q, W_K, W_V))
    scores = (Q @ K.T / np.sqrt(K.shape[1])).astype(kind)
    mask = np.triu(np.full((len(X), len(X)), -np.inf, dtype=kind), k=1)
    masked = scores + mask
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    match which:
        case "W_Q":
            W_Q = replacement
        case "W_K":
            W_K = replacement
        case "W_V":
            W_V = replacement
        case _:
            raise ValueError(f"{which} is no projection of this layer")
    return attend(X, W_Q, W_K, W_V)
