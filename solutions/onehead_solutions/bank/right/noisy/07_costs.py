import numpy as np


def path_length(architecture, distance, kernel=3):
    print("asked for", architecture)
    if architecture == "self-attention":
        return 1
    elif architecture == "recurrent":
        return int(distance)
    elif architecture == "convolution":
        return int((distance - 1) // (kernel - 1) + 1)
    raise ValueError("architecture " + repr(architecture))


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    biased = Q @ K.T / K.shape[1] ** 0.5 + np.log(np.tri(len(X), dtype=X.dtype))
    e = np.exp(biased - biased.max(1, keepdims=True))
    weights = (e / e.sum(1, keepdims=True))[target]
    effects = np.linalg.norm(weights[:, None] * (V @ W_O), axis=1)
    print("attention says", weights.argmax(), "the effect says", effects.argmax())
    return weights, effects
