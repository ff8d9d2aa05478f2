import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X.astype(np.result_type(X, 1.0))
    Q, K, V = X @ W_Q.astype(X.dtype), X @ W_K.astype(X.dtype), X @ W_V.astype(X.dtype)
    scores = Q @ K.T / Q.shape[1] ** 0.5
    logits = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    powers = np.exp2((logits - logits.max(1, keepdims=True)) * float(np.log2(np.e)))
    weights = powers / powers.sum(1, keepdims=True)
    return dict(Q=Q, K=K, V=V, scores=scores, weights=weights, context=weights @ V)
